package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/evidence"
	"github.com/mcp-conform/mcp-conform/suites/internal/specs"
	"github.com/mcp-conform/mcp-conform/suites/internal/watching"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// hopeless is how many cases in a row may get no connection before the other cases stop
// trying: each of them would wait for an answer that does not come.
const hopeless = 3

// health records whether cases can still reach the server, and which case noticed first
// that they cannot.
type health struct {
	*connect.Dialer

	mu       sync.Mutex
	running  map[string]int      // cases under way
	gone     string              // the case that noticed first that nothing listens
	unopened string              // the first case that got no connection, although the opening works
	refusals int                 // how many cases in a row got no connection
	reached  bool                // a case has come to a verdict
	cut      watching.Unanswered // of discovery
	suspects watching.Suspects   // of the end
}

// lost gives the finding of a case that starts when the server is gone. forGood is false
// when the server might answer again later.
func (h *health) lost(j *job) (f reports.Finding, lost, forGood bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.gone != "":
		return skipped(j.Blank(), h.ended()), true, true
	case h.refusals >= hopeless:
		return skipped(j.Blank(), blocked(h.unopened, "no connection could be opened any more")), true, false
	}
	return reports.Finding{}, false, false
}

// noticedBy reports whether this case is the one that noticed first that nothing listens.
func (h *health) noticedBy(j *job) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.gone == j.Case.ID
}

func (h *health) ended() reports.Reason {
	return blocked(h.gone, "nothing listens at "+h.URL+" any more")
}

// blame says whose finding it is when the server may be gone:
//
//	what happened                              the finding
//	the case passed, or the run was cut short  stands
//	nothing listens, as was noticed before     blocked by the case that noticed it
//	nothing listens, this case ran alone       stands, if it fails
//	nothing listens, others ran beside         an error that names them
//	no connection, the opening did not pass    blocked by the case that owns it
//	no connection, although the opening works  an error; later ones are blocked by this case
func (h *health) blame(ctx context.Context, j *job, f reports.Finding) reports.Finding {
	if f.Status == reports.Pass || complains(f) && !undialled(f) {
		h.connected()
	}
	switch {
	case f.Status == reports.Pass || cutShort(ctx):
		return f
	case !h.There(ctx):
		return h.notListening(j, f)
	case isBlocked(f):
		return h.notOpened(ctx, j, f)
	default:
		return f
	}
}

// connected ends a row of refusals.
func (h *health) connected() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refusals, h.reached = 0, true
}

// countLate counts an opening that was not answered in time.
func (h *health) countLate() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refusals++
}

// started counts a case as under way until ended is called.
func (h *health) started(id string) (ended func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running[id]++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.running[id]--; h.running[id] == 0 {
			delete(h.running, id)
		}
	}
}

// others lists the other cases that are under way. The caller holds h.mu.
func (h *health) others(id string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(h.running)), func(other string) bool { return other == id })
}

// notListening names the case that ended the server. Where several cases were under way,
// it names all of them.
func (h *health) notListening(j *job, f reports.Finding) reports.Finding {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone != "" {
		return skipped(j.Blank(), h.ended())
	}
	h.gone = j.Case.ID
	beside, likely := h.others(j.Case.ID), h.suspects.But(j.Case.ID)
	if len(beside)+len(likely) == 0 && f.Status == reports.Fail && !undialled(f) {
		f.Notes = append(f.Notes, "since then nothing listens at "+h.URL+", so nothing else could be judged")
		return f
	}
	text := "nothing listens at " + h.URL + " any more: the server ended while this case ran, or just before"
	if begun := !isBlocked(f) && !undialled(f) && f.Status != reports.Error; !begun && !h.reached && len(beside) == 0 {
		return unjudged(j, errors.New(h.early()))
	}
	if len(beside) > 0 {
		text += fmt.Sprintf(", or one of %d beside it (%s); --case with one after the other shows which", len(beside), evidence.Some(beside))
	}
	if len(likely) > 0 {
		text += "; begin with " + evidence.Some(likely) + ", which had just sent a malformed message"
	}
	if complains(f) {
		text += "; before that: " + f.Problem
	}
	return unjudged(j, errors.New(text))
}

// early says that the server ended before the first case. The caller holds h.mu.
func (h *health) early() string {
	text := "nothing listens at " + h.URL + " any more: the server ended before the first case"
	cut := h.cut.Methods()
	if len(cut) > 0 {
		text += ", and did not answer " + evidence.Some(cut) + " any more"
	}
	if slices.Contains(cut, "server/discover") {
		text += "; a server refuses a method that it does not know with error -32601, and continues"
	}
	if slices.Contains(cut, "initialize") {
		text += "; a second client may begin while the first is there, and some SDKs need a server object for each"
	}
	return text
}

// undialled reports whether a finding shows a failed connection: then the server was
// gone before the case sent anything.
func undialled(f reports.Finding) bool {
	return slices.ContainsFunc(f.Frames, func(fr reports.Frame) bool {
		return fr.Dir == string(frame.Received) && strings.Contains(fr.Text, frame.NoConnection)
	})
}

// notOpened decides which case gets the blame for a connection that could not be opened:
// the case that owns the opening, if that case did not pass, or else this case.
func (h *health) notOpened(ctx context.Context, j *job, f reports.Finding) reports.Finding {
	owner := j.col.opener
	if owner == nil || owner.Case.ID != f.Reason.BlockedBy {
		return f // a case of lane Alone cannot be awaited
	}
	owner.start(ctx)
	opening, err := owner.wait(ctx)
	if err != nil || opening.Status != reports.Pass {
		return f
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refusals++
	if h.unopened != "" {
		return skipped(j.Blank(), blocked(h.unopened, f.Reason.Text))
	}
	h.unopened = j.Case.ID
	return unjudged(j, fmt.Errorf("%s, although others could before; does the server accept several at once?", f.Reason.Text))
}

// unopened blames the case that owns the opening for a connection that could not be
// opened during the run.
func (j *job) unopened(ctx context.Context, err error) reports.Finding {
	if errors.Is(err, context.Canceled) || cutShort(ctx) {
		return skipped(j.Blank(), interrupted())
	}
	if o, ok := errors.AsType[*probe.OpeningError](err); ok {
		if how, ok := evidence.AccessRefusal(o.Reply.Evidence(), false); ok {
			return skipped(j.Blank(), evidence.RefusedAccess(how))
		}
	}
	owner := specs.Opener(j.col.server.run.plan.Suites)
	if owner == "" || owner == j.Case.ID {
		return unjudged(j, err)
	}
	return skipped(j.Blank(), blocked(owner, "no connection could be opened: "+err.Error()))
}

// cutShort reports whether the run was ended, and not only the time of one case.
func cutShort(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), errSlow)
}

func interrupted() reports.Reason {
	return reports.Reason{Kind: reports.Interrupted, Text: "the run was cut short"}
}

func blocked(by, text string) reports.Reason {
	return reports.Reason{Kind: reports.Blocked, Text: text, BlockedBy: by}
}
