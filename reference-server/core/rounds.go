package core

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// stateLife is how long a client may take to repeat its request with an answer.
const stateLife = 10 * time.Minute

// rounds are the questions of one run of a tool at 2026-07-28. A client answers by
// repeating its request, perhaps over another connection, or never. So the server
// remembers nothing of the rounds: the client carries them in the state that it brings
// back.
type rounds struct {
	turn  *Turn
	life  time.Duration // of the states; zero is the usual one
	begun bool
	run   string                 // names the first request and all that repeat it; empty before the first question
	given map[string]givenAnswer // the answers of the client, by the key of the question
	next  int                    // the number of the question that is asked next

	askingResult fault.Message // the result that asks; nil while no answer is missing
	refused      *Error        // why the state or an answer is invalid
}

// givenAnswer is a question that the client has answered.
type givenAnswer struct {
	Question []byte          `json:"question"` // the digest of the question
	Answer   json.RawMessage `json:"answer"`
}

// A state is the memory of the rounds that the client brings back.
type state struct {
	Until int64                  `json:"until"` // the end of its life, in milliseconds
	Run   string                 `json:"run"`
	Met   map[string]givenAnswer `json:"met"`
	Open  map[string][]byte      `json:"open"` // the digests of the questions that the client has to answer
}

// ask returns the client's answers to questions. Where one is missing it makes the result
// of the request ask for it.
func (r *rounds) ask(all []asking) ([]json.RawMessage, error) {
	if !r.begun {
		r.begun = true
		r.refused = r.bring()
	}
	switch {
	case r.refused != nil:
		return nil, r.refused
	case r.askingResult != nil:
		return nil, &Unanswered{Why: "another question has to be answered first"}
	}
	first := r.next
	r.next += len(all)
	missing := map[string]asking{}
	open := map[string][]byte{}
	answers := make([]json.RawMessage, len(all))
	for i, a := range all {
		key := keyOf(first + i)
		question, err := digest(a)
		if err != nil {
			return nil, err
		}
		answer, given := r.given[key]
		if given && !bytes.Equal(answer.Question, question) {
			r.forget(first + i) // the tool asks another question now
			given = false
		}
		if !given {
			missing[key], open[key] = a, question
			continue
		}
		if r.turn.core.Fault.Skips(fault.CheckAction) {
			answer.Answer = accepted(answer.Answer)
		}
		if problem := a.misfit(answer.Answer); problem != "" {
			r.refused = badParams("the answer to " + key + " cannot be used: " + problem)
			return nil, r.refused
		}
		answers[i] = answer.Answer
	}
	if len(missing) == 0 {
		return answers, nil
	}
	var err error
	if r.askingResult, err = r.inputRequired(missing, open); err != nil {
		return nil, err
	}
	return nil, &Unanswered{Why: "the client is asked by the result"}
}

// accepted is an answer to a form whose action, if there is no such action, is accept.
func accepted(answer json.RawMessage) json.RawMessage {
	own := members(answer)
	if action, given := text(own["action"]); given && action != "decline" && action != "cancel" {
		own["action"] = json.RawMessage(`"accept"`)
		answer, _ = json.Marshal(own) // of what was JSON before
	}
	return answer
}

// forget drops the answers to the question with a number and to all later ones.
func (r *rounds) forget(number int) {
	for ; ; number++ {
		if _, given := r.given[keyOf(number)]; !given {
			return
		}
		delete(r.given, keyOf(number))
	}
}

// outcome replaces the answer of a tool that has asked a question without a proper
// answer. The tool's own result does not count: the tool ran without the answer.
func (r *rounds) outcome() (result fault.Message, failure *Error, decided bool) {
	if r == nil || (r.askingResult == nil && r.refused == nil) {
		return nil, nil, false
	}
	if r.refused != nil {
		return nil, r.refused, true
	}
	return r.askingResult, nil, true
}

// StatesLast sets how long a client may take to answer the questions of a request at
// 2026-07-28. It is called before the first question.
func StatesLast(t *Turn, life time.Duration) {
	if t.meta.modern {
		t.rounds = &rounds{turn: t, life: life}
	}
}

// keyOf names a question among the input requests.
func keyOf(number int) string { return "question-" + strconv.Itoa(number+1) }

func digest(a asking) ([]byte, error) {
	written, err := json.Marshal(a.request())
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(written)
	return sum[:], nil
}

// inputRequired is the result that asks questions.
func (r *rounds) inputRequired(missing map[string]asking, open map[string][]byte) (fault.Message, error) {
	if r.run == "" {
		r.run = rand.Text()
	}
	until := r.turn.core.Now().Add(cmp.Or(r.life, stateLife)).UnixMilli()
	sealed, err := r.seal(state{Until: until, Run: r.run, Met: r.given, Open: open})
	if err != nil {
		return nil, err
	}
	asked := map[string]any{}
	for key, a := range missing {
		asked[key] = map[string]any(a.request())
	}
	return fault.Message{"resultType": "input_required", "inputRequests": asked, "requestState": sealed}, nil
}

// bring reads the answers in a request: the answers of earlier rounds in its state, and
// the answers to the questions that the state leaves open. An answer without a state
// answers no question of the server.
func (r *rounds) bring() *Error {
	responses, failure := inputResponses(r.turn.in.Param["inputResponses"])
	if failure != nil {
		return failure
	}
	raw, given := r.turn.in.Param["requestState"]
	if !given {
		return nil
	}
	sealed, _ := text(raw)
	s, ok := r.unseal(sealed)
	switch {
	case !ok:
		return badParams("requestState was not issued for this request")
	case r.turn.core.Now().UnixMilli() > s.Until && !r.turn.core.Fault.Skips(fault.CheckStateLife):
		return badParams("requestState has expired")
	}
	r.run, r.given = s.Run, s.Met
	if r.given == nil {
		r.given = map[string]givenAnswer{}
	}
	for key, question := range s.Open {
		if answer, given := responses[key]; given {
			r.given[key] = givenAnswer{Question: question, Answer: answer}
		}
	}
	return nil
}

// inputResponses reads the answers of a client. Each answer is an object.
func inputResponses(raw json.RawMessage) (map[string]json.RawMessage, *Error) {
	if raw != nil && !isObject(raw) {
		return nil, badParams("inputResponses is not an object")
	}
	all := members(raw)
	for name, one := range all {
		if !isObject(one) {
			return nil, badParams("the answer " + oneLine(name) + " in inputResponses is not an object")
		}
	}
	return all, nil
}

// seal encodes a state so that without the key of this process nobody can change it,
// or bring it with another request or as another principal.
func (r *rounds) seal(s state) (string, error) {
	written, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	mac, err := r.mac(written)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(append(mac, written...)), nil
}

func (r *rounds) unseal(sealed string) (s state, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil || len(raw) < sha256.Size {
		return state{}, false
	}
	mac, err := r.mac(raw[sha256.Size:])
	if err != nil || !hmac.Equal(mac, raw[:sha256.Size]) && !r.turn.core.Fault.Skips(fault.CheckStateSeal) {
		return state{}, false
	}
	err = json.Unmarshal(raw[sha256.Size:], &s)
	return s, err == nil
}

// mac authenticates a state together with its request: the method, the name of the
// tool, prompt or resource, the arguments as the tool reads them, and the principal.
func (r *rounds) mac(written []byte) ([]byte, error) {
	t := r.turn
	var arguments map[string]any
	if raw := t.in.Param["arguments"]; isObject(raw) {
		if err := json.Unmarshal(raw, &arguments); err != nil {
			return nil, err
		}
	}
	name, _ := text(t.in.Param["name"])
	uri, _ := text(t.in.Param["uri"])
	if arguments == nil {
		arguments = map[string]any{} // absent arguments and empty ones mean the same
	}
	principal := t.in.Principal
	if t.core.Fault.Skips(fault.CheckStatePrincipal) {
		principal = ""
	}
	if t.core.Fault.Skips(fault.CheckStateAnywhere) {
		principal += t.Caller()
	}
	if t.core.Fault.Skips(fault.CheckStateRequest) {
		arguments = nil
	}
	bound, err := json.Marshal([]any{t.in.Method, name, uri, arguments, principal, written})
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, t.core.stateKey[:])
	mac.Write(bound)
	return mac.Sum(nil), nil
}
