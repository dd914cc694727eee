// Package receiving holds the cases of the section on receiving messages for revisions
// without sessions: the streams that answer requests.
package receiving

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Cases returns the cases in the order of the section. The rule that no stream carries
// requests of the server is judged by jsonrpc/no-server-requests too.
func Cases() []suite.Case {
	return append(changeCases(), []suite.Case{
		{
			ID:     "http/stream-not-buffered",
			Title:  "a response that begins a stream carries the header X-Accel-Buffering: no",
			Checks: []requirements.ID{"http-sse-x-accel-buffering"},
			Fix:    "send the header X-Accel-Buffering: no with every event stream, so that proxies pass events on at once",
			Sees:   "a response that is a stream of events",
			Watch:  func() probe.Watcher { return probe.WatchFunc(notBuffered) },
		},
	}...)
}

const buffering = "X-Accel-Buffering"

// notBuffered passes over servers behind a proxy, because a proxy removes the header
// after it has obeyed it.
func notBuffered(s *probe.WatchedFrame) probe.Opinion {
	if s.Kind != frame.KindHead || s.HTTP == nil || s.Request.Method == "" || s.HTTP.Status >= 300 || !s.Streams() {
		return probe.Nothing()
	}
	if version, _ := s.Request.Meta(protocol.MetaVersion).(string); version != string(s.Revision) {
		return probe.Nothing()
	}
	given := s.HTTP.Header.Get(buffering)
	switch {
	case strings.EqualFold(strings.TrimSpace(given), "no"):
		return probe.Kept()
	case given == "" && proxied(s.Seen):
		return probe.Nothing()
	case given == "":
		return probe.Breaks("the answer to %s is an event stream without the header %s, want %s: no", s.Request.Method, buffering, buffering)
	}
	return probe.Breaks("the answer to %s is an event stream with the header %s: %s, want no", s.Request.Method, buffering, probe.Show(given))
}

func proxied(s probe.Seen) bool {
	header := s.HTTP.Header
	server := strings.ToLower(header.Get("Server"))
	return header.Get("Via") != "" || strings.Contains(server, "nginx") || strings.Contains(server, "openresty") ||
		!s.Survey.Local()
}
