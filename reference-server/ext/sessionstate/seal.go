package sessionstate

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// A content is what a token holds.
type content struct {
	Session   string    `json:"session"`
	Principal string    `json:"principal"`
	Created   time.Time `json:"created"`
	Issued    time.Time `json:"issued"`
	Lines     []string  `json:"lines"`
	Pad       string    `json:"pad,omitempty"`
}

// A sealer encrypts contents, so that no client can read or change them.
type sealer struct {
	aead   cipher.AEAD
	faults Switches
}

func newSealer(faults Switches) sealer {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // rand.Read never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the length of the key is right
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // the size of the block is right
	}
	return sealer{aead, faults}
}

func (s sealer) seal(c content) string {
	plain, _ := json.Marshal(c) // a content can always be encoded
	if s.faults.Unsealed {
		return base64.StdEncoding.EncodeToString(plain)
	}
	return s.faults.Before + base64.StdEncoding.EncodeToString(s.aead.Seal(nil, nil, plain, nil)) + s.faults.Behind
}

func (s sealer) open(token string) (content, bool) {
	var c content
	token = strings.TrimSuffix(strings.TrimPrefix(token, s.faults.Before), s.faults.Behind)
	raw, err := base64.StdEncoding.Strict().DecodeString(token)
	if err != nil {
		return c, false
	}
	if !s.faults.Unsealed {
		if raw, err = s.aead.Open(nil, nil, raw, nil); err != nil {
			return c, false
		}
	}
	return c, json.Unmarshal(raw, &c) == nil
}
