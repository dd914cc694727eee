package idempotency

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
)

const (
	longestKey  = 128
	longestKept = 30 * 24 * time.Hour
)

// A request is the idempotency metadata of a call.
type request struct {
	given  bool // the call names a key
	key    string
	header bool          // only a header names the key
	ttl    time.Duration // zero without a ttl
	silent bool          // the answer gets no metadata
}

func refuse(text string) *core.Error {
	return &core.Error{Code: envelope.InvalidParams, Message: text}
}

// read collects the key from all its places, which have to agree.
func (g *guard) read(call *core.ToolCall) (request, *core.Error) {
	var asked request
	var keys []string
	for _, name := range []string{"idempotency_key", Prefix + "idempotency_key"} {
		raw := call.Meta(name)
		if raw == nil {
			continue
		}
		var key *string
		if err := json.Unmarshal(raw, &key); err != nil || key == nil {
			if !g.Faults.AnyKey {
				return asked, refuse(name + " is not a string")
			}
			text := string(raw)
			key = &text
		}
		keys = append(keys, *key)
	}
	if !g.Faults.NoHeader {
		asked.header = len(keys) == 0
		keys = append(keys, call.Header("X-Idempotency-Key")...)
	}
	for i, key := range keys {
		if g.Faults.LongKeyCut && len(key) > longestKey {
			key = key[:longestKey]
			keys[i] = key
		}
		switch {
		case !g.wellFormed(key):
			return asked, refuse("the idempotency key is malformed")
		case key != keys[0] && !g.Faults.MismatchPasses:
			return asked, refuse("the idempotency keys differ from each other")
		}
	}
	if len(keys) > 0 {
		asked.given, asked.key = true, keys[0]
	}
	return asked, nil
}

func (g *guard) wellFormed(key string) bool {
	allowed := "_-:."
	shortest, longest := 1, longestKey
	switch {
	case g.Faults.AnyKey:
		return true
	case g.Faults.EmptyKey:
		shortest = 0
	case g.Faults.ColonRefused:
		allowed = "_-."
	case g.Faults.NarrowKeys:
		allowed = ""
	case g.Faults.ShortKeys:
		longest = 64
	case g.Faults.LongKeys:
		shortest = 2
	}
	if len(key) < shortest || len(key) > longest {
		return false
	}
	return !strings.ContainsFunc(key, func(r rune) bool {
		letter := (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') || (r >= '0' && r <= '9')
		return !letter && !strings.ContainsRune(allowed, r)
	})
}

// readTTL returns how long the key is to be remembered; zero without a ttl.
func (g *guard) readTTL(call *core.ToolCall) (time.Duration, *core.Error) {
	var ttl time.Duration
	for _, name := range []string{"idempotency_ttl_seconds", Prefix + "idempotency_ttl_seconds"} {
		raw := call.Meta(name)
		if raw == nil {
			continue
		}
		var seconds *int64
		err := json.Unmarshal(raw, &seconds)
		switch {
		case g.Faults.EmptyTTL && err == nil && seconds != nil && *seconds < 1:
			return -time.Second, nil
		case err != nil || seconds == nil || *seconds < 1:
			if g.Faults.InternalTTL {
				return 0, &core.Error{Code: core.InternalError, Message: "the ttl could not be used"}
			}
			return 0, refuse(name + " is not a positive integer")
		}
		ttl = longestKept
		if *seconds < int64(longestKept/time.Second) {
			ttl = time.Duration(*seconds) * time.Second
		}
	}
	return ttl, nil
}

// identity is the key of a call in the store: the keys of different principals are
// independent.
func (g *guard) identity(call *core.ToolCall, asked request, digest string) identity {
	f, key := g.Faults, asked.key
	id := identity{principal: call.Principal(), key: key}
	switch {
	case asked.silent, f.ByArguments:
		id.key = digest
	case f.FoldCase:
		id.key = strings.ToLower(key)
	case f.CutKeys && len(key) > 100:
		id.key = key[:100]
	}
	switch {
	case f.SharedPrincipals:
		id.principal = ""
	case f.PerConnection:
		id.connection = call.Conversation()
	case f.KeyPerTool:
		id.kind = call.Name
	case f.HeaderStore && asked.header:
		id.kind = "header"
	}
	return id
}
