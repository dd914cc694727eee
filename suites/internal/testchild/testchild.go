// Package testchild lets tests start their own binary as a child process, and checks that no
// goroutine outlives the tests.
package testchild

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"
)

// Main runs the tests, and fails if a goroutine outlives them. It runs more tests at once
// than there are cores, since the tests mostly wait for processes. If the environment
// variable env names a mode, the process is a child: then Main runs behave instead.
func Main(m *testing.M, env string, behave func(mode string) int) {
	if mode := os.Getenv(env); mode != "" {
		os.Exit(behave(mode))
	}
	if err := flag.Lookup("test.parallel").Value.Set("16"); err != nil {
		panic(err)
	}
	before := gleak.Goroutines()
	code := m.Run()
	g := gomega.NewGomega(func(message string, _ ...int) {
		fmt.Fprintln(os.Stderr, message)
		code = 1
	})
	g.Eventually(gleak.Goroutines).ShouldNot(gleak.HaveLeaked(before))
	os.Exit(code)
}

// Echo copies every line until the input ends, and returns exit code 0.
func Echo(in io.Reader, out io.Writer) int {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if _, errWrite := io.WriteString(out, line); err != nil || errWrite != nil {
			return 0
		}
	}
}
