package discover

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Usual is the revision that the kit judges unless the operator asks for others: the
// newest of those that are spoken, but over HTTP+SSE the revision that specifies HTTP+SSE.
func Usual(transport requirements.Transport, spoken []requirements.Revision) requirements.Revision {
	if transport == requirements.SSE && slices.Contains(spoken, requirements.R20241105) {
		return requirements.R20241105
	}
	return spoken[len(spoken)-1]
}

// Doubts say at which revisions the server may speak although it did not say so. all means
// that every revision is to be judged, and newest that the newest one is: a busy machine or
// a limit on sessions must not silently change which revisions are judged.
func (f *Found) Doubts(all, newest bool) []string {
	var doubts []string
	others := all && f.Tolerance.RefusesSessions() && len(f.Denied) > 0
	if others {
		denied := dates(f.Denied)
		slices.Sort(denied)
		doubts = append(doubts, fmt.Sprintf("%s: whether the server speaks %s is not known, since it refused further sessions "+
			"beside those that there are; name one revision at a time with --revision", f.look.Transport, strings.Join(denied, ", ")))
	}
	spoken := f.Revisions()
	matters := func(r requirements.Revision) bool { return all || newest && len(spoken) > 0 && r > slices.Max(spoken) }
	for _, one := range f.NotNow {
		if matters(one.Revision) && !(others && slices.Contains(f.Denied, one.Revision)) {
			doubts = append(doubts, fmt.Sprintf("%s: whether the server speaks %s is not known, since HTTP status %d came both times "+
				"that it was asked, which says: not now; run again, or name with --revision what is to be judged",
				f.look.Transport, one.Revision, one.Status))
		}
	}
	for _, rev := range f.Unknown {
		if matters(rev) {
			doubts = append(doubts, fmt.Sprintf("%s: whether the server speaks %s is not known, since it answered neither time that it was asked; "+
				"raise --timeout, or name with --revision what is to be judged", f.look.Transport, rev))
		}
	}
	return doubts
}

// NotSpoken says which revisions the transports speak instead of those that the operator
// named. It asks for the revisions that were not asked for yet.
func NotSpoken(ctx context.Context, named []string, transports []*Found) string {
	var spoken, unknown, later []string
	limited := false
	for _, f := range transports {
		_, _ = f.Versions(ctx)
		spoken = append(spoken, dates(f.Revisions())...)
		unknown = append(unknown, dates(f.Unknown)...)
		for _, one := range f.NotNow {
			later = append(later, string(one.Revision))
		}
		limited = limited || f.Tolerance.RefusesSessions()
	}
	slices.Sort(spoken)
	spoken = slices.Compact(spoken)
	others, those := strings.Join(named, ", "), strings.Join(spoken, ", ")
	text := fmt.Sprintf("the server does not speak %s; it speaks %s", others, those)
	if len(spoken) > 0 {
		text += ": --revision " + spoken[len(spoken)-1] + " judges that"
	}
	if limited {
		text = fmt.Sprintf("beside sessions of %s the server refused further ones; whether it speaks %s, too, is not known: "+
			"start it anew for each run, and name one revision at a time", those, others)
	}
	among := func(dates []string) bool {
		return slices.ContainsFunc(named, func(date string) bool { return slices.Contains(dates, date) })
	}
	if among(unknown) {
		text += ", and did not answer in time when it was asked for " + strings.Join(unknown, ", ")
	}
	if among(later) {
		text += ", and answered with an HTTP status that says \"not now\" when it was asked for " + strings.Join(later, ", ")
	}
	return text
}

func dates(revisions []requirements.Revision) []string {
	texts := make([]string, len(revisions))
	for i, r := range revisions {
		texts[i] = string(r)
	}
	return texts
}
