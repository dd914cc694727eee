package discover

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/tolerance"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Survey learns what the server offers over the transport at one revision. The caller may
// use the returned connection and has to close it; the connection is nil when the opening
// failed.
func (l Look) Survey(ctx context.Context, r requirements.Revision, found *Found) (*probe.Survey, *probe.Control, error) {
	on, err := l.open(ctx, r, found)
	if err != nil {
		return nil, nil, err
	}
	k := on.control
	if !r.Modern() {
		err = k.Conclude(ctx, on.reply)
	}
	// Cases judge an opening that failed.
	_, half := errors.AsType[*probe.OpeningError](err)
	var s *probe.Survey
	if err == nil || half {
		err = k.Run(ctx, func(c *probe.Client) error {
			s = l.survey(c, on.reply, found)
			return nil
		})
	}
	if err != nil || half {
		_ = k.Close(ctx)
		k = nil
	}
	return s, k, err
}

func (l Look) survey(c *probe.Client, opening *probe.Reply, found *Found) *probe.Survey {
	s := c.Survey()
	*s = probe.Survey{
		Lists: map[string][]any{}, Whole: map[string]bool{},
		Traits: map[probe.Trait]bool{}, Claims: map[string]probe.Claim{}, AskVersions: found.Versions, Supported: found.Supported,
	}
	from := c.Mark()
	if o, ok := opening.Result(); ok {
		s.Capabilities = probe.ObjectOf(o["capabilities"])
		s.ServerInfo = probe.ObjectOf(o["serverInfo"])
		if meta := probe.ObjectOf(o["_meta"]); s.ServerInfo == nil {
			s.ServerInfo = probe.ObjectOf(meta[protocol.MetaServerInfo])
		}
	}
	lists(c, s)
	s.RoundTrip, s.Away = usual(c.Since(from))
	traits(s, found)
	if c.Session() != "" {
		s.Traits[probe.Sessions] = true
	}
	c.Guess(func() { l.claims(c) })
	return s
}

// lists reads the lists that the server declares. It asks for all of them at once: one
// that is never answered costs no more than itself.
func lists(c *probe.Client, s *probe.Survey) {
	for _, items := range probe.ListsAtOnce(c, c.Declared()...) {
		// Cases judge a page that could not be read.
		_, large := errors.AsType[*probe.Unreadable](items.Trouble)
		_, more := errors.AsType[*probe.Undecided](items.Trouble) // than the kit reads
		if items.Trouble != nil && !large && !more {
			c.Stop(items.Trouble)
		}
		of := items.Of
		for _, item := range items.All {
			s.Lists[of.Method] = append(s.Lists[of.Method], item.Value)
		}
		s.Whole[of.Method] = items.Trouble == nil && items.Whole()
		if items.Paged {
			s.Traits[probe.AnyPaginates], s.Traits[probe.Paginates(of)] = true, true
		}
	}
}

// open takes the connection on which discovery found the revision, or opens a new one.
func (l Look) open(ctx context.Context, r requirements.Revision, found *Found) (opened, error) {
	if on := found.open.take(r); on.control != nil {
		if l.Transport != requirements.Stdio || !probe.HasEnded(on.control) {
			return on, nil
		}
		_ = on.control.Close(ctx) // its process has ended while other revisions were asked for
	}
	k, err := l.begin(ctx, r)
	if err != nil {
		return opened{}, err
	}
	reply, err := first(ctx, k)
	if err == nil && found.Tolerance == tolerance.OneStream && k.StreamRefused() {
		_ = k.Close(ctx)
		return opened{}, errors.New("the stream is refused, although no other is open any more: " + reply.Outcome())
	}
	if err != nil {
		err = errors.Join(err, k.Close(ctx))
	}
	return opened{k, reply}, err
}

// begin makes a connection and sends nothing.
func (l Look) begin(ctx context.Context, r requirements.Revision) (*probe.Control, error) {
	setup := l.Setup
	setup.Revision, setup.Transport, setup.Survey = r, l.Transport, &probe.Survey{}
	link, err := setup.Dial(ctx)
	if err != nil {
		return nil, err
	}
	return probe.Connect(context.WithoutCancel(ctx), link, setup), nil
}

// usual is the median of the times that the server took to answer, and of those that the client
// stayed away before it resumed the stream of its request.
func usual(seen []probe.Seen) (answer, away time.Duration) {
	asked := map[string]time.Duration{}
	var took, stayed []time.Duration
	for _, s := range seen {
		m := s.Message()
		at, ok := asked[frame.IDKey(m.ID)]
		switch {
		case s.Kind != frame.KindMessage:
		case s.Dir == frame.Sent && m.Class == frame.Request:
			asked[frame.IDKey(m.ID)] = s.At
		case s.Dir == frame.Received && ok && m.Class != frame.Request:
			took, stayed = append(took, s.At-at-s.Away), append(stayed, s.Away)
		}
	}
	if len(took) == 0 {
		return 0, 0
	}
	slices.Sort(took)
	slices.Sort(stayed)
	return took[len(took)/2], stayed[len(stayed)/2]
}

func traits(s *probe.Survey, found *Found) {
	set := func(name probe.Trait, holds bool) {
		if holds {
			s.Traits[name] = true
		}
	}
	set(probe.Modern, found.Modern)
	set(probe.Legacy, len(found.Legacy) > 0)
	set(probe.DualEra, found.Modern && len(found.Legacy) > 0)
	// A server that offers an unknown revision in a handshake knows the handshake.
	set(probe.ModernOnly, found.Modern && len(found.Legacy) == 0 && !slices.ContainsFunc(found.versions.Offered, func(offer string) bool {
		return requirements.Revision(offer).Before(requirements.R20260728)
	}))
	set(probe.ResourceTemplates, len(s.Lists["resources/templates/list"]) > 0)
	for _, r := range s.Lists["resources/list"] {
		set(probe.FileResources, strings.HasPrefix(probe.TextOf(probe.ObjectOf(r)["uri"]), "file://"))
	}
	for _, r := range s.Lists["resources/templates/list"] {
		set(probe.FileResources, strings.HasPrefix(probe.TextOf(probe.ObjectOf(r)["uriTemplate"]), "file://"))
	}
	for _, p := range s.Lists["prompts/list"] {
		for _, a := range probe.ArrayOf(probe.ObjectOf(p)["arguments"]) {
			set(probe.PromptWithRequiredArguments, probe.ObjectOf(a)["required"] == true)
		}
	}
}
