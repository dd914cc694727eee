package hostile_test

import (
	"crypto/tls"
	"encoding/pem"
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

// authority is a file for target.ca.
func authority(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "certificate.pem")
	_, written := known()
	if err := os.WriteFile(file, written, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// secured is a server that offers HTTP/2 alone.
func secured() *tls.Config {
	certificate, _ := known()
	return &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2"}}
}
