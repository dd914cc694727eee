package plan

import "github.com/mcp-conform/mcp-conform/suites/internal/target"

// Processes are those that judging has started: servers, and commands that roles
// name. They end when their part of the run does; this is for whoever has to leave
// at once.
type Processes struct{ family *target.Family }

// NewProcesses is for one Plan. On Linux it makes this program the parent of what
// those processes leave behind. Close it when the judging is over.
func NewProcesses() *Processes { return &Processes{target.NewFamily()} }

// Kill ends all of them without asking, and what they have started. No others are
// started from then on.
func (p *Processes) Kill() { p.family.Kill() }

// Left names, on Linux, the processes that a server started, that left its process
// group and are still there.
func (p *Processes) Left() []string { return p.family.Left() }

// Close lets no process be started any more.
func (p *Processes) Close() { p.family.Close() }

// Family is that of the processes, where there is one.
func (p *Processes) Family() *target.Family {
	if p == nil {
		return nil
	}
	return p.family
}
