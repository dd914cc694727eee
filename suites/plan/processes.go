package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/internal/target"
)

// Processes holds the processes that judging starts: servers, and commands of
// roles. They end with their part of the run; Processes is for callers that
// must leave at once.
type Processes struct{ family *target.Family }

// NewProcesses is for one Plan. On Linux it makes this program the parent of
// orphans of those processes. Close it when the judging is over.
func NewProcesses() *Processes { return &Processes{target.NewFamily()} }

// Kill ends all processes without asking, together with the processes they
// started. No others start from then on.
func (p *Processes) Kill() { p.family.Kill() }

// Left says in one line, on Linux, which processes a server started that left its
// process group and still run; it is empty if there are none.
func (p *Processes) Left() string {
	left := p.family.Left()
	first, count := map[string]int{}, map[string]int{}
	for _, stray := range left {
		if count[stray.Name]++; first[stray.Name] == 0 {
			first[stray.Name] = stray.PID
		}
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(count)) {
		text := fmt.Sprintf("%q (process %d)", name, first[name])
		if n := count[name]; n > 1 {
			text = fmt.Sprintf("%d of %q (the first is process %d)", n, name, first[name])
		}
		names = append(names, text)
	}
	switch those := strings.Join(names, ", "); len(left) {
	case 0:
		return ""
	case 1:
		return "1 process that the server started left its process group and did not end: " + those
	default:
		return fmt.Sprintf("%d processes that the server started left its process group and did not end: %s", len(left), those)
	}
}

// Close forbids further processes.
func (p *Processes) Close() { p.family.Close() }

// Family is the family of the processes; nil without processes.
func (p *Processes) Family() *target.Family {
	if p == nil {
		return nil
	}
	return p.family
}
