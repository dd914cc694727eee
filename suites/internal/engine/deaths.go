package engine

import (
	"fmt"
	"math"
	"sync"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// deaths keeps complaints about processes that ended by themselves, where the case passes when it
// is judged alone: no rule is broken, and nothing else would tell the author.
type deaths struct {
	mu  sync.Mutex
	met []reports.Finding
}

func (d *deaths) add(f reports.Finding) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.met = append(d.met, f)
}

// text is a line for the verdict; empty when no process ended.
func (d *deaths) text() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.met) == 0 {
		return ""
	}
	cases := "a case that passes"
	if n := len(d.met); n > 1 {
		cases = fmt.Sprintf("%d cases that pass", n)
	}
	var ids []string
	for _, f := range d.met {
		ids = append(ids, f.Case)
	}
	first := d.met[0]
	text := fmt.Sprintf("a process of the server ended by itself in %s when judged alone (%s): %s", cases, some(ids), first.Problem)
	if last := frame.LastError(frame.LastLines(first.Stderr, math.MaxInt)); last != "" {
		text += "; stderr: " + last
	}
	return text
}
