package suites_test

import (
	"context"
	"flag"
	"io"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	referenceserver "github.com/mcp-conform/mcp-conform/reference-server"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/faults"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/selftest"
)

var (
	onlyFault  = flag.String("fault", "*", "judge only the faults whose names match this pattern")
	thorough   = flag.Bool("thorough", false, "judge faults by the cases that let time pass, too")
	everywhere = flag.Bool("everywhere", false, "judge faults in every column in which their rule holds")
)

// reference is the configuration that the reference server comes with.
func reference(t testing.TB) config.Config {
	t.Helper()
	cfg, err := config.Parse("mcp-conform.yaml", referenceserver.Config, func(string) (string, bool) { return "", false },
		config.Known{Roles: suites.Roles(suites.All())})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Target = config.Default().Target
	return cfg
}

// local is the reference server inside this process. Over stdio each
// connection has a server of its own, as processes would.
func local(t testing.TB, f *fault.Fault) *suites.Local {
	t.Helper()
	s, err := server.New(server.Options{Fault: f})
	if err != nil {
		t.Fatal(err)
	}
	return &suites.Local{
		Path: "/mcp", Handler: s.Handler(),
		Serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			own, err := server.New(server.Options{Fault: f})
			if err != nil {
				_, _ = io.WriteString(errw, err.Error())
				return 1
			}
			return own.ServeStdio(ctx, term, in, out, errw)
		},
	}
}

// TestSelftest shows that every case is made to speak by a server that breaks
// its rule, and that nothing near it speaks then. Each fault is judged by the
// suites it has to do with; with -thorough, and in mcp-conform selftest, by all
// of them. Under the race detector a sample of the faults has to do.
func TestSelftest(t *testing.T) {
	var subjects []selftest.Subject
	for i, f := range faults.All() {
		if ok, _ := path.Match(*onlyFault, f.Name); !ok || raceEnabled && *onlyFault == "*" && i%sample != 0 {
			continue
		}
		s := selftest.Subject{Name: f.Name, Breaks: f.Breaks, Kills: f.Kills, Also: f.Also, Local: local(t, &f)}
		if f.OffSchema && !slices.Contains(f.Kills, "schema/messages-valid") {
			s.Kills = append(slices.Clone(f.Kills), "schema/messages-valid")
		}
		for _, col := range f.In {
			s.In = append(s.In, selftest.Column{Revision: col.Revision, Transport: col.Transport})
		}
		subjects = append(subjects, s)
	}
	table, err := selftest.Run(t.Context(), subjects, selftest.Options{
		Config: reference(t), Jobs: 8, Seed: 1, Timeout: 10 * time.Second, Everywhere: *everywhere, Quick: !*thorough,
		Progress: func(r selftest.Row) {
			if !r.Holds() {
				t.Errorf("%s at %s over %s: spoke %v, silent %v, astray %v %s", r.Subject, r.Column.Revision, r.Column.Transport,
					r.Spoke, r.Silent, r.Astray, r.Trouble)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if *onlyFault == "*" && !raceEnabled && len(table.Unkilled) > 0 {
		t.Errorf("no fault kills these cases:\n%s", strings.Join(table.Unkilled, "\n"))
	}
}

// sample is which part of the faults the race detector is shown: it slows them
// down tenfold, and they all run through the same code.
const sample = 10
