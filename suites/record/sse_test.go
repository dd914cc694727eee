package record_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/record"
)

// Over HTTP+SSE nothing is sent where the server refused the stream, though it answered the
// same message on a stream that it did not refuse.
func TestRefusedStream(t *testing.T) {
	t.Parallel()
	const recorded = `{"recording":1}
{"at":1,"what":"open","conn":1,"way":"sse"}
{"at":2,"what":"sent","conn":1,"for":"r a","kind":"body","http":{"Method":"GET","Header":{"Origin":["http://evil.example"]}}}
{"at":1000000003,"what":"received","conn":1,"kind":"head","http":{"Status":403}}
{"at":1000000004,"what":"received","conn":1,"kind":"end","end":{"Err":"refused"}}
{"at":1000000005,"what":"open","conn":2,"way":"sse"}
{"at":1000000006,"what":"sent","conn":2,"for":"r a","kind":"body","http":{"Method":"GET","Header":{}}}
{"at":1000000007,"what":"received","conn":2,"kind":"event","text":"event: endpoint\ndata: /m","sse":{"Event":"endpoint","Data":["/m"]}}
{"at":1000000008,"what":"sent","conn":2,"for":"r a","exchange":1,"kind":"message","text":"{\"id\":1,\"method\":\"ping\"}","http":{"Method":"POST"}}
{"at":1000000009,"what":"received","conn":2,"kind":"message","text":"{\"id\":1,\"result\":{}}"}
`
	synctest.Test(t, func(t *testing.T) {
		recording, err := record.Read(strings.NewReader(recorded))
		if err != nil {
			t.Fatal(err)
		}
		l := look()
		l.Opening = func(h http.Header) frame.Outgoing { return frame.Outgoing{Method: http.MethodGet, Header: h} }
		for origin, want := range map[string][]string{
			"http://evil.example": {"", "end refused"},
			"":                    {"event: endpoint\ndata: /m", `{"id":7,"result":{}}`, "end closed by the kit", "end "},
		} {
			header := http.Header{}
			if origin != "" {
				header.Set("Origin", origin)
			}
			conn := recording.Dial("sse", l)
			_, err := conn.Send(t.Context(), frame.Outgoing{
				For: "r a", Method: http.MethodPost, Header: header, Text: `{"id":7,"method":"ping"}`,
			})
			if refused := origin != ""; refused != (err != nil) {
				t.Errorf("a message with the Origin %q: %v", origin, err)
			}
			time.Sleep(time.Second) // for the answer
			if err := conn.Close(t.Context()); err != nil {
				t.Error(err)
			}
			expect(t, rest(t, conn), want...)
		}
	})
}
