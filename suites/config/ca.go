package config

import (
	"crypto/x509"
	"errors"
	"os"
	"strconv"
)

// Trusted returns the certificates of the system with those of target.ca beside them; nil
// where there is no target.ca. A mistake is an *Error.
func (c Config) Trusted() (*x509.CertPool, error) {
	if c.Target.CA == "" {
		return nil, nil
	}
	text, err := os.ReadFile(c.Target.CA)
	if err != nil {
		return nil, c.wrongCA(err.Error(), err)
	}
	trusted, err := x509.SystemCertPool()
	if err != nil {
		trusted = x509.NewCertPool()
	}
	if !trusted.AppendCertsFromPEM(text) {
		return nil, c.wrongCA(strconv.Quote(c.Target.CA)+" holds no certificate in the PEM format", nil)
	}
	return trusted, nil
}

// wrongCA is a mistake at target.ca. A program that fills in the target itself has no file.
func (c Config) wrongCA(message string, cause error) error {
	message = "target.ca: " + message
	if c.ca == nil {
		return errors.New(message)
	}
	mistake := c.source.mistake(c.ca.line, c.ca.column, message)
	mistake.cause = cause
	return mistake
}
