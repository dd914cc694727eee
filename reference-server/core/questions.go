package core

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// questions are the requests of the server that a client has not answered yet. A
// conversation never uses an id twice.
type questions struct {
	mu         sync.Mutex
	asked      int
	unanswered map[string]question // by the key of the id
	closed     bool
}

// A question is one request of the server.
type question struct {
	number    int
	id        string
	principal string     // who may answer
	answer    chan reply // has room for one; closed when the client can send no answer
}

// A reply is the response of a client; one field is set.
type reply struct {
	result  json.RawMessage // an object
	refusal *Error
	problem string // why the response is neither a result nor an error
}

func (q *questions) open(principal string) question {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asked++
	made := question{number: q.asked, id: "question-" + strconv.Itoa(q.asked), principal: principal, answer: make(chan reply, 1)}
	if q.closed {
		close(made.answer)
		return made
	}
	if q.unanswered == nil {
		q.unanswered = map[string]question{}
	}
	q.unanswered[made.key()] = made
	return made
}

func (q question) key() string {
	key, _ := envelope.IDKey(json.RawMessage(strconv.Quote(q.id)))
	return key
}

// drop forgets a question: a later answer is ignored.
func (q *questions) drop(dropped question) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.unanswered, dropped.key())
}

// take hands a response to the waiting question. A response without a question, or
// from another principal, is ignored: taken is false.
func (q *questions) take(in Inbound, broken *fault.Fault) (taken bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := in.Key
	switch {
	case broken.Skips(fault.CheckAnswerOldest):
		key = q.first(func(a, b question) int { return a.number - b.number })
	case broken.Skips(fault.CheckAnswerNewest):
		key = q.first(func(a, b question) int { return b.number - a.number })
	}
	met, found := q.unanswered[key]
	if !found || met.principal != in.Principal && !broken.Skips(fault.CheckAnswerer) {
		return false
	}
	delete(q.unanswered, key)
	met.answer <- readReply(in.Message)
	return true
}

// first is the key of the first open question in an order; empty where none is open.
func (q *questions) first(order func(a, b question) int) (key string) {
	if len(q.unanswered) == 0 {
		return ""
	}
	return slices.MinFunc(slices.Collect(maps.Values(q.unanswered)), order).key()
}

// close ends the waiting: the server will read no further answer.
func (q *questions) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for _, one := range q.unanswered {
		close(one.answer)
	}
	q.unanswered = nil
}

func readReply(m envelope.Message) reply {
	switch {
	case m.Problem != nil:
		return reply{problem: m.Problem.Text}
	case m.Error == nil && !isObject(m.Result):
		return reply{problem: "the result is not an object"}
	case m.Error == nil:
		return reply{result: bytes.Clone(m.Result)}
	}
	var refusal struct {
		Code    *int
		Message *string
		Data    json.RawMessage
	}
	if json.Unmarshal(m.Error, &refusal) != nil || refusal.Code == nil || refusal.Message == nil {
		return reply{problem: "the error lacks a code or a message"}
	}
	own := &Error{Code: *refusal.Code, Message: *refusal.Message}
	if refusal.Data != nil {
		own.Data = refusal.Data
	}
	return reply{refusal: own}
}
