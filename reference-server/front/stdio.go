// Package front carries messages between clients and the core, over stdio and
// Streamable HTTP, and refuses what the transport does not allow.
package front

import (
	"bytes"
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Stdio serves one client over a pair of streams.
type Stdio struct {
	Core  *core.Core
	Fault *fault.Fault
	// Grace is how long requests may go on after standard input has ended.
	Grace time.Duration
}

// Serve reads messages line by line until in ends, term is closed or receives a value,
// or ctx ends. It returns the exit code of the process. A reader that is an io.Closer
// is closed, since nothing else ends a blocked Read.
func (s Stdio) Serve(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	p := &pipe{core: s.Core, fault: s.Fault, out: out, exit: make(chan int, 1)}
	p.conv = &core.Conversation{Push: func(m fault.Message) {
		p.write(fault.Exchange{Transport: requirements.Stdio, Revision: p.conv.Revision()}, core.Encode(m))
	}}
	defer s.Core.Leave(p.conv)
	if s.Fault != nil && s.Fault.Stdio.Start != nil {
		s.Fault.Stdio.Start(out, errw)
	}
	if s.Fault != nil && s.Fault.Stdio.IgnoreTerm {
		term = nil
	}
	source := in
	if s.Fault != nil && s.Fault.Stdio.Input != nil {
		changed := s.Fault.Stdio.Input(in)
		defer func() { _ = changed.Close() }()
		source = changed
	}
	lines := make(chan line)
	done := make(chan struct{})
	defer close(done)
	go readLines(source, lines, done)
	defer func() {
		if closer, ok := in.(io.Closer); ok {
			_ = closer.Close() // the process ends here; nobody could read the error
		}
	}()
	for {
		select {
		case code := <-p.exit:
			return code // before another line is served
		default:
		}
		select {
		case <-ctx.Done():
			return 1
		case <-term:
			return p.end(stop, 0, 0)
		case code := <-p.exit:
			return code
		case next, more := <-lines:
			if !more {
				return s.afterInput(ctx, stop, p, term)
			}
			p.spoken = true
			p.take(ctx, next)
		}
	}
}

// afterInput runs after the end of standard input: requests that are nearly done are
// answered, the others are stopped.
func (s Stdio) afterInput(ctx context.Context, stop context.CancelFunc, p *pipe, term <-chan struct{}) int {
	code := 0
	if s.Fault != nil {
		if s.Fault.Stdio.End != nil {
			s.Fault.Stdio.End(p.out)
		}
		code = s.Fault.Stdio.ExitCode
		if s.Fault.Stdio.IgnoreEOF || s.Fault.Stdio.IgnoreEarlyEOF && !p.spoken || s.Fault.Stdio.IgnoreBusyEOF && p.served.Load() > 0 {
			select {
			case <-ctx.Done():
				return 1
			case <-term:
			}
		}
	}
	return p.end(stop, s.Grace, code)
}

// A pipe is one stdio conversation.
type pipe struct {
	core  *core.Core
	fault *fault.Fault
	conv  *core.Conversation
	exit  chan int

	spoken  bool // a message has come
	running sync.WaitGroup
	served  atomic.Int32 // how many are running
	mu      sync.Mutex
	out     io.Writer
}

func (p *pipe) take(ctx context.Context, next line) {
	if len(bytes.TrimSpace(next.text)) == 0 && !next.tooLong {
		return // an empty line is ignored
	}
	message := envelope.Read(next.text, p.fault)
	if next.tooLong {
		message = envelope.Message{Problem: &envelope.Problem{Code: envelope.InvalidRequest, Text: "the message is too long"}}
	}
	serving := p.core.Begin(ctx, p.conv, core.Inbound{Message: message, Transport: requirements.Stdio})
	if serving.InOrder() {
		p.run(serving)
		return
	}
	p.served.Add(1)
	p.running.Go(func() {
		defer p.served.Add(-1)
		p.run(serving)
	})
}

func (p *pipe) run(serving *core.Serving) {
	outcome := serving.Run(sink{p})
	switch {
	case outcome.Exits:
		select {
		case p.exit <- outcome.Exit:
		default:
		}
	case outcome.List:
		p.write(serving.Exchange(), core.EncodeList(outcome.Messages))
	default:
		for _, message := range outcome.Messages {
			p.write(serving.Exchange(), core.Encode(message))
		}
	}
}

// end waits for the requests being served, at most for the grace period, then stops
// them and waits a moment for them to end.
func (p *pipe) end(stop context.CancelFunc, grace time.Duration, code int) int {
	p.conv.Hush()
	finished := make(chan struct{})
	go func() {
		p.running.Wait()
		close(finished)
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-finished:
	case <-timer.C:
		stop()
		// A client that does not read blocks a write for ever.
		timer.Reset(time.Second)
		select {
		case <-finished:
		case <-timer.C:
		}
	}
	select {
	case code = <-p.exit:
	default:
	}
	return code
}

// write sends one line with a single Write, so that no other line comes in between.
func (p *pipe) write(x fault.Exchange, text []byte) {
	if p.fault != nil && p.fault.Bytes != nil {
		text = p.fault.Bytes(x, text)
	}
	text = append(text, '\n')
	if p.fault != nil && p.fault.Stdio.Line != nil {
		text = p.fault.Stdio.Line(x, text)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = p.out.Write(text) // a client that is gone closes stdin as well
}

// A sink sends the messages that a request sends before its answer.
type sink struct{ pipe *pipe }

func (s sink) Notify(x fault.Exchange, m fault.Message) { s.pipe.write(x, core.Encode(m)) }
func (s sink) Open()                                    {}
