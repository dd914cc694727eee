package main

const suiteText = `// Package $PKG holds the cases of TODO: the page, and what it is about.
package $PKG

import (
	"slices"

$PROPOSAL	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "$SUITE",
		Title: "TODO: what a conforming server does, in one line",
$KIND		Cases: slices.Concat(),
	}
}
`

const proofText = `package $PKG_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
)

func TestProof(t *testing.T) { proof.Area(t, "$SUITE") }

func TestMain(m *testing.M) { proof.Main(m) }
`

const lawfulText = `package $PKG_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "$SUITE", []lawful.Row{
		// TODO: a lawful server that $ID could fail by mistake.
		{Name: "$ID", Server: &fakeserver.Server{}},
	})
}
`

const statelessText = `package $PKG_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

// TODO: let the reference server do something unusual, and lawful, that $ID could fail by mistake.
func TestLawful$TEST(t *testing.T) {
	t.Parallel()
	lawful.Stateless(t, "$ID", lawful.Contents, &fault.Fault{})
}
`

const caseText = `package $PKG

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func $FUNCCase() suite.Case {
	return suite.Case{
		ID:     "$ID",
		Title:  "TODO: what a conforming server does, present tense",
		Checks: []requirements.ID{$RULES},
		Needs:  nil, // TODO: what the server must offer, as suite.Capability("...")
		Fix:    "TODO: one imperative sentence to the author of the server",
		Run:    $FUNC,
	}
}

// TODO: why the rule matters, and what may not be failed.
func $FUNC(c *probe.Client) error {
	return c.Call("ping", nil).WantResult() // TODO
}
`

const watcherText = `package $PKG

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func $FUNCCase() suite.Case {
	return suite.Case{
		ID:     "$ID",
		Title:  "TODO: what a conforming server does, present tense",
		Checks: []requirements.ID{$RULES},
		Needs:  nil, // TODO: what the server must offer, as suite.Capability("...")
		Fix:    "TODO: one imperative sentence to the author of the server",
		Sees:   "TODO: what the watcher judges, such as an icon",
		Watch:  probe.OnResult("ping", $FUNC), // TODO: or OnNotification, or OnEach
	}
}

// TODO: why the rule matters, and what may not be failed.
func $FUNC(a probe.Answer) probe.Opinion {
	v := a.Value("/result/TODO")
	if _, ok := v.(string); !ok {
		return probe.Breaks("%s is %s, want a string", a.Where("/result/TODO"), probe.Show(v))
	}
	return probe.Kept()
}
`

const faultsText = `// Package $PKG holds the ways to break $SHORT.
package $PKG

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Faults lists them in the order of the specification page.
func Faults() []fault.Fault {
	return slices.Concat()
}
`

const faultText = `package $PKG

import "github.com/mcp-conform/mcp-conform/reference-server/fault"

func $FUNCFaults() []fault.Fault {
	return []fault.Fault{$EACH}
}
`

const oneFault = `{
	Name:   "$FAULT",
	Title:  "TODO: what the broken server does",
	Breaks: "$RULE",
	// TODO: a hook that breaks this rule and no other; Kills where not all its cases notice.
	Reply: fault.Set("ping", "/result/TODO", true),
}`
