package frame

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// The limits of one reading; jsontext itself sets the depth.
const (
	maxValues   = 1 << 21
	maxProblems = 64
)

var (
	errTooMany = errors.New("more values than the reader takes")
	errTwice   = errors.New("a property stands more than once")
)

// Read reads bytes as a JSON-RPC message. It reads good bytes once, strictly.
// It reads others again, leniently, to find every problem and still return a
// tree.
func Read(raw []byte) Message {
	text, marked := bytes.CutPrefix(raw, []byte("\xef\xbb\xbf"))
	m, err := read(text, true)
	if err != nil && !errors.Is(err, errTooMany) {
		m, err = read(text, false)
	}
	if err != nil {
		m = Message{Class: NotJSON, Problems: append(m.Problems, failure(err))}
	}
	if marked {
		mark := Problem{Kind: BOM, Text: "the message begins with a byte order mark"}
		for i := range m.Problems {
			m.Problems[i].Offset += int64(len(raw) - len(text))
		}
		m.Problems = append([]Problem{mark}, m.Problems...)
		m.IDAt += len(raw) - len(text)
		for i := range m.Batch {
			m.Batch[i].IDAt += len(raw) - len(text)
		}
	}
	return m
}

//nolint:gochecknoglobals // a decoder is most of what a short text takes
var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

func read(raw []byte, strict bool) (Message, error) {
	dec, _ := decoders.Get().(*jsontext.Decoder)
	defer func() {
		dec.Reset(strings.NewReader("")) // lets go of raw
		decoders.Put(dec)
	}()
	// The reader itself finds duplicate names.
	dec.Reset(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(!strict))
	r := reader{raw: raw, strict: strict, dec: dec}
	m, err := r.message()
	if err == nil {
		if rest := bytes.TrimLeft(raw[r.dec.InputOffset():], " \t\r\n"); len(rest) > 0 {
			err = r.trailing(&m, len(raw)-len(rest))
		}
	}
	m.Problems = r.problems
	return m, err
}

func failure(err error) Problem {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, errTooMany):
		return Problem{Kind: TooLarge, Text: err.Error()}
	case !ok:
		return Problem{Kind: Syntax, Text: "no value at all"} // io.EOF before any token
	}
	p := Problem{Kind: Syntax, Pointer: string(syntactic.JSONPointer), Offset: syntactic.ByteOffset, Text: "not JSON"}
	if syntactic.Err != nil {
		p.Text = syntactic.Err.Error()
	}
	// jsontext exports no error for this; a wrong guess only gives the problem
	// another name.
	if strings.Contains(p.Text, "max depth") {
		p.Kind, p.Pointer = TooLarge, ""
	}
	return p
}

// A reader builds the tree of one value and notes its problems.
type reader struct {
	raw      []byte
	strict   bool
	dec      *jsontext.Decoder
	values   int
	idAt     int // of the last message
	problems []Problem
}

func (r *reader) note(kind ProblemKind, offset int64, format string, args ...any) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, Problem{Kind: kind, Pointer: string(r.dec.StackPointer()),
			Offset: offset, Text: fmt.Sprintf(format, args...)})
	}
}

// trailing judges bytes after the first value. After an object they are a
// second message on the line; "2026 server started" is not JSON at all.
func (r *reader) trailing(m *Message, offset int) error {
	if r.strict || m.Members == nil && m.Class != Batch {
		return &jsontext.SyntacticError{ByteOffset: int64(offset), Err: errors.New("unexpected data after the value")}
	}
	r.note(Trailing, int64(offset), "%d bytes follow the message", len(r.raw)-offset)
	r.problems[len(r.problems)-1].Pointer = ""
	return nil
}

func (r *reader) message() (Message, error) {
	var m Message
	var err error
	switch r.dec.PeekKind() {
	case '{':
		m.Members, err = r.object(&m.ID)
		m.Value, m.IDAt = m.Members, r.idAt
		classify(&m)
	case '[':
		m.Class = Batch
		m.Value, err = r.array(&m.Batch)
	default:
		m.Class = NotAMessage
		m.Value, err = r.value()
	}
	return m, err
}

func (r *reader) value() (any, error) {
	if r.values++; r.values > maxValues {
		return nil, errTooMany
	}
	switch r.dec.PeekKind() {
	case '{':
		return r.object(nil)
	case '[':
		return r.array(nil)
	case '"':
		return r.text()
	default:
		return r.scalar()
	}
}

// scalar reads a number, a boolean or null.
func (r *reader) scalar() (any, error) {
	token, err := r.dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '0':
		return json.Number(token.String()), nil
	case 't', 'f':
		return token.Bool(), nil
	default:
		return nil, nil
	}
}

// object reads an object; a non-nil id receives the text of the member id.
func (r *reader) object(id *string) (map[string]any, error) {
	if _, err := r.dec.ReadToken(); err != nil {
		return nil, err
	}
	members := map[string]any{}
	for r.dec.PeekKind() != '}' {
		name, err := r.text()
		if err != nil {
			return nil, err
		}
		start := r.dec.InputOffset()
		if _, twice := members[name]; twice {
			if r.strict {
				return nil, errTwice
			}
			r.note(Duplicate, start, "property %q stands more than once", name)
		}
		value, err := r.value()
		if err != nil {
			return nil, err
		}
		members[name] = value
		if id != nil && name == "id" {
			*id = string(bytes.TrimLeft(r.raw[start:r.dec.InputOffset()], " \t\r\n:"))
			r.idAt = int(r.dec.InputOffset()) - len(*id)
		}
	}
	_, err := r.dec.ReadToken()
	return members, err
}

// array reads an array; a non-nil batch receives its elements as messages that
// share the tree.
func (r *reader) array(batch *[]Message) ([]any, error) {
	if _, err := r.dec.ReadToken(); err != nil {
		return nil, err
	}
	elements := []any{}
	for r.dec.PeekKind() != ']' {
		if batch == nil {
			value, err := r.value()
			if err != nil {
				return nil, err
			}
			elements = append(elements, value)
			continue
		}
		m, err := r.element()
		if err != nil {
			return nil, err
		}
		*batch = append(*batch, m)
		elements = append(elements, m.Value)
	}
	_, err := r.dec.ReadToken()
	return elements, err
}

// element reads one element of a batch. An array within the array is no batch.
// A Message counts as many values, since it takes their room.
func (r *reader) element() (Message, error) {
	if r.values += 8; r.values > maxValues {
		return Message{}, errTooMany
	}
	if r.dec.PeekKind() == '{' {
		return r.message()
	}
	value, err := r.value()
	return Message{Class: NotAMessage, Value: value}, err
}

// text reads a string. The lenient reader looks at the raw bytes, since the
// decoder silently replaces invalid ones.
func (r *reader) text() (string, error) {
	raw, err := r.dec.ReadValue()
	switch {
	case err != nil:
		return "", err
	case raw.Kind() != '"':
		return "", &jsontext.SyntacticError{ByteOffset: r.dec.InputOffset(), Err: errors.New("property name is not a string")}
	case r.strict && bytes.IndexByte(raw, '\\') < 0:
		return sharedString(raw[1 : len(raw)-1]), nil
	case r.strict:
		unquoted, err := jsontext.AppendUnquote(nil, raw)
		return string(unquoted), err
	}
	if !utf8.Valid(raw) {
		r.note(BadUTF8, r.dec.InputOffset(), "a string holds bytes that are not UTF-8")
	}
	if loneSurrogate(raw) {
		r.note(LoneSurrogate, r.dec.InputOffset(), "a string holds half a surrogate pair")
	}
	// The error repeats the two problems above; the string has replacement
	// characters.
	unquoted, _ := jsontext.AppendUnquote(nil, raw)
	return string(unquoted), nil
}

// sharedString turns bytes into a string. Strings of nearly every message are shared.
func sharedString(text []byte) string {
	const longest = len("structuredContent")
	if len(text) <= longest {
		if s, ok := commonStrings[string(text)]; ok {
			return s
		}
	}
	return string(text)
}

//nolint:gochecknoglobals // nobody changes it
var commonStrings = func() map[string]string {
	all := map[string]string{}
	for _, s := range []string{
		"2.0", "_meta", "arguments", "content", "data", "description", "error", "id", "jsonrpc", "message", "method", "name", "object",
		"params", "properties", "required", "result", "string", "structuredContent", "text", "title", "type",
	} {
		all[s] = s
	}
	return all
}()

// loneSurrogate reports whether a JSON string escapes half of a surrogate
// pair without the other half.
func loneSurrogate(raw []byte) bool {
	high := false
	for i := 0; i < len(raw); i++ {
		escaped := raw[i] == '\\' && i+1 < len(raw)
		if !escaped || raw[i+1] != 'u' || i+5 >= len(raw) {
			if high {
				return true
			}
			if escaped {
				i++
			}
			continue
		}
		digits := strings.ToLower(string(raw[i+2 : i+4]))
		isHigh := digits >= "d8" && digits <= "db"
		isLow := digits >= "dc" && digits <= "df"
		if high != isLow {
			return true
		}
		high = isHigh
		i += 5
	}
	return high
}
