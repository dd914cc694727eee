package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"unicode/utf16"
)

// leaks are the ways to write a secret in a text. Each gives one piece per character, so
// that tests can look for parts of secrets too.
var leaks = []struct {
	name  string
	piece func(i int, c rune) string
}{
	{"plain", func(_ int, c rune) string { return string(c) }},
	{"JSON", func(_ int, c rune) string { return jsonPiece(c) }},
	{"JSON, / escaped", func(_ int, c rune) string { return strings.ReplaceAll(jsonPiece(c), "/", `\/`) }},
	{`\u`, func(_ int, c rune) string { return codeUnits(c, "%04x") }},
	{`\U`, func(_ int, c rune) string { return codeUnits(c, "%04X") }},
	{"mixed", func(i int, c rune) string {
		switch {
		case i%3 == 0 || c > 0x7e:
			return codeUnits(c, "%04x")
		case i%3 == 1:
			return strings.ReplaceAll(jsonPiece(c), "/", `\/`)
		}
		return jsonPiece(c)
	}},
	{"JSON in JSON", func(_ int, c rune) string {
		inner, _ := json.Marshal(jsonPiece(c))
		return string(inner[1 : len(inner)-1])
	}},
	{"path", func(_ int, c rune) string { return strings.ReplaceAll(url.PathEscape(string(c)), "%2F", "/") }},
	{"query", func(_ int, c rune) string { return url.QueryEscape(string(c)) }},
	{"query, lower case", func(_ int, c rune) string { return lowerHex(url.QueryEscape(string(c))) }},
	{"hexadecimal", func(_ int, c rune) string { return fmt.Sprintf("%x", string(c)) }},
	{"hexadecimal in capitals", func(_ int, c rune) string { return fmt.Sprintf("%X", string(c)) }},
	{"all of it in percent", func(i int, c rune) string {
		var b strings.Builder
		for _, each := range []byte(string(c)) {
			fmt.Fprintf(&b, []string{"%%%02x", "%%%02X"}[i%2], each)
		}
		return b.String()
	}},
}

// encodings are the variants of base64.
var encodings = []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding}

func jsonPiece(c rune) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(string(c)) // writing to memory cannot fail
	return strings.TrimSuffix(b.String()[1:], "\"\n")
}

func codeUnits(c rune, hex string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune{c}) {
		fmt.Fprintf(&b, `\u`+hex, unit)
	}
	return b.String()
}

func lowerHex(s string) string {
	parts := strings.Split(s, "%")
	for i := 1; i < len(parts); i++ {
		parts[i] = strings.ToLower(parts[i][:2]) + parts[i][2:]
	}
	return strings.Join(parts, "%")
}

func pieces(secret string, piece func(int, rune) string) []string {
	var all []string
	for _, c := range secret {
		all = append(all, piece(len(all), c))
	}
	return all
}

// A leaker writes its secrets into every answer, each time another secret in another
// form at another place.
type leaker struct {
	secrets []string
	frame   int // the limit of one frame
	turn    atomic.Int64
}

// next gives the next leak, ready to stand inside a JSON string.
func (l *leaker) next() string {
	n := int(l.turn.Add(1))
	return strings.Repeat("-", n*11%140) + strings.Join(l.form(n, true), "") + strings.Repeat("~", n/2*13%60)
}

// late is a leak behind so much text that the limit of a frame cuts it; before is the
// number of bytes of the frame before it.
func (l *leaker) late(before int) string {
	n := int(l.turn.Add(1))
	form := l.form(n, true)
	return strings.Repeat("-", max(0, l.frame-before-len(strings.Join(form[:atCut(n)], "")))) + strings.Join(form, "")
}

// said is the next leak outside of JSON.
func (l *leaker) said() string { return strings.Join(l.form(int(l.turn.Add(1)), false), "") }

// atCut is how many characters of a secret remain at a cut: too many to be shown, and
// too few to recognize the secret.
func atCut(n int) int { return longestPart + 2 + n%4 }

func (l *leaker) form(n int, inJSON bool) []string {
	secret := l.secrets[n%len(l.secrets)]
	switch form := n / len(l.secrets) % (len(leaks) + 2); {
	case form == len(leaks):
		before, after := strings.Repeat("u", n/5%4)+":", strings.Repeat("z", n%3)
		return strings.Split(encodings[n/7%len(encodings)].EncodeToString([]byte(before+secret+after)), "")
	case form == len(leaks)+1:
		return strings.Split(strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte("user:"+secret)), "/", `\/`), "")
	case leaks[form].name == "plain" && inJSON:
		return pieces(secret, leaks[1].piece)
	default:
		return pieces(secret, leaks[form].piece)
	}
}

// answer is the text that answers a message; empty for a message without an answer.
func (l *leaker) answer(line []byte) string {
	var m struct {
		ID     json.RawMessage
		Method string
		Params map[string]any
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"%s"}}`, l.next())
	}
	if m.ID == nil || m.Method == "" {
		return ""
	}
	start := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,`, m.ID)
	body := fmt.Sprintf(`"error":{"code":"%s","message":"%s","data":{"%s":1}}`, l.next(), l.next(), l.next())
	switch m.Method {
	case "initialize":
		body = fmt.Sprintf(`"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{},"completions":{}},`+
			`"serverInfo":{"name":"%s","version":"%s"}}`, l.next(), l.next())
	case "ping":
		body = fmt.Sprintf(`"result":{"_meta":"%s"}`, l.next())
	case "tools/list":
		body = fmt.Sprintf(`"result":{"tools":[{"name":"look","title":["%s"],"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},`+
			`{"name":"%s","inputSchema":{"type":"%s"},"annotations":{"title":5,"readOnlyHint":"%s"}}]}`, l.next(), l.next(), l.next(), l.next())
	case "tools/call":
		if m.Params["name"] != "look" {
			body = `"result":{"content":"`
			return start + body + l.late(len(start+body)) + `"}}`
		}
		body = fmt.Sprintf(`"result":{"content":[{"type":"text","text":"%s"},{"type":"%s"},{"type":"image","data":"%s","mimeType":"%s"}],"isError":"%s"}`,
			l.next(), l.next(), l.next(), l.next(), l.next())
	case "prompts/list":
		body = fmt.Sprintf(`"result":{"prompts":[{"name":"%s","arguments":"%s"}]}`, l.next(), l.next())
	case "resources/list":
		body = fmt.Sprintf(`"result":{"resources":[{"uri":"%s","name":{"%s":"%s"}}]}`, l.next(), l.next(), l.next())
	case "prompts/get", "resources/read", "completion/complete", "logging/setLevel":
		body = `"error":{"code":1,"message":"`
		body += l.late(len(start+body)) + `"}`
	}
	return start + body + "}"
}

// process serves stdio, writes secrets to stderr and to stdout, and sometimes ends in
// the middle of one.
func (l *leaker) process(in io.Reader, out, errw io.Writer) int {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 1<<24)
	for lines := 1; scanner.Scan(); lines++ {
		_, _ = fmt.Fprintln(errw, "I was told", l.said())
		if text := l.answer(scanner.Bytes()); text != "" {
			_, _ = fmt.Fprintln(out, text)
		}
		if lines%3 == 0 {
			_, _ = fmt.Fprintln(out, l.said())
		}
		if !json.Valid(scanner.Bytes()) {
			n := int(l.turn.Add(1))
			_, _ = fmt.Fprint(out, strings.Join(l.form(n, false)[:atCut(n)], ""))
			return l.spill(errw)
		}
	}
	return l.spill(errw)
}

// spill writes so much to stderr that the kept end begins in the middle of a secret.
func (l *leaker) spill(errw io.Writer) int {
	n := int(l.turn.Add(1))
	long := l.form(n, false)
	left := strings.Join(long[len(long)-atCut(n):], "")
	filler := strings.Repeat("nothing to see here\n", 64<<10/20+1)
	last := "and last of all " + l.said() + "\n"
	_, _ = io.WriteString(errw, strings.Join(long, "")+filler[:64<<10-len(last)-len(left)]+last)
	return 3
}

// leak is the main function of the server.
func leak() {
	var l leaker
	if err := json.Unmarshal([]byte(os.Getenv("LEAKED")), &l.secrets); err != nil {
		os.Exit(1)
	}
	l.frame = leakedFrame
	l.turn.Store(int64(os.Getpid() % 1000))
	if len(os.Args) > 1 {
		for range 40 {
			fmt.Println(l.said())
			fmt.Fprintln(os.Stderr, l.said())
		}
		os.Exit(l.spill(os.Stderr))
	}
	os.Exit(l.process(os.Stdin, os.Stdout, os.Stderr))
}

// ServeHTTP serves Streamable HTTP, with leaks in headers and in bodies that are not
// JSON.
func (l *leaker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // a body that was cut gets an answer too
	w.Header().Set("X-Told", header(l.said()))
	w.Header().Set("Location", "/?told="+header(l.said()))
	text := l.answer(body)
	n := l.turn.Load()
	const page = "<p>no: "
	switch {
	case strings.Contains(string(body), "prompts/list"):
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, page+l.late(len(page))+"</p>")
	case r.Method != http.MethodPost || !json.Valid(body):
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, page+l.said()+"</p>")
	case text == "":
		w.WriteHeader(http.StatusAccepted)
	case n%2 == 0:
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, ": %s\n\nid: %s\ndata: %s\n\n", header(l.said()), header(l.said()), text)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
}

func header(s string) string { return strings.NewReplacer("\n", " ", "\r", " ").Replace(s) }
