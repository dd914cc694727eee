package probe

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

type sender struct {
	Conn
	got Outgoing
}

func (s *sender) Send(_ context.Context, out Outgoing) (int, error) {
	s.got = out
	return 1, nil
}

func (s *sender) Next(ctx context.Context) (frame.Frame, error) {
	<-ctx.Done()
	return frame.Frame{}, ctx.Err()
}

func principals(t *testing.T, fields roles.Fields) *Client {
	filled := roles.Filled{Name: roles.Principals, Source: roles.Config, Fields: fields}
	setup := Setup{Transport: requirements.Stdio, Roles: roles.NewSet(roles.Known(), filled)}
	return Speaking(t.Context(), &Control{unconnected(setup)})
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	c := principals(t, roles.Fields{
		"first":   roles.Fields{"headers": map[string]string{"x-api-key": "one"}},
		"second":  roles.Fields{"token": "two"},
		"limited": roles.Fields{"env": map[string]string{"KEY": "three"}},
	})
	for principal, want := range map[string]http.Header{
		"first": {"X-Api-Key": {"one"}}, "second": {"Authorization": {"Bearer two"}}, "limited": {}, "foreign": {},
	} {
		if diff := cmp.Diff(want, c.credentials(principal)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", principal, diff)
		}
		if c.Identified(principal) != (len(want) > 0) {
			t.Errorf("%s is identified: %t", principal, c.Identified(principal))
		}
	}
	err := ControlOf(c).Run(t.Context(), func(c *Client) error { c.As("second"); return nil })
	if !errors.As(err, new(*Undecided)) {
		t.Errorf("over stdio another identity can be taken on: %v", err)
	}
}

// Now is the time of a recording.
func (s *sender) Now() time.Time { return time.Unix(1, 0) }

// Connections opened from another principal's client also belong to that principal. Each
// knows the time of its conversation, and headers that the case sets win.
func TestAnotherOfAPrincipal(t *testing.T) {
	t.Parallel()
	var dialed *sender
	c := principals(t, roles.Fields{"first": roles.Fields{"token": "one"}, "second": roles.Fields{"token": "two"}})
	c.setup.Revision, c.setup.Transport = requirements.R20260728, requirements.HTTP
	c.setup.Dial = func(context.Context) (Link, error) {
		dialed = &sender{}
		return Link{Conn: dialed}, nil
	}
	second := c.As("second")
	further := second.Another()
	for given, want := range map[string]string{"": "Bearer two", "Bearer own": "Bearer own"} {
		header := http.Header{}
		if given != "" {
			header.Set("Authorization", given)
		}
		further.Begin(Outgoing{Method: http.MethodGet, Header: header})
		if got := dialed.got.Header.Get("Authorization"); got != want {
			t.Errorf("the further connection shows %q, want %q", got, want)
		}
	}
	if !second.Now().Equal(time.Unix(1, 0)) {
		t.Errorf("for the second principal it is %s, want the time of the recording", second.Now())
	}
	for _, each := range []*Client{further, second} {
		each.stop()
		each.pumped.Wait()
	}
}
