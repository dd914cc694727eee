package fleet

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
)

// A Part is an index, and how the user named it.
type Part struct {
	Name  string
	Index Index
}

// Join makes one index of all parts of a fleet. The parts have to be of one plan, and
// none may be missing or overlap.
func Join(parts []Part) (Index, error) {
	if len(parts) == 0 {
		return Index{}, errors.New("there is nothing to join")
	}
	x := parts[0].Index
	x.Shard, x.Servers, x.DurationMs = "", nil, 0
	by := map[int]string{}
	interrupted := false
	for _, p := range parts {
		if p.Index.Plan != x.Plan || p.Index.File != x.File || p.Index.Kit != x.Kit {
			return x, fmt.Errorf("%s and %s are of different fleets, or judged in different ways", parts[0].Name, p.Name)
		}
		for _, row := range p.Index.Servers {
			if other, twice := by[row.Position]; twice {
				return x, fmt.Errorf("%s and %s both hold %s", other, p.Name, row.Name)
			}
			by[row.Position] = p.Name
			interrupted = interrupted || row.ExitCode == reports.ExitInterrupted
		}
		x.Servers = append(x.Servers, p.Index.Servers...)
		x.DurationMs += p.Index.DurationMs
		if p.Index.Started.Before(x.Started) {
			x.Started = p.Index.Started
		}
	}
	if missing := x.Named - len(x.Servers); missing > 0 {
		are := "are"
		if missing == 1 {
			are = "is"
		}
		return x, fmt.Errorf("%d of %d servers %s in none of these folders, %s", missing, x.Named, are, lacks(parts))
	}
	x = x.Settled(interrupted)
	for _, p := range parts {
		x.Verdict.remark(p.Index.Verdict)
	}
	return x, nil
}

// remark takes over what the verdict on a part says, and a failure that no server shows.
func (v *Verdict) remark(part Verdict) {
	if part.Text != "" && v.Text != "" {
		v.Text += "\n"
	}
	v.Text += part.Text
	if part.ExitCode == reports.ExitFailed && v.ExitCode != reports.ExitInterrupted {
		v.Status, v.ExitCode = reports.WorstStatus(v.Status, reports.Failed), reports.ExitFailed
	}
}

// lacks says which shards are not there.
func lacks(parts []Part) string {
	there, of := map[string]bool{}, 0
	for _, p := range parts {
		there[p.Index.Shard] = true
		_, _ = fmt.Sscanf(p.Index.Shard, "%d/%d", new(int), &of) // the whole has no shard
	}
	var missing []string
	for i := 1; i <= of; i++ {
		if name := fmt.Sprintf("%d/%d", i, of); !there[name] {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return "which should hold all"
	}
	slices.Sort(missing)
	return "those of shard " + strings.Join(missing, ", ")
}
