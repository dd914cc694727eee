package discover

import (
	"context"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// OneSession reports whether the server has one session at a time, so that a new
// one ends the one before. Connections that were kept for a survey are of no use
// then, and closed.
func (l Look) OneSession(ctx context.Context, found *Found) (bool, error) {
	handshake := slices.DeleteFunc(found.Revisions(), requirements.Revision.Modern)
	if l.Transport != requirements.HTTP || !found.Sessions || len(handshake) == 0 {
		return false, nil
	}
	newest := slices.Max(handshake)
	first, err := l.begin(ctx, newest)
	if err != nil {
		return false, nil // nothing listens any more, which shows soon
	}
	defer func() { _ = first.Close(context.WithoutCancel(ctx)) }()
	second, err := l.begin(ctx, newest)
	if err != nil {
		return false, nil
	}
	defer func() { _ = second.Close(context.WithoutCancel(ctx)) }()
	for _, k := range []*probe.Control{first, second} {
		if err := k.Open(ctx); err != nil {
			return false, ctx.Err()
		}
	}
	if _, err := first.Client.Call(ctx, "ping", nil); err != nil {
		return false, ctx.Err()
	}
	if !first.SessionEnded() {
		return false, nil
	}
	// What was not asked for yet would end the session of some case later on.
	_, err = found.Versions(ctx)
	found.Close(ctx)
	return true, err
}
