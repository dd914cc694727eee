package core

import (
	"context"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// A Turn is what tools, methods and extensions may ask of a message being served, and do
// for it.
type Turn struct {
	received
	outlet
	memory
	refusing

	ctx     context.Context
	stop    context.CancelFunc
	inOrder bool    // the message is served before the next message is started
	rounds  *rounds // of the running tool; nil before its first question
}

// Cancel stops the work on the message. Nothing is sent for the message any more.
func (t *Turn) Cancel() {
	f := t.core.Fault
	if f.Skips(fault.CheckCancelled) {
		return
	}
	if !f.Skips(fault.CheckCancelSilent) {
		t.stopped.Store(true)
	}
	t.stop()
}

// Stopped ends when the request is cancelled or the server stops.
func (t *Turn) Stopped() <-chan struct{} { return t.ctx.Done() }
