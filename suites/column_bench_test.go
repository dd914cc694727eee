package suites_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// BenchmarkColumn judges the reference server within a bubble, where waits take no time:
// what remains is the computation of the kit and of the server together.
func BenchmarkColumn(b *testing.B) {
	for _, tr := range []requirements.Transport{requirements.Stdio, requirements.HTTP} {
		for _, rev := range requirements.Revisions() {
			b.Run(fmt.Sprintf("%s/%s", tr, rev), func(b *testing.B) {
				m := measured{}
				for b.Loop() {
					m.column(b, tr, rev)
				}
				m.report(b)
			})
		}
	}
}

func (m measured) column(b *testing.B, tr requirements.Transport, rev requirements.Revision) {
	b.Helper()
	cfg := proof.Config(b)
	cfg.Revisions = config.Revisions{Dates: []string{string(rev)}}
	cfg.Transport = config.Transport(tr)
	plan := suites.Plan{Config: cfg, Local: inprocess.Server(nil), Seed: 1, Jobs: 8}
	began := time.Now()
	var once sync.Once // RunTests repeats the test as often as -count says, which the benchmark does as well
	ok := testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: b.Name(), F: func(t *testing.T) {
		once.Do(func() {
			judged := proof.Judge(t, plan).Verdict.Columns[0].Counts
			m["judged"] = append(m["judged"], float64(judged.Pass+judged.Fail+judged.Warn))
		})
	}}})
	if !ok {
		b.FailNow()
	}
	wall := time.Since(began)
	m["wall-ms"] = append(m["wall-ms"], wall.Seconds()*1e3)
}
