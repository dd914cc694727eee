package idempotency

import (
	"maps"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// mark writes the metadata of the answer: under bare keys, which older revisions
// allow, and from 2026-07-28 on under prefixed keys too.
func (g *guard) mark(call *core.ToolCall, asked request, e *entry, result fault.Message, replay bool) {
	if asked.silent {
		return
	}
	said := map[string]any{}
	if !g.Faults.NoKeyEcho {
		said["idempotency_key"] = g.echo(asked.key)
	}
	if !g.Faults.ReplayFlagMissing {
		said["was_replay"] = g.flag(replay)
	}
	if !g.Faults.NoTimestamp && (replay || !g.Faults.LateTimestamp) {
		said["original_timestamp"] = g.timestamp(e)
	}
	meta := result.Object("_meta")
	maps.Copy(meta, said)
	if call.Modern() {
		for name, value := range said {
			meta[Prefix+name] = value
		}
	}
}

func (g *guard) echo(key string) string {
	switch {
	case g.Faults.ForeignKeyEcho:
		return "a-key-of-somebody-else"
	case g.Faults.LowerKeyEcho:
		return strings.ToLower(key)
	default:
		return key
	}
}

func (g *guard) flag(replay bool) any {
	switch {
	case replay && g.Faults.ReplayFlagText:
		return "true"
	case replay:
		return !g.Faults.NoReplayFlag
	default:
		return g.Faults.ReplayFlagOnFirst
	}
}

func (g *guard) timestamp(e *entry) any {
	at := e.began
	switch {
	case g.Faults.BadTimestamp:
		return at.UTC().Format(time.ANSIC)
	case g.Faults.UnixTimestamp:
		return at.Unix()
	case g.Faults.FreshTimestamp:
		at = g.Now().Truncate(time.Second)
	case g.Faults.LateTimestamp:
		e.setFirstRepeat.Do(func() { e.firstRepeat = g.Now() })
		at = e.firstRepeat
	case g.Faults.SharedTimestamp:
		at = g.store.newest()
	case g.Faults.FutureTimestamp:
		at = at.Add(time.Hour)
	}
	return at.UTC().Format("2006-01-02T15:04:05.000000Z")
}
