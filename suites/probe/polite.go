package probe

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// maxAnswerSenders is the most answers that are on their way at once over HTTP, where
// each is a POST of its own. Over stdio one follows the other.
const maxAnswerSenders = 8

// A Request is a request of the server to its client.
type Request struct {
	ID     string // as JSON text; the key of the question within a result
	Method string
	Params map[string]any
}

// A Refusal answers a request of the server with an error.
type Refusal struct {
	Code    int
	Message string
}

// A responder answers the requests of the server: as the case says, a ping in any
// case, and all others with an error.
type responder struct {
	send        func(ctx context.Context, text string) // returns when the server took the text
	mostSenders int
	working     sync.WaitGroup // goroutines that ask the case, or send

	mu      sync.Mutex
	answers map[string]func(Request) any // by method
	queued  []string                     // answers still to be sent
	senders int                          // goroutines that send them
}

// Answers sets how this client answers requests of the server on this
// connection, until its case ends. The client sends the value that answer
// returns as the result, a Refusal as an error, and nothing for nil. Since
// 2026-07-28 a server asks within the result of a request: Call and
// Pending.Reply then repeat the request with the answers.
func (c *caller) Answers(method string, answer func(Request) any) {
	c.live()
	c.setAnswer(method, func(r Request) (given any) {
		defer func() {
			if r := recover(); r != nil {
				c.end(defect(fmt.Sprintf("the case panicked: %v", r)))
				given = nil
			}
		}()
		return answer(r)
	})
	c.atEnd(c.clearAnswers)
}

func (r *responder) setAnswer(method string, answer func(Request) any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answers == nil {
		r.answers = map[string]func(Request) any{}
	}
	r.answers[method] = answer
}

// clearAnswers removes all answers that Answers has set.
func (r *responder) clearAnswers() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers = nil
}

func (r *responder) answerTo(method string) (answer func(Request) any, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	answer, ok = r.answers[method]
	return answer, ok
}

// answersRequests reports whether the case answers any request of the server.
func (r *responder) answersRequests() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.answers) > 0
}

// answer answers the requests of the server in a frame.
func (r *responder) answer(ctx context.Context, s Seen) {
	if s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return
	}
	for _, m := range Singles(s.Message()) {
		if m.Class != frame.Request {
			continue
		}
		if answer, ok := r.answerTo(m.Method); ok {
			// A case may wait for further frames before it answers, so the pump must go on.
			r.working.Go(func() {
				if given := answer(Request{ID: m.ID, Method: m.Method, Params: ObjectOf(member(m, "/params"))}); given != nil {
					r.queue(ctx, answerText(m.ID, given))
				}
			})
			continue
		}
		if m.Method == "ping" {
			r.queue(ctx, answerText(m.ID, Object{}))
			continue
		}
		r.queue(ctx, answerText(m.ID, Refusal{protocol.MethodNotFound, "the client does not offer this"}))
	}
}

// answerText is the response to a request of the server.
func answerText(id string, given any) string {
	name := "result"
	if refused, ok := given.(Refusal); ok {
		name, given = "error", Object{"code": refused.Code, "message": refused.Message}
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"` + name + `":` + JSON(given) + `}`
}

// queue queues an answer and lets another goroutine send it: a server that does
// not read while it writes must not keep the kit from reading.
func (r *responder) queue(ctx context.Context, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queued = append(r.queued, text)
	if r.senders < r.mostSenders {
		r.senders++
		r.working.Go(func() { r.sendQueued(ctx) })
	}
}

// sendQueued sends the queued answers until none is left.
func (r *responder) sendQueued(ctx context.Context) {
	for {
		r.mu.Lock()
		if len(r.queued) == 0 || ctx.Err() != nil {
			r.senders--
			r.mu.Unlock()
			return
		}
		text := r.queued[0]
		r.queued = r.queued[1:]
		r.mu.Unlock()
		r.send(ctx, text)
	}
}

// sendAnswer sends an answer to the server, and waits until the server took it.
func (c *conversation) sendAnswer(ctx context.Context, text string) {
	mark := c.Mark()
	// Later frames show a server that no longer listens.
	exchange, err := c.postWell(ctx, text, sending{})
	if err == nil && exchange > 0 {
		_, _, _ = c.await(ctx, mark, within(c.setup.Waits.Answer), ends(exchange))
		c.conn.Abort(exchange) // an exchange still open may never end
	}
}

// ends matches the end of an exchange, or of the connection.
func ends(exchange int) func(Seen) bool {
	return func(s Seen) bool { return s.Kind == frame.KindEnd && (s.Exchange == exchange || s.Exchange == 0) }
}

// answered repeats a request while the server asks for input that the case
// answers, and returns the last reply.
func (p *Pending) answered(reply *Reply) *Reply {
	c := reply.client
	for range c.setup.Waits.Rounds {
		if kind, _ := reply.At("/result/resultType"); kind != "input_required" || !c.answersRequests() || !c.Revision().Modern() {
			break
		}
		asked := ObjectOf(member(reply.Message(), "/result/inputRequests"))
		answers := Object{}
		for _, key := range slices.Sorted(maps.Keys(asked)) { // two runs ask the case in the same order
			q := ObjectOf(asked[key])
			method := TextOf(q["method"])
			if answer, ok := c.answerTo(method); ok {
				given := answer(Request{ID: key, Method: method, Params: ObjectOf(q["params"])})
				if _, refused := given.(Refusal); given != nil && !refused {
					answers[key] = given
				}
			}
		}
		if len(answers) == 0 || len(answers) < len(asked) {
			break
		}
		params := p.params.With("inputResponses", answers)
		if state, ok := reply.At("/result/requestState"); ok {
			params = params.With("requestState", state)
		}
		how := p.how
		how.id = c.nextID()
		reply = c.start(RequestText(how.id, reply.Method, c.Params(params)), how, true).awaitAnswer()
	}
	return reply
}
