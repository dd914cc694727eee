package status_test

import (
	"net/http"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/core/http/status"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// TestCancelled: the exchange of a request that the client cancelled may end with status
// 202 and no body; any other has to be answered.
func TestCancelled(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		id     string // of the cancelled request
		blamed bool
	}{{`"slow"`, false}, {`"other"`, true}} {
		for _, c := range status.Cases() {
			if c.ID != "http/response-type" {
				continue
			}
			view, watcher, blamed := &probe.Connection{}, c.Watch(), false
			for i, f := range []frame.Frame{
				posted(1, `{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"slow"}}`),
				posted(2, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+row.id+`}}`),
				accepted(2), accepted(1),
			} {
				f.Seq = i + 1
				blamed = blamed || view.See(probe.Seen{Frame: f}).ShownTo(watcher).Violation() != nil
			}
			if blamed != row.blamed {
				t.Errorf("%s is cancelled: blamed %t", row.id, blamed)
			}
		}
	}
}

func posted(exchange int, text string) frame.Frame {
	f := frame.New(frame.Sent, frame.KindMessage, []byte(text))
	f.Exchange, f.HTTP = exchange, &frame.HTTP{Method: http.MethodPost}
	return f
}

// accepted is a head with status 202.
func accepted(exchange int) frame.Frame {
	f := frame.New(frame.Received, frame.KindHead, nil)
	f.Exchange, f.HTTP = exchange, &frame.HTTP{Status: http.StatusAccepted, Header: http.Header{}}
	return f
}
