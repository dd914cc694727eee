package connect_test

import (
	"net/http"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/memnet"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// The time that a document may take begins when its request has its turn: before that it is
// the kit's own limit that keeps the request back.
func TestDocumentsAtAPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own := memnet.Listen(netip.MustParseAddrPort("127.0.0.1:8080"))
		server := &http.Server{Handler: http.NotFoundHandler()}
		go server.Serve(own)
		defer server.Close()
		way := connect.Way{Transport: requirements.HTTP, URL: "http://127.0.0.1:8080/mcp", Pool: wire.NewPool(wire.Limits{})}
		way.Pool.Reroute(func(otherwise wire.Dialing) wire.Dialing { return own.Dial(otherwise) })
		way.Pace = wire.NewPace(2)
		d := connect.New(way, 1<<20, func(text string) string { return text })
		docs := d.Documents(config.Config{}, func() func(probe.Seen) { return nil })
		for range 2 {
			got, err := docs.Get(t.Context(), docs.Capabilities, time.Second/4)
			if err != nil || got.Late || got.Status != http.StatusNotFound {
				t.Errorf("status %d, late %t, %v", got.Status, got.Late, err)
			}
		}
	})
}
