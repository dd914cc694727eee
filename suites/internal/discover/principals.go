package discover

import (
	"context"
	"fmt"
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Principals learns whether the credentials of principals make a difference to the server:
// the configuration may hold a token that the server does not know, or name the wrong
// header. It sends one plain request as each of them.
func (l Look) Principals(ctx context.Context, r requirements.Revision, s *probe.Survey, names ...string) error {
	var anonymous *probe.Reply
	var err error
	if s.Access != nil { // else the survey was made without credentials, and the server serves such requests
		anonymous = s.Access.Asked
	} else if anonymous, err = l.knock(ctx, r, ""); err != nil {
		return err
	}
	s.Principals = map[string]probe.Treatment{}
	for _, name := range names {
		asked, err := l.knock(ctx, r, name)
		switch {
		case err != nil:
			return err
		case asked != nil:
			s.Principals[name] = treatment(asked, anonymous)
		}
	}
	return nil
}

// knock sends the opening and a list request as a principal, or without credentials where
// the name is empty. The reply is nil where the configuration has no credentials for the
// principal.
func (l Look) knock(ctx context.Context, r requirements.Revision, name string) (asked *probe.Reply, err error) {
	k, err := l.begin(ctx, r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = k.Close(context.WithoutCancel(ctx)) }()
	err = k.Run(ctx, func(c *probe.Client) error {
		switch {
		case name == "":
			asked = c.Knock()
		case c.Identified(name):
			asked = c.Knock(probe.As(name))
			if c.Session() != "" { // only the principal may end its session
				c.Fetch(http.MethodDelete, probe.As(name))
			}
		}
		return nil
	})
	return asked, err
}

// treatment compares the answer to a principal with the answer to a client without
// credentials. Status 403 may be about the rights of the principal, and 429 or 503 about
// anything.
func treatment(asked, anonymous *probe.Reply) probe.Treatment {
	t := probe.Treatment{Method: asked.Method, Outcome: asked.Outcome(), AnonymousRefused: anonymous.Refused()}
	if asked.Status() >= http.StatusBadRequest {
		t.Outcome = fmt.Sprintf("HTTP status %d", asked.Status()) // its body may repeat the credentials
	}
	switch status := asked.Status(); {
	case status == http.StatusUnauthorized:
		t.Refused = true
	case asked.Refused():
		t.Refused = anonymous.Refused() && anonymous.Status() == status && status != http.StatusForbidden && !busy(status)
	case asked.Answered() && !anonymous.Refused() && asked.Method == anonymous.Method:
		one, _ := asked.Result()
		other, ok := anonymous.Result()
		t.Alike = ok && probe.JSON(one) == probe.JSON(other)
	}
	return t
}
