// Command mcp-conform judges servers of the Model Context Protocol. It turns flags into
// a plan, a report into files and a verdict into an exit code; the packages below suites
// decide what is judged and how.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"runtime/debug"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/room"
	"github.com/mcp-conform/mcp-conform/suites/config"
)

// A world holds the environment of the command.
type world struct {
	in       io.Reader
	out, err io.Writer // the result; everything else
	env      config.Environment
	environ  func() []string // the whole environment, which servers inherit; nil for none
	now      func() time.Time
	self     func() (string, error) // the path of this program
	exit     func(code int)         // ends the process at once
}

// memory is the limit of a run: the frames kept of all conversations, and half as much
// again.
const memory = 384 << 20

func main() {
	limitMemory(memory)
	room.Leave(room.Usual)
	// net/http logs unexpected bytes of a server raw, in the middle of the progress,
	// with whatever secrets they hold.
	log.SetOutput(io.Discard)
	os.Exit(run(context.Background(), os.Args[1:], world{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		env: os.LookupEnv, environ: os.Environ, now: time.Now, self: os.Executable, exit: os.Exit,
	}))
}

// limitMemory sets the heap size from which the garbage collector works harder. A GOMEMLIMIT
// set by the user takes precedence.
func limitMemory(size int64) {
	if _, set := os.LookupEnv("GOMEMLIMIT"); !set {
		debug.SetMemoryLimit(size)
	}
}

// run carries out one command line and returns the exit code.
func run(ctx context.Context, args []string, w world) int {
	root, begun := rootCommand(w)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && !*begun {
		err = misread(root, args, err)
	}
	return w.ended(err)
}
