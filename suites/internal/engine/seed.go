package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"sync/atomic"
)

// nonce is the source of fresh text for one purpose. A server that outlives the
// run may remember what an earlier run with the same seed told it.
func (p Plan) nonce(parts ...string) func() string {
	if p.Lasting {
		parts = append(parts, p.Started.String())
	}
	return nonces(p.Seed, parts...)
}

// nonces gives fresh text for one case in one column. The same seed gives the
// same texts in the same order, whatever else runs beside.
func nonces(seed uint64, parts ...string) func() string {
	var n atomic.Uint64
	return func() string {
		const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"
		h := sha256.New()
		var word [8]byte
		binary.BigEndian.PutUint64(word[:], seed)
		h.Write(word[:])
		h.Write([]byte(strings.Join(parts, "\x00")))
		binary.BigEndian.PutUint64(word[:], n.Add(1))
		h.Write(word[:])
		sum := h.Sum(nil)
		text := make([]byte, 10)
		for i := range text {
			text[i] = alphabet[int(sum[i])%len(alphabet)]
		}
		return string(text)
	}
}
