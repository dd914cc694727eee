package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

const (
	modern = "2026-07-28"
	clause = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
)

func revisions() []string {
	return []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", modern}
}

func made(t *testing.T, o server.Options) *server.Server {
	t.Helper()
	s, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A peer is a client over stdio that sees every byte.
type peer struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string // closed at the end of stdout
	code  chan int
	term  chan struct{}
}

func newPeer(t *testing.T, s *server.Server) *peer {
	t.Helper()
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	p := &peer{t: t, in: in, lines: make(chan string, 4096), code: make(chan int, 1), term: make(chan struct{})}
	go func() {
		defer close(p.lines)
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			p.lines <- scanner.Text()
		}
	}()
	ctx, kill := context.WithCancel(t.Context())
	go func() {
		code := s.ServeStdio(ctx, p.term, stdin, stdout, io.Discard)
		_ = stdout.Close()
		p.code <- code
	}()
	t.Cleanup(func() {
		kill()
		_ = in.Close()
		_ = out.Close()
	})
	return p
}

func (p *peer) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// next returns the next line, or "" at the end.
func (p *peer) next() string { return <-p.lines }

// ask sends a line and describes the messages that come back in few words. When the
// wanted number of messages has come it sends the barrier, and ends with the answer to
// the barrier.
func (p *peer) ask(line, barrier string, wanted int) string {
	p.t.Helper()
	p.send(line)
	var told []string
	for {
		if len(told) == wanted {
			p.send(barrier)
		}
		got := p.next()
		if got == "" {
			return strings.Join(append(told, "end"), ", ")
		}
		if strings.Contains(got, `"barrier"`) {
			return strings.Join(told, ", ")
		}
		told = append(told, tell(got))
	}
}

// open makes the handshake of a revision; the modern one has none.
func (p *peer) open(revision string) {
	p.t.Helper()
	if revision == modern {
		return
	}
	p.send(hello(revision))
	if got := p.next(); !strings.Contains(got, `"protocolVersion":"`+revision+`"`) {
		p.t.Fatalf("initialize was answered by %s", got)
	}
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func hello(revision string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},`+
		`"clientInfo":{"name":"peer","version":"1"}}}`, revision)
}

// request writes a valid request of a revision. The params are the members without
// braces.
func request(revision, id, method, params string) string {
	if revision == modern {
		params = strings.Trim(params+","+clause, ",")
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, params)
}

func barrier(revision string) string {
	return request(revision, `"barrier"`, "prompts/get", `"name":"test_simple_prompt"`)
}

// tell describes a message: its id, and its error code or the names of the members of
// its result.
func tell(line string) string {
	var list []json.RawMessage
	if json.Unmarshal([]byte(line), &list) == nil {
		var all []string
		for _, one := range list {
			all = append(all, tell(string(one)))
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Result map[string]any  `json:"result"`
		Error  *struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		return "no JSON: " + line
	}
	who := "id " + string(m.ID)
	if m.ID == nil {
		who = "no id"
	}
	switch {
	case m.Method != "":
		return m.Method
	case m.Error != nil:
		return fmt.Sprintf("%s %d", who, m.Error.Code)
	case m.Result["isError"] == true:
		return who + " tool error"
	default:
		return who + " ok"
	}
}

// result returns the result of an answer.
func result(t *testing.T, line string) map[string]any {
	t.Helper()
	var m struct {
		Result map[string]any `json:"result"`
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil || m.Result == nil {
		t.Fatalf("this is no result: %s", line)
	}
	return m.Result
}
