package broken_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/broken"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestMain(m *testing.M) { proof.Main(m) }

// Whatever a server leaves without an answer, it is judged in a minute of the bubble's
// time, and one slip is one finding. A slow server is not blamed.
func TestWaits(t *testing.T) {
	t.Parallel()
	for _, s := range broken.Servers() {
		for transport, local := range map[requirements.Transport]*plan.Local{
			requirements.Stdio: s.Stdio(), requirements.HTTP: s.HTTP(),
		} {
			t.Run(s.Name+" over "+string(transport), func(t *testing.T) {
				t.Parallel()
				report := proof.Judge(t, plan.Plan{Seed: 1, Config: config.Default(), Local: local})
				if report.Verdict.Status == reports.Unjudged {
					t.Fatal(report.Verdict.Text)
				}
				took := time.Duration(report.Run.DurationMs) * time.Millisecond
				t.Logf("%s %s | %s %+v", s.Name, transport, took.Round(time.Second/10), report.Verdict.Columns[0].Counts)
				if took > s.Most {
					t.Errorf("the run took %s, want at most %s", took, s.Most)
				}
				want, got := s.Finds[transport], found(t, report, reports.Fail, reports.Error)
				if diff := cmp.Diff(s.Warns, found(t, report, reports.Warn)); s.Warns != nil && diff != "" {
					t.Errorf("warnings differ (-want +got):\n%s", diff)
				}
				if s.Lossy {
					got = slices.DeleteFunc(got, func(id string) bool {
						return strings.HasSuffix(id, "-answered") && !slices.Contains(want, id)
					})
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("findings differ (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// found are the cases with one of the statuses.
func found(t *testing.T, r reports.Report, of ...reports.Status) []string {
	t.Helper()
	var found []string
	for _, f := range r.Findings {
		if slices.Contains(of, f.Status) {
			t.Logf("%s | %s: %s", f.Status, f.Case, f.Problem)
			found = append(found, f.Case)
		}
	}
	slices.Sort(found)
	return found
}
