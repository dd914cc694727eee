package hostile_test

import (
	"crypto/tls"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// known is the certificate of httptest, the same for every server.
var known = sync.OnceValues(func() (tls.Certificate, []byte) {
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	return s.TLS.Certificates[0], pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
})

// trust lets this process trust the certificate, as users do it for one of their own: the
// system's certificates are read once.
func trust() (stop func(), err error) {
	dir, err := os.MkdirTemp("", "hostile")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "certificate.pem")
	_, written := known()
	if err := os.WriteFile(file, written, 0o600); err != nil {
		return nil, err
	}
	return func() { _ = os.RemoveAll(dir) }, os.Setenv("SSL_CERT_FILE", file)
}

// secured is a server that offers HTTP/2 alone.
func secured() *tls.Config {
	certificate, _ := known()
	return &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2"}}
}

// Otherwise a server over TLS would be judged by its certificate alone.
func TestCertificateIsTrusted(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	conn, err := tls.Dial("tcp", server.Listener.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}
