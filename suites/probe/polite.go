package probe

import (
	"context"
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
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

// Answers sets how this client answers requests of the server on this
// connection, until its case ends. The client sends the value that answer
// returns as the result, a Refusal as an error, and nothing for nil. Since
// 2026-07-28 a server asks within the result of a request: Call and
// Pending.Reply then repeat the request with the answers.
func (c *Client) Answers(method string, answer func(Request) any) {
	c.live()
	c.conversation.mu.Lock()
	if c.answers == nil {
		c.answers = map[string]func(Request) any{}
	}
	c.answers[method] = func(r Request) (given any) {
		defer func() {
			if r := recover(); r != nil {
				c.end(defect(fmt.Sprintf("the case panicked: %v", r)))
				given = nil
			}
		}()
		return answer(r)
	}
	c.conversation.mu.Unlock()
	c.atEnd(c.clearAnswers)
}

// clearAnswers removes all answers that Answers has set.
func (c *conversation) clearAnswers() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers = nil
}

func (c *conversation) answerTo(method string) (answer func(Request) any, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	answer, ok = c.answers[method]
	return answer, ok
}

// answersRequests reports whether the case answers any request of the server.
func (c *conversation) answersRequests() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.answers) > 0
}

// answer keeps the conversation polite: it answers requests of the server as
// the case says, answers pings in any case, and refuses all other requests.
func (c *conversation) answer(ctx context.Context, s Seen) {
	if s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return
	}
	for _, m := range Singles(s.Message()) {
		if m.Class != frame.Request {
			continue
		}
		if answer, ok := c.answerTo(m.Method); ok {
			// A case may wait for further frames before it answers, so the pump must go on.
			c.pumped.Go(func() {
				if given := answer(Request{ID: m.ID, Method: m.Method, Params: record(member(m, "/params"))}); given != nil {
					c.queueAnswer(ctx, answerText(m.ID, given))
				}
			})
			continue
		}
		if m.Method == "ping" {
			c.queueAnswer(ctx, answerText(m.ID, Object{}))
			continue
		}
		c.queueAnswer(ctx, answerText(m.ID, Refusal{-32601, "the client does not offer this"}))
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

// queueAnswer queues an answer and lets another goroutine send it: a server that does
// not read while it writes must not keep the kit from reading.
func (c *conversation) queueAnswer(ctx context.Context, text string) {
	most := 1
	if c.setup.Transport != requirements.Stdio {
		most = maxAnswerSenders
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queuedAnswers = append(c.queuedAnswers, text)
	if c.answerSenders < most {
		c.answerSenders++
		c.pumped.Go(func() { c.sendAnswers(ctx) })
	}
}

// sendAnswers sends the queued answers until none is left.
func (c *conversation) sendAnswers(ctx context.Context) {
	for {
		c.mu.Lock()
		if len(c.queuedAnswers) == 0 || ctx.Err() != nil {
			c.answerSenders--
			c.mu.Unlock()
			return
		}
		text := c.queuedAnswers[0]
		c.queuedAnswers = c.queuedAnswers[1:]
		c.mu.Unlock()
		mark := c.Mark()
		// Later frames show a server that no longer listens.
		exchange, err := c.postWell(ctx, text, sending{})
		if err == nil && exchange > 0 {
			_, _, _ = c.await(ctx, mark, c.setup.Waits.Answer, ends(exchange))
			c.conn.Abort(exchange) // an exchange still open may never end
		}
	}
}

// ends matches the end of an exchange, or of the connection.
func ends(exchange int) func(Seen) bool {
	return func(s Seen) bool { return s.Kind == frame.KindEnd && (s.Exchange == exchange || s.Exchange == 0) }
}

// rounds is how often the client repeats a request that the server answers with
// questions.
const rounds = 10

// answered repeats a request while the server asks for input that the case
// answers, and returns the last reply.
func (p *Pending) answered(reply *Reply) *Reply {
	c := reply.client
	for range rounds {
		if kind, _ := reply.At("/result/resultType"); kind != "input_required" || !c.answersRequests() || !c.Revision().Modern() {
			break
		}
		asked := record(member(reply.Message(), "/result/inputRequests"))
		answers := Object{}
		for key, question := range asked {
			q := record(question)
			method, _ := q["method"].(string)
			if answer, ok := c.answerTo(method); ok {
				given := answer(Request{ID: key, Method: method, Params: record(q["params"])})
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
