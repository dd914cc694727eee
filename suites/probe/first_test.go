package probe_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// After a first request with the id "1" the number 1 is not used: the next id is 2.
func TestFirst(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		revision requirements.Revision
		want     []string
	}{
		{requirements.R20251125, []string{`"1" initialize`, " notifications/initialized", "2 ping"}},
		{requirements.R20260728, []string{`"1" server/discover`, "2 server/discover"}},
	} {
		t.Run(string(row.revision), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{hear: polite}
				c := connect(t, s, at(row.revision))
				c.First(probe.WithID(`"1"`))
				c.Initialized()
				c.Barrier()
				var got []string
				for _, h := range s.sent {
					got = append(got, h.Message.ID+" "+h.Message.Method)
				}
				if diff := cmp.Diff(row.want, got); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// A connection is useless after a barrier without an answer.
func TestOverWhenMute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, &server{hear: func(s *server, h receivedFrame) {
			if !strings.Contains(h.Text, `"id":2`) {
				polite(s, h)
			}
		}})
		for _, want := range []bool{false, true, false} {
			if c.Barrier(); control(c).Over() != want {
				t.Errorf("over is %t, want %t", !want, want)
			}
		}
	})
}
