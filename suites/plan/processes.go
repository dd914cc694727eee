package plan

import "github.com/mcp-conform/mcp-conform/suites/internal/target"

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

// Left names, on Linux, the processes that a server started, that left its
// process group and still run.
func (p *Processes) Left() []string { return p.family.Left() }

// Close forbids further processes.
func (p *Processes) Close() { p.family.Close() }

// Family is the family of the processes; nil without processes.
func (p *Processes) Family() *target.Family {
	if p == nil {
		return nil
	}
	return p.family
}
