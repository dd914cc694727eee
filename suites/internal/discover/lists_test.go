package discover_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/broken"
	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Lists that are never answered are waited for at the same time.
func TestSilentLists(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		silent := func(fakeserver.Request) any { return fakeserver.Silence{} }
		s := &fakeserver.Server{Capabilities: fakeserver.Offers("tools", "prompts", "resources"), Answer: fakeserver.Answers{
			"tools/list": silent, "prompts/list": silent, "resources/list": silent, "resources/templates/list": silent,
		}}
		began := time.Now()
		_, client, err := stdio(s).Survey(t.Context(), requirements.R20251125, &discover.Found{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = client.Close(t.Context()) }()
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("it took %s, want the time for one answer", took)
		}
	})
}

// A server that ignores requests while another one is open shows all its lists.
func TestListsOfABusyServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, err := broken.Find("one-at-a-time")
		if err != nil {
			t.Fatal(err)
		}
		l := look(requirements.Stdio, func(ctx context.Context) (probe.Conn, error) {
			return wire.DialStdio(ctx, target.Memory{Serve: s.Serve}, wire.Options{})
		})
		began := time.Now()
		got, client, err := l.Survey(t.Context(), requirements.R20251125, &discover.Found{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = client.Close(t.Context()) }()
		if len(got.Lists) != 3 {
			t.Errorf("%d lists, want 3: %v", len(got.Lists), got.Lists)
		}
		if took := time.Since(began); took > 13*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}
