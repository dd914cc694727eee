package evidence_test

import (
	"net/http"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/evidence"
)

func TestAccessRefusal(t *testing.T) {
	t.Parallel()
	said := func(text string) frame.Frame { return frame.New(frame.Received, frame.KindMessage, []byte(text)) }
	head := func(status int) frame.Frame {
		f := frame.New(frame.Received, frame.KindHead, nil)
		f.HTTP = &frame.HTTP{Status: status}
		return f
	}
	challenged := func(challenge string) frame.Frame {
		f := head(403)
		f.HTTP.Header = http.Header{"Www-Authenticate": {challenge}}
		return f
	}
	refusal := func(code, text string) frame.Frame {
		return said(`{"jsonrpc":"2.0","id":1,"error":{"code":` + code + `,"message":"` + text + `"}}`)
	}
	for _, row := range []struct {
		name  string
		frame frame.Frame
		want  bool
	}{
		{"401", head(401), true}, {"429", head(429), true}, {"503", head(503), true},
		{"408", head(408), true}, {"502", head(502), true}, {"504", head(504), true},
		{"403 about the scope", challenged(`Bearer error="insufficient_scope", scope="tools"`), true},
		{"403 about something else", challenged(`Bearer realm="berths"`), false},
		{"quota, with a fraction", refusal("-32000.0", "Quota exceeded"), true}, {"params, with a fraction", refusal("-32602.0", "quota is bad"), false},
		{"400", head(400), false}, {"403", head(403), false}, {"404", head(404), false}, {"500", head(500), false}, {"200", head(200), false},
		{"quota", refusal("-32000", "Quota exceeded"), true}, {"rate", refusal("-32603", "rate limit reached, retry in 3 s"), true},
		{"too many", refusal("429", "Too Many Requests"), true}, {"throttled", refusal("-32050", "request throttled"), true},
		{"another", refusal("-32000", "no such berth"), false}, {"params", refusal("-32602", "quota is no integer"), false},
		{"a result", said(`{"jsonrpc":"2.0","id":1,"result":{"message":"rate limit"}}`), false},
		{"garbage", said("rate limit"), false},
		{"our own", frame.New(frame.Sent, frame.KindMessage, []byte(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"rate limit"}}`)), false},
	} {
		if how, got := evidence.AccessRefusal([]frame.Frame{said(`{"jsonrpc":"2.0","id":0,"result":{}}`), row.frame}, false); got != row.want {
			t.Errorf("%s: %t %q, want %t", row.name, got, how, row.want)
		}
	}
}
