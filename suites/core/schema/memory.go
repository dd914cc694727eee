package schema

import (
	"bytes"
	"crypto/sha256"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A memory holds digests of messages that fit the schema, because a run sees the same
// long lists on dozens of connections, with other ids.
type memory struct {
	mu   sync.Mutex
	fits map[digest]bool
}

type digest = [sha256.Size]byte

// remembered is how many messages the memory holds; further messages are checked each
// time.
const remembered = 10_000

// keyOf is the same for messages that differ only in their id.
func keyOf(m probe.Message, definition string) digest {
	text := m.Frame.Raw()
	if m.HasID {
		text = bytes.Replace(text, []byte(m.ID), nil, 1)
	}
	h := sha256.New()
	for _, part := range [][]byte{[]byte(m.Revision), []byte(definition), text} {
		_, _ = h.Write(part)
		_, _ = h.Write([]byte{0})
	}
	return digest(h.Sum(nil))
}

func (m *memory) has(key digest) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.fits[key]
}

func (m *memory) add(key digest) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fits == nil {
		m.fits = map[digest]bool{}
	}
	if len(m.fits) < remembered {
		m.fits[key] = true
	}
}
