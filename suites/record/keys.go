package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// The names of transports, as package requirements has them.
const (
	stdio = "stdio"
	sse   = "sse"
)

const sessionHeader = "Mcp-Session-Id"

func headerOf(e entry, name string) string {
	if e.HTTP == nil {
		return ""
	}
	return e.HTTP.Header.Get(name)
}

// A key is a way to recognise a sent frame.
type key struct {
	text    string
	foreign bool // it finds frames for others, too, which stay for whom they are
	refused bool // it finds only what was refused
}

// keys are the ways to recognise a sent frame, the surest first: by its bytes without what
// differs from connection to connection, without all that the kit may have made up, and by
// its method alone; of the same case, or of any case of its column. The last key finds the
// same request in all columns: what a server says at one revision may be wrong at another,
// but what it refuses, it may refuse everywhere.
func keys(way string, e entry, sessions map[string]bool) []key {
	text := e.Text + string(e.Bytes)
	exact, loose := without(text, false), without(text, true)
	about := aboutOf(text)
	address := ""
	if e.HTTP != nil {
		address = e.HTTP.Method
		if way != sse {
			address += " " + e.HTTP.Path
		}
		about = address + " " + about
	}
	column, _, _ := strings.Cut(e.For, " ")
	of := func(parts ...string) string { return strings.Join(append([]string{way}, parts...), "\n") }
	return []key{
		{text: of(e.For, "exact", address, headers(e.HTTP, sessions), exact)},
		{text: of(e.For, "loose", address, names(e.HTTP), loose)},
		{text: of(column, "any exact", address, headers(e.HTTP, sessions), exact), foreign: true},
		{text: of(e.For, "about", about)},
		{text: of(column, "any loose", address, names(e.HTTP), loose), foreign: true},
		{text: of(column, "any about", about), foreign: true},
		{text: of("everywhere", about, params(text)), foreign: true, refused: true},
	}
}

// params are the params of a request without their metadata, which depends on the revision.
func params(text string) string {
	var m struct{ Params map[string]any }
	_ = json.Unmarshal([]byte(text), &m) // what cannot be read has none
	delete(m.Params, "_meta")
	if len(m.Params) == 0 {
		return ""
	}
	written, _ := json.Marshal(m.Params) // what was read can be written
	return string(written)
}

// names writes the names of the headers of a request.
func names(of *frame.HTTP) string {
	if of == nil {
		return ""
	}
	return strings.Join(slices.Sorted(maps.Keys(of.Header)), "\n")
}

// headers writes the headers of a request that may change its answer.
func headers(of *frame.HTTP, sessions map[string]bool) string {
	if of == nil {
		return ""
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(of.Header)) {
		values := strings.Join(of.Header[name], "\n")
		if http.CanonicalHeaderKey(name) == sessionHeader && sessions[values] {
			values = "one that the server gave"
		}
		b.WriteString(name + ": " + values + "\n")
	}
	return b.String()
}

// aboutOf is what a message is about: its method and the name in its params.
func aboutOf(text string) string {
	var m struct {
		Method string
		Params struct{ Name, URI string }
	}
	_ = json.Unmarshal([]byte(text), &m) // what cannot be read is about nothing
	return strings.Join([]string{m.Method, m.Params.Name, m.Params.URI, kindOf(text)}, " ")
}

// The kinds of messages.
const (
	asking  = "" // a request or a notification
	success = "result"
	refusal = "error"
	unclear = "unclear" // an array of answers, or nothing of all this
)

func kindOf(text string) string {
	var m struct{ Method, Result, Error json.RawMessage }
	read := json.Unmarshal([]byte(text), &m)
	switch {
	case m.Method != nil, read != nil && strings.Contains(text, `"method"`):
		return asking
	case m.Result != nil:
		return success
	case m.Error != nil:
		return refusal
	default:
		return unclear
	}
}

// A token is a value in a JSON text that tells one message from another.
type token struct {
	path       string // of its member
	start, end int    // of the value in the text
}

// tokens finds the ids of messages, and what names a message by its id; where all are
// wanted, also every text but for what the message is about. It finds what stands before the
// first mistake.
func tokens(text string, all bool) []token {
	s := scanner{text: text, decoder: json.NewDecoder(strings.NewReader(text)), all: all}
	s.decoder.UseNumber()
	s.value("", 0)
	return s.found
}

type scanner struct {
	text    string
	decoder *json.Decoder
	all     bool
	found   []token
}

// deepest limits the levels of JSON that are looked into: a recording may come from anybody.
const deepest = 1000

// value reads one value, and reports false at the end of what can be read.
func (s *scanner) value(path string, depth int) bool {
	start := s.decoder.InputOffset()
	t, err := s.decoder.Token()
	if err != nil || depth > deepest {
		return false
	}
	switch t := t.(type) {
	case json.Delim:
		for s.decoder.More() {
			below := path + "/"
			if t == '{' {
				name, err := s.decoder.Token()
				if err != nil {
					return false
				}
				text, _ := name.(string) // the decoder takes nothing else for a name
				below += text
			}
			if !s.value(below, depth+1) {
				return false
			}
		}
		_, err := s.decoder.Token()
		return err == nil
	default:
		from, end := int(start), int(s.decoder.InputOffset())
		from += len(s.text[from:end]) - len(strings.TrimLeft(s.text[from:end], " \t\r\n:,"))
		_, isText := t.(string)
		if s.wants(path, isText) {
			s.found = append(s.found, token{path, from, end})
		}
		return true
	}
}

func (s *scanner) wants(path string, isText bool) bool {
	return isID(path) || refers(path) || s.all && isText && path != "/method" && path != "/params/name"
}

// isID reports whether a member is the id of a message, which may be in an array.
func isID(path string) bool { return path == "/id" || path == "//id" }

// refers reports whether a member names a request.
func refers(path string) bool {
	name := path[strings.LastIndex(path, "/")+1:]
	return name == progressToken || name == "requestId" || name == subscriptionID
}

// The members by which a message of the server names the request that it belongs to.
const (
	progressToken  = "progressToken"
	subscriptionID = "subscriptionId"
)

// named are the values of the members with a name, as JSON text.
func named(text, name string) []string {
	if !strings.Contains(text, name) {
		return nil
	}
	var values []string
	for _, t := range tokens(text, true) {
		if strings.HasSuffix(t.path, "/"+name) {
			values = append(values, text[t.start:t.end])
		}
	}
	return values
}

// without is a text without the ids of its messages, or also without the texts in which
// messages of one kind may differ: all that are long enough to be made up.
func without(text string, loosely bool) string {
	var b strings.Builder
	at := 0
	for _, t := range tokens(text, loosely) {
		value := text[t.start:t.end]
		counted := strings.Trim(value, "0123456789") == ""
		if !loosely && !counted || loosely && !counted && len(value) < madeUp {
			continue
		}
		b.WriteString(text[at:t.start])
		if !counted {
			b.WriteString(`""`)
		}
		at = t.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// madeUp is the least length of a text that the kit may have made up, with its quotes.
const madeUp = 10

// idsOf are the ids of the messages in a text, as JSON text, without null: an answer with
// the id null may belong to any message that could not be read.
func idsOf(text string) []string {
	if !strings.Contains(text, `"id"`) {
		return nil
	}
	var ids []string
	for _, t := range tokens(text, false) {
		if id := text[t.start:t.end]; isID(t.path) && id != "null" {
			ids = append(ids, id)
		}
	}
	return ids
}

// differences gives, for each token of a recorded text, the value that another text of the
// same form has in its place, where that differs.
func differences(recorded, now string) (ids, texts map[string]string) {
	ids, texts = map[string]string{}, map[string]string{}
	before, after := tokens(recorded, true), tokens(now, true)
	if len(before) != len(after) {
		before, after = tokens(recorded, false), tokens(now, false)
	}
	for i := range min(len(before), len(after)) {
		old, fresh := recorded[before[i].start:before[i].end], now[after[i].start:after[i].end]
		switch {
		case old == fresh || before[i].path != after[i].path:
		case len(old) >= madeUp && len(fresh) >= madeUp && !digits(old) && !digits(fresh):
			texts[old[1:len(old)-1]] = fresh[1 : len(fresh)-1]
		default:
			ids[old] = fresh
		}
	}
	return ids, texts
}

// digits reports whether a JSON text is a number, or a text of digits.
func digits(value string) bool { return strings.Trim(value, `"0123456789`) == "" }

// renewed is a text of the server with the ids and texts of the replay.
func renewed(text string, ids, texts map[string]string) string {
	text = replaced(text, texts)
	if len(ids) == 0 {
		return text
	}
	var b bytes.Buffer
	at := 0
	for _, t := range tokens(text, true) {
		if fresh, ok := ids[text[t.start:t.end]]; ok && (isID(t.path) || refers(t.path)) {
			b.WriteString(text[at:t.start])
			b.WriteString(fresh)
			at = t.end
		}
	}
	b.WriteString(text[at:])
	return b.String()
}

// replaced is a text in which each text that is a key has its value in its place. Of keys
// that begin alike the longest counts, and what was put in stays as it is.
func replaced(text string, by map[string]string) string {
	if len(by) == 0 {
		return text
	}
	longest := slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, old := range longest {
		pairs = append(pairs, old, by[old])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
