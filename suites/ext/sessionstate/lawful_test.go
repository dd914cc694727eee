package sessionstate_test

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

type object = map[string]any

const twoCalls = `
roles:
  session-state:
    first: {tool: tool_1, arguments: {text: fog}}
    second: {tool: tool_0, arguments: {text: all}}
    expect: fog
`

// A pad is a small server whose tool_1 adds a text to a state, and whose tool_0 gives it. It
// shares no code with the reference server.
type pad struct {
	beside  bool // tokens stand beside the arguments, and beside the content
	held    bool // the state is held by the server, and the token is its number
	signed  bool // a token is base64 text with a signature behind a dot
	session bool // the token stands in a session object alone
	typed   bool // answers are structured content with one property
	renews  bool // a call that only reads gives a new token, and says that nothing has changed

	mu     sync.Mutex
	states map[string]string
}

func (p *pad) server() *fakeserver.Server {
	tools := fakeserver.Tools(2)
	if p.typed {
		for _, tool := range tools {
			tool["outputSchema"] = object{"type": "object", "properties": object{"notes": object{"type": "string"}}, "required": []any{"notes"}}
		}
	}
	return &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools", "ext:session_state"), Tools: tools,
		Answer: fakeserver.Answers{"tools/call": p.call},
	}
}

func (p *pad) call(r fakeserver.Request) any {
	name, _ := r.Params["name"].(string)
	if !strings.HasPrefix(name, "tool_") || len(name) > 6 {
		return &fakeserver.Error{Code: -32602, Message: "unknown tool"}
	}
	if !fakeserver.HasText(r) {
		return object{"isError": true, "content": fakeserver.Text("text is missing")["content"]}
	}
	state, ok := p.open(r.Params)
	if !ok {
		return object{"isError": true, "content": fakeserver.Text("This session_state is not one of ours.")["content"]}
	}
	arguments, _ := r.Params["arguments"].(object)
	if name == "tool_1" {
		state = strings.TrimSpace(state + " " + arguments["text"].(string))
	}
	result := fakeserver.Text(state)
	if p.typed {
		result = fakeserver.Text(fmt.Sprintf(`{"notes":%q}`, state))
		result["structuredContent"] = object{"notes": state}
	}
	if name == "tool_1" || p.renews && state != "" {
		p.put(result, p.seal(state), name == "tool_1")
	}
	return result
}

func (p *pad) put(result object, token string, changed bool) {
	switch {
	case p.beside:
		result["session_state"] = token
	case p.session:
		result["_meta"] = object{"session": object{"session_id": "s-1", "state": token, "created_at": "2026-08-20t10:01:00+02:00"}}
	default:
		result["_meta"] = object{"session_state": token, "state_changed": changed}
	}
}

func (p *pad) open(params object) (string, bool) {
	meta, _ := params["_meta"].(object)
	token, given := meta["session_state"]
	if p.beside {
		token, given = params["session_state"]
	}
	text, isText := token.(string)
	if !given || isText && text == "" {
		return "", true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	state, known := p.states[text]
	return state, known && isText
}

// seal gives a token; which ones were given is remembered in place of reading them.
func (p *pad) seal(state string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	token := base64.StdEncoding.EncodeToString([]byte(rand.Text() + state))
	switch {
	case p.held:
		token = rand.Text()
	case p.signed:
		mac := hmac.New(sha256.New, []byte("pad"))
		_, _ = fmt.Fprint(mac, token)
		token = strings.TrimRight(token, "=") + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
	if p.states == nil {
		p.states = map[string]string{}
	}
	p.states[token] = state
	return token
}

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ext-session-state", []lawful.Row{
		{Name: "tokens beside arguments and content", Config: twoCalls, Server: (&pad{beside: true}).server()},
		{Name: "tokens that name a state which the server holds", Config: twoCalls, Server: (&pad{held: true}).server()},
		{Name: "signed tokens", Config: twoCalls, Server: (&pad{signed: true}).server()},
		{Name: "a token in a session object alone", Config: twoCalls, Server: (&pad{session: true}).server()},
		{Name: "a token is renewed with each call", Config: twoCalls, Server: (&pad{renews: true}).server()},
		{Name: "structured content with one property", Config: twoCalls, Server: (&pad{typed: true}).server(),
			Judged: []string{"ext-session-state/continues"}},
		{Name: "claims session state, with no tool to show it", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "ext:session_state"), Tools: fakeserver.Tools(2),
		}},
	})
}
