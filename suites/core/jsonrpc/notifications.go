package jsonrpc

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// notificationCases send notifications and expect no answer to them.
func notificationCases() []suite.Case {
	initialized := told("initialized-unanswered", "notifications/initialized is taken without an answer", known(), opening)
	initialized.Raw = true
	return []suite.Case{
		bound(initialized, handshake()),
		bound(told("cancelled-unanswered", "notifications/cancelled for nothing under way is taken without an answer", known(),
			notes("notifications/cancelled", probe.Object{"requestId": 99999, "reason": "kit"})), handshake()),
		onStdio(told("cancelled-unanswered-on-stdio", "notifications/cancelled on stdio is taken without an answer", known(),
			notes("notifications/cancelled", probe.Object{"requestId": 99999, "reason": "kit"}))),
		bound(told("progress-unanswered", "notifications/progress for nothing under way is taken without an answer", known(),
			notes("notifications/progress", probe.Object{"progressToken": "kit", "progress": 1})), handshake()),
		bound(told("unknown-notification-unanswered", "a notification the server does not know is passed over", unknown(),
			bends("notifications/x-unknown", nil)), handshake()),
		onStdio(told("unknown-notification-unanswered-on-stdio", "a notification on stdio that the server does not know is passed over", unknown(),
			bends("notifications/x-unknown", nil))),
		bound(told("malformed-notification-unanswered", "a notification whose parameters are wrong is passed over", unknown(),
			bends("notifications/cancelled", probe.Object{"requestId": probe.Object{}})), handshake()),
		onStdio(told("malformed-notification-unanswered-on-stdio", "a notification on stdio whose parameters are wrong is passed over", unknown(),
			bends("notifications/cancelled", probe.Object{"requestId": probe.Object{}}))),
		{
			ID:     "jsonrpc/request-method-without-id-unanswered",
			Title:  "the method of a request sent without an id is not answered by a result",
			Checks: known(),
			Needs:  []suite.Need{suite.Lists()},
			Fix:    "take a message without an id as a notification whatever its method is",
			Lane:   suite.Fresh,
			Run:    requestMethodWithoutID,
		},
	}
}

// The prohibition is explicit from 2025-03-26 on; before, JSON-RPC has it.
func known() []requirements.ID {
	return []requirements.ID{"jsonrpc-notification-no-response", "jsonrpc-notification-no-response-2024"}
}

func unknown() []requirements.ID {
	return []requirements.ID{"jsonrpc-unknown-notification-silent", "jsonrpc-unknown-notification-silent-2024"}
}

func bound(kase suite.Case, to []requirements.Revision) suite.Case {
	kase.Revisions = to
	return kase
}

// onStdio is a case of the revision that has no client notifications over HTTP.
func onStdio(kase suite.Case) suite.Case {
	kase.Needs = append(kase.Needs, suite.Over(requirements.Stdio))
	return bound(kase, modern())
}

// told is a case that sends a notification.
func told(slug, title string, checks []requirements.ID, send sender) suite.Case {
	return suite.Case{
		ID:     "jsonrpc/" + slug,
		Title:  title,
		Checks: checks,
		Fix:    "answer nothing that has no id, neither by a result nor by an error; over HTTP answer status 202 without a body",
		Lane:   suite.Fresh,
		Run: func(ctx context.Context, c *probe.Client) error {
			from, err := send(ctx, c)
			if err != nil {
				return err
			}
			return unanswered(ctx, c, from)
		},
	}
}

// A sender sends a notification and says where in the conversation it stands.
type sender func(ctx context.Context, c *probe.Client) (probe.Mark, error)

func notes(method string, params probe.Object) sender {
	return func(ctx context.Context, c *probe.Client) (probe.Mark, error) {
		if err := quiet(ctx, c); err != nil {
			return 0, err
		}
		from := c.Mark()
		return from, c.Notify(ctx, method, params)
	}
}

func bends(method string, params probe.Object) sender {
	return func(ctx context.Context, c *probe.Client) (probe.Mark, error) {
		if err := quiet(ctx, c); err != nil {
			return 0, err
		}
		from := c.Mark()
		return from, c.Send(ctx, probe.Notification(method, params))
	}
}

// opening sends notifications/initialized where it belongs.
func opening(ctx context.Context, c *probe.Client) (probe.Mark, error) {
	reply, err := c.Initialize(ctx)
	if err != nil {
		return 0, err
	}
	if err := reply.WantResult(); err != nil {
		return 0, probe.NotSeen("the handshake was refused, so there is nothing to confirm")
	}
	from := c.Mark()
	return from, c.Initialized(ctx)
}

// unanswered expects no response for what was sent after the mark.
func unanswered(ctx context.Context, c *probe.Client, from probe.Mark) error {
	if err := dealtWith(ctx, c, from); err != nil {
		return err
	}
	if found := strays(c, from); len(found) > 0 {
		return probe.Broken(evidence(c, from, found), "a response with the id %s follows a notification, want none", shownID(found[0].Message().ID))
	}
	return nil
}

// dealtWith waits until what was sent after the mark must have had its effect:
// over HTTP until the exchanges are over, then until a further request is
// answered. A server that no longer answers has another trouble.
func dealtWith(ctx context.Context, c *probe.Client, from probe.Mark) error {
	if err := exchangesOver(ctx, c, from); err != nil {
		return err
	}
	// Servers work on several messages at once, so the first of these may
	// overtake an answer that must not come.
	for range 3 {
		behind, err := c.Barrier(ctx)
		if err != nil {
			return err
		}
		if !behind.Answered() {
			return probe.Undecide("the server no longer answers: " + behind.Outcome())
		}
	}
	return nil
}

// exchangesOver waits for the ends of the HTTP exchanges begun after the mark.
func exchangesOver(ctx context.Context, c *probe.Client, from probe.Mark) error {
	for _, sent := range c.Since(from) {
		if sent.Dir != frame.Sent || sent.Exchange == 0 {
			continue
		}
		_, _, err := c.Await(ctx, from, c.Waits().Answer, func(s probe.Seen) bool {
			return s.Kind == frame.KindEnd && (s.Exchange == sent.Exchange || s.Exchange == 0)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// evidence is what was sent after the mark, the head of its HTTP answer, and
// what was found.
func evidence(c *probe.Client, from probe.Mark, found []probe.Seen) []frame.Frame {
	var frames []frame.Frame
	for _, s := range c.Since(from) {
		if s.Dir == frame.Sent {
			frames = append(frames, s.Frame)
			break
		}
	}
	for _, s := range found {
		frames = append(frames, s.Frame)
	}
	return frames
}

// A result shows that the message was served as a request. An error without an
// id is what a reader says that takes it for a broken request.
func requestMethodWithoutID(ctx context.Context, c *probe.Client) error {
	from, err := bends(list(c).method, c.Params(nil))(ctx, c)
	if err != nil {
		return err
	}
	if err := dealtWith(ctx, c, from); err != nil {
		return err
	}
	for _, s := range strays(c, from) {
		if s.Message().Class == frame.Error {
			c.Note("the method of a request, sent without an id, is refused by an error")
			continue
		}
		return probe.Broken(evidence(c, from, []probe.Seen{s}), "%s without an id is answered by a result, want no response", list(c).method)
	}
	return nil
}
