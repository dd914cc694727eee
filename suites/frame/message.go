package frame

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Class names the type of a message, by its members.
type Class int

// The classes of messages.
const (
	// NotJSON cannot be read as one JSON value, or has more depth or values than
	// the reader takes; the first Problem says which.
	NotJSON Class = iota
	// NotAMessage is JSON that is neither request, notification nor response.
	NotAMessage
	// Request has a method, which is a string, and an id of any type.
	Request
	// Notification has a method and no id.
	Notification
	// Result has the member result and no method.
	Result
	// Error has the member error and no method, even if it has a result too. An
	// error that is null beside a result makes a Result.
	Error
	// Batch is an array, even an empty one.
	Batch
)

// Classes returns every class in the order of their values.
func Classes() []Class {
	return []Class{NotJSON, NotAMessage, Request, Notification, Result, Error, Batch}
}

// String returns the class as it stands in a sentence.
func (c Class) String() string {
	switch c {
	case NotJSON:
		return "not JSON"
	case NotAMessage:
		return "not a message"
	case Request:
		return "request"
	case Notification:
		return "notification"
	case Result:
		return "result"
	case Error:
		return "error"
	case Batch:
		return "batch"
	}
	return "class(" + strconv.Itoa(int(c)) + ")"
}

// A Message is the exact reading of some bytes. Member names keep their case,
// so "METHOD" is no method. In the tree numbers are json.Number, objects
// map[string]any, arrays []any; nobody may change it.
type Message struct {
	Class    Class
	ID       string // the JSON text of the id, byte for byte: 1, "1", null, 1e0
	HasID    bool
	Method   string
	Members  map[string]any // of an object; the last of two equal names counts
	Batch    []Message      // of an array
	Value    any            // the whole tree; nil when the class is NotJSON
	Problems []Problem
	IDAt     int // bytes before the id
}

// A ProblemKind is one way in which bytes are not proper JSON.
type ProblemKind string

// The problems a reading may find.
const (
	Syntax        ProblemKind = "syntax"
	Duplicate     ProblemKind = "duplicate property"
	BadUTF8       ProblemKind = "invalid UTF-8"
	LoneSurrogate ProblemKind = "lone surrogate"
	Trailing      ProblemKind = "trailing data"
	BOM           ProblemKind = "byte order mark"
	TooLarge      ProblemKind = "too large to read"
	Cut           ProblemKind = "cut"
)

// ProblemKinds returns every kind of problem.
func ProblemKinds() []ProblemKind {
	return []ProblemKind{Syntax, Duplicate, BadUTF8, LoneSurrogate, Trailing, BOM, TooLarge, Cut}
}

// A Problem is one place where bytes are not proper JSON.
type Problem struct {
	Kind    ProblemKind
	Pointer string // JSON pointer to the value or member
	Offset  int64  // bytes before it, or before its end
	Text    string // the problem, for people
}

// Has reports whether a problem of that kind was found.
func (m Message) Has(kind ProblemKind) bool {
	return slices.ContainsFunc(m.Problems, func(p Problem) bool { return p.Kind == kind })
}

// Defect says what is wrong with bytes that are no proper JSON, and where: the first problem.
func (m Message) Defect() string {
	if len(m.Problems) == 0 {
		return ""
	}
	return fmt.Sprintf("%s at byte %d", m.Problems[0].Text, m.Problems[0].Offset)
}

// At returns the value at a JSON pointer. The empty pointer is the whole
// message.
func (m Message) At(pointer string) (any, bool) {
	if m.Class == NotJSON {
		return nil, false
	}
	if pointer == "" {
		return m.Value, true
	}
	if pointer[0] != '/' {
		return nil, false
	}
	at := m.Value
	for token := range strings.SplitSeq(pointer[1:], "/") {
		switch v := at.(type) {
		case map[string]any:
			next, ok := v[Unescape(token)]
			if !ok {
				return nil, false
			}
			at = next
		case []any:
			i, ok := index(token, len(v))
			if !ok {
				return nil, false
			}
			at = v[i]
		default:
			return nil, false
		}
	}
	return at, true
}

// Unescape is the name that a part of a JSON pointer stands for.
func Unescape(token string) string {
	if !strings.Contains(token, "~") {
		return token
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// Escape writes a name as a part of a JSON pointer.
func Escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// index reads an array index as RFC 6901 writes it: no sign, no leading zero.
func index(token string, length int) (int, bool) {
	i, err := strconv.Atoi(token)
	return i, integer(token) && err == nil && i < length
}

// Responds reports whether a message is meant as the answer to a request: a result, an error,
// or a response that lacks both, as a server in JavaScript writes it for an undefined result.
func (m Message) Responds() bool {
	switch m.Class {
	case Result, Error:
		return true
	case NotAMessage:
		_, marked := m.Members["jsonrpc"]
		_, asks := m.Members["method"]
		return marked && m.HasID && !asks
	case NotJSON, Request, Notification, Batch:
	}
	return false
}

// classify sets the fields of a message from the members of its object.
func classify(m *Message) {
	_, hasResult := m.Members["result"]
	failure, hasError := m.Members["error"]
	_, m.HasID = m.Members["id"]
	method, hasMethod := m.Members["method"].(string)
	m.Method = method
	switch {
	case hasMethod && m.HasID:
		m.Class = Request
	case hasMethod:
		m.Class = Notification
	case hasError && !(failure == nil && hasResult):
		m.Class = Error
	case hasResult:
		m.Class = Result
	default:
		m.Class = NotAMessage
	}
}
