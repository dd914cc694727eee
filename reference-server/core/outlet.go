package core

import (
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// An outlet sends what the client gets before the answer to its request.
type outlet struct {
	turn    *Turn // on whose behalf the outlet sends
	sink    Sink
	sending sync.Mutex  // held while something is sent
	over    bool        // the answer is next; nothing may precede it any more
	stopped atomic.Bool // the client has cancelled; nothing is sent any more
}

// Open commits to answering by a stream, for work that takes its time.
func (o *outlet) Open() { o.through().Open() }

// through is what carries the messages now; that of a detached request changes.
func (o *outlet) through() Sink {
	o.sending.Lock()
	defer o.sending.Unlock()
	return o.sink
}

// Leave closes the connection that waits for the answer if the client can come back
// for the answer. Otherwise Leave does the same as Open.
func (o *outlet) Leave() {
	if polled, ok := o.through().(interface{ Leave() }); ok {
		polled.Leave()
		return
	}
	o.Open()
}

// Progress reports the progress of the work if the client asked for it.
func (o *outlet) Progress(progress, total float64, message string) {
	t := o.turn
	token := t.meta.token
	if token == nil && t.core.Fault.Skips(fault.CheckProgressToken) {
		token = json.RawMessage(`"none"`)
	}
	if token == nil {
		return
	}
	params := map[string]any{"progressToken": token, "progress": progress}
	if total > 0 {
		params["total"] = total
	}
	if message != "" && !t.Revision().Before(requirements.R20250326) {
		params["message"] = message
	}
	o.Notify("notifications/progress", params)
}

// Log sends a log message, if the client wants it.
func (o *outlet) Log(level, logger string, data any) {
	t := o.turn
	threshold := t.conv.threshold()
	if t.meta.modern {
		threshold = t.meta.level
		if threshold == "" && !t.core.Fault.Skips(fault.CheckLogOptIn) {
			return
		}
	}
	if severe(level, threshold) || t.core.Fault.Skips(fault.CheckLogThreshold) {
		params := map[string]any{"level": level, "logger": logger, "data": data}
		o.Notify("notifications/message", params)
		if t.core.Fault.Skips(fault.CheckLogStream) {
			_, listeners := t.core.hub.audience()
			for _, l := range listeners {
				l.turn.Notify("notifications/message", params)
			}
		}
	}
}

// AsksForLogs says whether the client asked for the log messages of this request.
func (o *outlet) AsksForLogs() bool { return o.turn.meta.level != "" }

// Jam lets the log of the conversation take no new level, or lets it take one again.
func (o *outlet) Jam(jammed bool) { o.turn.conv.jam(jammed) }

// Notify sends a notification on behalf of the request, before its answer.
func (o *outlet) Notify(method string, params map[string]any) {
	o.send(fault.Message{"jsonrpc": "2.0", "method": method, "params": params})
}

func (o *outlet) send(m fault.Message) {
	t := o.turn
	o.sending.Lock()
	defer o.sending.Unlock()
	if o.over || o.stopped.Load() && !t.core.Fault.Skips(fault.CheckCancelTalk) {
		return
	}
	for _, extension := range t.core.Extensions {
		if extension.Notify != nil {
			m = extension.Notify(t, m)
		}
	}
	for _, message := range t.core.Fault.Outgoing(t.x, m) {
		o.sink.Notify(t.x, message)
	}
}

// shut lets the answer be next: a message that is being sent precedes it.
func (o *outlet) shut() {
	o.sending.Lock()
	defer o.sending.Unlock()
	o.over = true
}
