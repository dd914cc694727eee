package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/config/redact"
	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// short is the length below which the kit looks for no secret in the server's messages.
const short = 8

// A veil takes secrets out of what is recorded.
type veil struct {
	standIns *strings.Replacer
	rest     *redact.Redactor
}

// newVeil gives each secret a text that stands for it, and hides what is left of secrets in
// other forms. What comes from the environment counts as a secret, also where it cannot be
// one: such values stay, since a configuration would not be read with another text there.
func newVeil(secrets []string) veil {
	longest := slices.DeleteFunc(slices.Clone(secrets), harmless)
	slices.SortFunc(longest, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for i, secret := range longest {
		pairs = append(pairs, secret, standIn(i, secret))
	}
	return veil{strings.NewReplacer(pairs...), redact.New(longest)}
}

// harmless reports whether a value is a number, a duration, a flag or an address of this
// machine.
func harmless(value string) bool {
	if _, err := strconv.ParseFloat(value, 64); err == nil && len(value) < short {
		return true
	}
	if _, err := time.ParseDuration(value); err == nil {
		return true
	}
	at, err := url.Parse(value)
	if err == nil && at.Host != "" && at.User == nil && at.RawQuery == "" {
		ip := net.ParseIP(at.Hostname())
		return at.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	}
	return value == "true" || value == "false"
}

// standIn stands for a secret, and has its form as far as a configuration asks for it.
func standIn(i int, secret string) string {
	name := fmt.Sprintf("recorded-secret-%03d", i)
	scheme, _, _ := strings.Cut(secret, "://")
	switch at, err := url.Parse(secret); {
	case len(secret) < short:
		return fmt.Sprintf("~%03d", i)
	case err == nil && at.Host != "" && (scheme == "http" || scheme == "https"):
		return scheme + "://" + name + ".invalid"
	}
	return name
}

func (v veil) text(s string) string {
	if s == "" {
		return s
	}
	return v.rest.Hide(v.standIns.Replace(s))
}

func (v veil) texts(all []string) []string {
	changed := slices.Clone(all)
	for i, s := range changed {
		changed[i] = v.text(s)
	}
	return changed
}

// json changes every text of a JSON value.
func (v veil) json(raw []byte) ([]byte, error) {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return json.Marshal(v.value(value))
}

func (v veil) value(value any) any {
	switch value := value.(type) {
	case string:
		return v.text(value)
	case []any:
		for i := range value {
			value[i] = v.value(value[i])
		}
	case map[string]any:
		for _, name := range slices.Collect(maps.Keys(value)) {
			kept := v.value(value[name])
			delete(value, name)
			value[v.text(name)] = kept
		}
	}
	return value
}

// entry is an entry without secrets. The entry itself stays as it is: its parts belong to
// frames.
func (v veil) entry(e entry) entry {
	e.Text, e.Question, e.Error = v.text(e.Text), v.text(e.Question), v.text(e.Error)
	if e.Bytes != nil {
		e.Bytes = []byte(v.text(string(e.Bytes)))
	}
	if e.HTTP != nil {
		header := http.Header{}
		for name, values := range e.HTTP.Header {
			header[name] = v.texts(values)
		}
		e.HTTP = &frame.HTTP{Method: e.HTTP.Method, Path: v.text(e.HTTP.Path), Status: e.HTTP.Status, Proto: e.HTTP.Proto, Header: header}
	}
	if e.SSE != nil {
		event := *e.SSE
		event.ID, event.Event = v.text(event.ID), v.text(event.Event)
		event.Data, event.Comments, event.Lines = v.texts(event.Data), v.texts(event.Comments), v.texts(event.Lines)
		e.SSE = &event
	}
	if e.End != nil {
		end := *e.End
		end.Err, end.Stderr, end.Unterminated = v.text(end.Err), v.text(end.Stderr), []byte(v.text(string(end.Unterminated)))
		e.End = &end
	}
	return e
}
