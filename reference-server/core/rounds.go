package core

import (
	"bytes"
	"crypto/hmac"
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
	begun bool
	given []givenAnswer // the answers of the client, in the order of the questions
	next  int           // the number of the question that is asked next

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
	Until int64         `json:"until"` // the end of its life, in seconds
	Met   []givenAnswer `json:"met"`
	Open  []byte        `json:"open"` // the digest of the question that the client has to answer
}

// ask returns the client's answer to a question. Without an answer it makes the result
// of the request ask the question.
func (r *rounds) ask(a asking) (json.RawMessage, error) {
	if !r.begun {
		r.begun = true
		r.given, r.refused = r.brought()
	}
	switch {
	case r.refused != nil:
		return nil, r.refused
	case r.askingResult != nil:
		return nil, &Unanswered{Why: "another question has to be answered first"}
	}
	question, err := digest(a)
	if err != nil {
		return nil, err
	}
	number := r.next
	r.next++
	if number < len(r.given) && !bytes.Equal(r.given[number].Question, question) {
		r.given = r.given[:number] // the tool asks another question now
	}
	if number == len(r.given) {
		if r.askingResult, err = r.inputRequired(a, question); err != nil {
			return nil, err
		}
		return nil, &Unanswered{Why: "the client is asked by the result"}
	}
	answer := r.given[number].Answer
	if problem := a.misfit(answer); problem != "" {
		r.refused = badParams("the answer to " + keyOf(number) + " cannot be used: " + problem)
		return nil, r.refused
	}
	return answer, nil
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

// inputRequired is the result that asks the next question.
func (r *rounds) inputRequired(a asking, question []byte) (fault.Message, error) {
	sealed, err := r.seal(state{Until: r.turn.core.Now().Add(stateLife).Unix(), Met: r.given, Open: question})
	if err != nil {
		return nil, err
	}
	return fault.Message{
		"resultType":    "input_required",
		"inputRequests": map[string]any{keyOf(len(r.given)): map[string]any(a.request())},
		"requestState":  sealed,
	}, nil
}

// brought returns the answers in a request: the answers of earlier rounds in its
// state, and the answer to the question that the state leaves open. An answer without
// a state answers no question of the server.
func (r *rounds) brought() ([]givenAnswer, *Error) {
	responses, failure := inputResponses(r.turn.in.Param["inputResponses"])
	if failure != nil {
		return nil, failure
	}
	raw, given := r.turn.in.Param["requestState"]
	if !given {
		return nil, nil
	}
	sealed, _ := text(raw)
	s, ok := r.unseal(sealed)
	switch {
	case !ok:
		return nil, badParams("requestState was not issued for this request")
	case r.turn.core.Now().Unix() > s.Until:
		return nil, badParams("requestState has expired")
	}
	if answer, given := responses[keyOf(len(s.Met))]; given {
		s.Met = append(s.Met, givenAnswer{Question: s.Open, Answer: answer})
	}
	return s.Met, nil
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
	if err != nil || !hmac.Equal(mac, raw[:sha256.Size]) {
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
	bound, err := json.Marshal([]any{t.in.Method, name, uri, arguments, t.in.Principal, written})
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, t.core.stateKey[:])
	mac.Write(bound)
	return mac.Sum(nil), nil
}
