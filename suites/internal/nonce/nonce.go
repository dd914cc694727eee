// Package nonce makes fresh texts from the seed of a run.
package nonce

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"sync/atomic"
)

// From returns a source of fresh texts for one purpose, such as a case in a column. The
// same seed and parts give the same texts in the same order, whatever else runs.
func From(seed uint64, parts ...string) func() string {
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
