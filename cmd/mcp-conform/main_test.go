package main

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary behave as the command, and as servers that no client
// could judge. Most tests wait for such servers, so more tests run at once than there
// are cores.
func TestMain(m *testing.M) {
	if err := flag.Lookup("test.parallel").Value.Set("16"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		program:           main,
		"babble-server":   babble,
		"exiting-server":  func() { os.Exit(7) },
		"hanging-server":  hang,
		"stubborn-server": stubborn,
		"future-server":   future,
		"greeting-server": greet,
		"stalling-server": stall,
		"reciting-server": recite,
		"crashing-server": crash,
		"secure-server":   secure,
		"throwing-server": throw,
		"leaking-server":  leak,
		"flooding-server": flood,
		"runaway-server":  runAway,
		"trailing-server": trail,
		"early-gateway":   openEarly,
		"evil-server":     evil,
	})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Setup:               surroundings,
		Cmds:                commands(t.Context()),
		Condition:           met,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
	})
}
