package connect_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/vacant"
	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// fetch is the status and the body at an address; 0 where nothing listens.
func fetch(t *testing.T, at string) (status int, body string) {
	t.Helper()
	response, err := http.Get(at)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(raw)
}

// Cases offer data at the same time, and one case may offer several things: on loopback as
// well as at the one address under which the target reaches the kit.
func TestOffersBesideEachOther(t *testing.T) {
	t.Parallel()
	address, err := vacant.Address()
	if err != nil {
		t.Fatal(err)
	}
	for _, origin := range []string{"", "http://" + address} {
		var p plan.Plan
		p.Config.Target.KitURL = origin
		offer := connect.Offering(p)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var served []*probe.Served
		for _, nonce := range []string{"one", "two"} {
			s, err := offer(ctx, probe.Offered{Type: "text/plain", Body: []byte(nonce)}, nonce)
			if err != nil {
				t.Fatalf("at %q: %v", origin, err)
			}
			defer s.Close()
			served = append(served, s)
			if !strings.HasPrefix(s.URL, origin) || !strings.HasSuffix(s.URL, "/ref/"+nonce) {
				t.Errorf("at %q the address is %s", origin, s.URL)
			}
		}
		for i, want := range []string{"one", "two"} {
			if status, body := fetch(t, served[i].URL); status != http.StatusOK || body != want || served[i].Fetches() != 1 {
				t.Errorf("%s: %d %q after %d fetches, want %q", served[i].URL, status, body, served[i].Fetches(), want)
			}
		}
		served[0].Close()
		served[0].Close()
		if status, _ := fetch(t, served[0].URL); status == http.StatusOK || served[0].Fetches() != 1 {
			t.Errorf("%s: %d after its end", served[0].URL, status)
		}
		if status, _ := fetch(t, served[1].URL); status != http.StatusOK {
			t.Errorf("%s: %d after the end of the other one", served[1].URL, status)
		}
		served[1].Close()
		if status, _ := fetch(t, served[1].URL); status != 0 {
			t.Errorf("%s: %d, want nobody to listen any more", served[1].URL, status)
		}
	}
}
