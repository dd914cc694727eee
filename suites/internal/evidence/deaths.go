package evidence

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// Deaths keeps complaints about processes that ended by themselves, where the case passes when it
// is judged alone: no rule is broken, and nothing else would tell the author.
type Deaths struct {
	mu  sync.Mutex
	met []reports.Finding
}

// Add keeps one.
func (d *Deaths) Add(f reports.Finding) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.met = append(d.met, f)
}

// Text is a line for the verdict; empty when no process ended.
func (d *Deaths) Text() string {
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
	text := fmt.Sprintf("a process of the server ended by itself in %s when judged alone (%s): %s", cases, Some(ids), first.Problem)
	if last := frame.LastError(frame.LastLines(first.Stderr, math.MaxInt)); last != "" {
		text += "; stderr: " + last
	}
	return text
}

// Some shortens a long list of names.
func Some(names []string) string {
	const most = 6
	if len(names) > most {
		names = append(slices.Clone(names[:most]), "...")
	}
	return strings.Join(names, ", ")
}
