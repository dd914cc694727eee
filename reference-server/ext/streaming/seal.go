package streaming

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// A place is a point at which an operation can be resumed.
type place struct {
	done     int // in the tool's own measure
	sequence int // number of the next piece
}

// A seal protects checkpoints from being invented, changed, or used for another
// operation or by another principal.
type seal struct{ secret []byte }

func newSeal() seal { return seal{[]byte(rand.Text())} }

// token encodes a place for clients, who cannot read it.
func (s seal) token(id identity, p place) string {
	return fmt.Sprintf("%d.%d.%s", p.done, p.sequence, s.mac(id, p))
}

func (s seal) read(id identity, token string) (place, bool) {
	p, ok := s.open(token)
	return p, ok && hmac.Equal([]byte(token), []byte(s.token(id, p)))
}

// open decodes a token without checking its identity.
func (s seal) open(token string) (place, bool) {
	var p place
	var mac string
	n, err := fmt.Sscanf(strings.ReplaceAll(token, ".", " "), "%d %d %s", &p.done, &p.sequence, &mac)
	return p, err == nil && n == 3 && len(mac) == hex.EncodedLen(size)
}

const size = 12

func (s seal) mac(id identity, p place) string {
	mac := hmac.New(sha256.New, s.secret)
	_, _ = fmt.Fprintf(mac, "%q %q %d %d", id.principal, id.operation, p.done, p.sequence) // a write to a hash never fails
	return hex.EncodeToString(mac.Sum(nil)[:size])
}
