package streaming

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// A place is where an operation can be resumed.
type place struct {
	done     int // by the tool's own measure
	sequence int // of the next piece
}

// A seal keeps checkpoints from being made up, changed, or used for another
// operation or by another client.
type seal struct{ secret []byte }

func newSeal() seal { return seal{[]byte(rand.Text())} }

// token is a place as clients see it, which is nothing to read for them.
func (s seal) token(id identity, p place) string {
	return fmt.Sprintf("%d.%d.%s", p.done, p.sequence, s.mac(id, p))
}

func (s seal) read(id identity, token string) (place, bool) {
	p, ok := s.open(token)
	return p, ok && hmac.Equal([]byte(token), []byte(s.token(id, p)))
}

// open reads a token without asking whose it is.
func (s seal) open(token string) (place, bool) {
	var p place
	var mac string
	n, err := fmt.Sscanf(strings.ReplaceAll(token, ".", " "), "%d %d %s", &p.done, &p.sequence, &mac)
	return p, err == nil && n == 3 && len(mac) == hex.EncodedLen(size)
}

const size = 12

func (s seal) mac(id identity, p place) string {
	mac := hmac.New(sha256.New, s.secret)
	_, _ = fmt.Fprintf(mac, "%q %q %d %d", id.principal, id.operation, p.done, p.sequence) // never fails
	return hex.EncodeToString(mac.Sum(nil)[:size])
}
