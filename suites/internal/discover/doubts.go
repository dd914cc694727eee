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
	if all && f.Tolerance.RefusesSessions() && len(f.Denied) > 0 {
		denied := dates(f.Denied)
		slices.Sort(denied)
		doubts = append(doubts, fmt.Sprintf("%s: whether the server speaks %s is not known, since it refused further sessions "+
			"beside those that there are; name one revision at a time with --revision", f.look.Transport, strings.Join(denied, ", ")))
	}
	spoken := f.Revisions()
	for _, rev := range f.Unknown {
		if all || newest && len(spoken) > 0 && rev > slices.Max(spoken) {
			doubts = append(doubts, fmt.Sprintf("%s: whether the server speaks %s is not known, since it answered neither time that it was asked; "+
				"raise --timeout, or name with --revision what is to be judged", f.look.Transport, rev))
		}
	}
	return doubts
}

// NotSpoken says which revisions the transports speak instead of those that the operator
// named. It asks for the revisions that were not asked for yet.
func NotSpoken(ctx context.Context, named []string, transports []*Found) string {
	var spoken, unknown []string
	limited := false
	for _, f := range transports {
		_, _ = f.Versions(ctx)
		spoken = append(spoken, dates(f.Revisions())...)
		unknown = append(unknown, dates(f.Unknown)...)
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
	if slices.ContainsFunc(named, func(date string) bool { return slices.Contains(unknown, date) }) {
		text += ", and did not answer in time when it was asked for " + strings.Join(unknown, ", ")
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
