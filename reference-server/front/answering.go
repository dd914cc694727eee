package front

import (
	"net/http"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// answering is the sink of a message served over HTTP.
type answering struct {
	front   *HTTP
	serving *core.Serving
	stream  *stream
	session *session         // nil for modern requests
	begins  bool             // the message begins the session
	held    bool             // a fault: a notification of the message waits for another stream
	reports func() []*stream // a fault: the streams for what is reported; nil without that fault

	once   sync.Once
	opened chan struct{}
}

// answer serves a message and sends what comes of it: as an event stream when a message
// goes out before the answer, else as JSON. The work continues when the client leaves,
// unless its context says otherwise.
func (a *answering) answer(w http.ResponseWriter, r *http.Request, done func()) {
	a.opened = make(chan struct{})
	if a.alwaysStreams() && a.session != nil {
		a.Open()
	}
	finished := make(chan core.Outcome, 1)
	x := a.serving.Exchange()
	run := func() {
		defer done()
		outcome := a.serving.Run(a)
		if a.isOpen() {
			a.sendAnswer(outcome)
		}
		finished <- outcome
	}
	if a.serving.InOrder() {
		run() // it takes little time
	} else {
		go run()
	}
	select {
	case <-a.opened:
		a.front.follow(w, r, x, a.stream, a.stream.take(), 0)
	case outcome := <-finished:
		a.answerUnstreamed(w, r, outcome)
	}
}

// answerUnstreamed sends an answer for which no stream was opened.
func (a *answering) answerUnstreamed(w http.ResponseWriter, r *http.Request, outcome core.Outcome) {
	x := a.serving.Exchange()
	switch {
	case a.isOpen(): // the work ended after it had opened a stream
		a.front.follow(w, r, x, a.stream, a.stream.take(), 0)
	case outcome.Hang:
		<-r.Context().Done()
	case outcome.Exits:
		panic(http.ErrAbortHandler) // net/http cuts the connection on this panic
	case outcome.Stopped, len(outcome.Messages) > 1 && !outcome.List, a.alwaysStreams() && outcome.Status == http.StatusOK:
		// No message is left, or, for a fault, more messages than a body can hold. At
		// revisions that give errors a status of their own, only outcomes with status
		// 200 are streams.
		a.Open()
		a.sendAnswer(outcome)
		a.front.follow(w, r, x, a.stream, a.stream.take(), 0)
	default:
		for _, message := range outcome.Messages {
			a.sendOnOtherStreams(message)
		}
		if a.begins && a.session.conv.Revision() != "" {
			a.front.begin(w, a.session)
		}
		a.front.json(w, x, outcome.Status, outcome.Messages, outcome.List)
	}
}

func (a *answering) alwaysStreams() bool {
	return a.front.fault != nil && a.front.fault.HTTP.AlwaysStream && a.serving.IsRequest() && !a.begins
}

func (a *answering) Open() {
	a.once.Do(func() {
		if a.session != nil {
			a.session.register(a.stream)
			if a.serving.Exchange().Revision == requirements.R20251125 {
				a.stream.prime()
			}
		}
		close(a.opened)
	})
}

func (a *answering) isOpen() bool {
	select {
	case <-a.opened:
		return true
	default:
		return false
	}
}

func (a *answering) Notify(_ fault.Exchange, m fault.Message) {
	if !a.sendOnOtherStreams(m) {
		return
	}
	a.Open()
	to := []*stream{a.stream}
	if a.reports != nil {
		to = a.reports()
	}
	for _, one := range to {
		one.add(string(core.Encode(m)))
	}
}

// Leave closes the connection of the stream if the client can come back for the rest.
func (a *answering) Leave() {
	a.Open()
	if a.session != nil && a.serving.Exchange().Revision == requirements.R20251125 {
		a.stream.leave()
	}
}

// sendAnswer adds the answer itself and ends the stream.
func (a *answering) sendAnswer(outcome core.Outcome) {
	for _, message := range outcome.Messages {
		a.sendOnOtherStreams(message)
	}
	switch {
	case outcome.Hang:
		return
	case outcome.List:
		a.stream.add(string(core.EncodeList(outcome.Messages)))
	default:
		for _, message := range outcome.Messages {
			a.stream.add(string(core.Encode(message)))
		}
	}
	a.stream.finish()
}
