package main

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A trial is a run that shows a fault: in a column where its rule holds, and with the
// configuration of the reference server if the cases need it.
type trial struct {
	at         requirements.Revision
	over       requirements.Transport
	configured bool
	stressed   bool // a case that has to find the fault runs only on request
	guarded    bool // the server accepts only the tokens that it makes up
}

// planTrial plans the run for a fault. The result is zero for a fault whose rule holds
// nowhere.
func planTrial(l *library, f fault.Fault) trial {
	r, _ := l.rules.Find(f.Breaks)
	held := r.Revisions()
	if len(held) == 0 {
		return trial{}
	}
	t := trial{at: held[len(held)-1], over: requirements.Stdio}
	for _, over := range requirements.Transports() {
		if cl, _ := r.At(t.at); !cl.On(t.over) {
			t.over = over
		}
	}
	if len(f.In) > 0 {
		t.at, t.over = f.In[0].Revision, f.In[0].Transport
	}
	t.guarded = f.Auth != nil
	must := inprocess.Subject(f).Must(l.suites)
	t.configured = slices.ContainsFunc(must, l.needsConfig)
	t.stressed = slices.ContainsFunc(must, l.stresses)
	return t
}

// lines writes the command lines of the trial.
func (t trial) lines(name string) []string {
	if t.at == "" {
		return nil
	}
	if t.guarded {
		return []string{"mcp-conform selftest --fault " + name}
	}
	var lines []string
	line := "mcp-conform run --revision " + string(t.at)
	if t.configured {
		lines = append(lines, "mcp-conform serve --print-config > harbour.yaml")
		if t.stressed {
			lines = append(lines, "echo 'stress: true' >> harbour.yaml")
		}
		line += " --config harbour.yaml"
	}
	serve := " -- mcp-conform serve --fault " + name
	const address = "127.0.0.1:8080"
	switch t.over {
	case requirements.HTTP:
		line += " --url http://" + address + endpoint + serve + " --http " + address
	case requirements.SSE:
		line += " --transport sse --url http://" + address + inprocess.SSE + serve + " --sse " + address
	case requirements.Stdio:
		line += serve
	}
	return append(lines, line)
}

// needsConfig reports whether a case needs a role from the configuration, or watches
// messages that other cases provoke. Those of a proposal use roles wherever there are any.
func (l *library) needsConfig(id string) bool {
	_, c, _ := l.findCase(id)
	named := slices.ContainsFunc(c.Needs, func(n suite.Need) bool { return n.Any[0].Kind == suite.RoleKind })
	return named || c.Watch != nil || strings.HasPrefix(id, "ext-") || l.stresses(id)
}

// stresses reports whether a case runs only on request.
func (l *library) stresses(id string) bool {
	_, c, _ := l.findCase(id)
	return slices.ContainsFunc(c.Needs, func(n suite.Need) bool {
		return slices.Contains(n.Any, suite.Word{Kind: suite.OptInKind, Value: string(suite.Stress)})
	})
}
