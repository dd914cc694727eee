// Package child lets a test binary be the processes that its tests start, and
// watches that nothing is left of them.
package child

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

// Main runs the tests, more at once than there are cores since they wait for
// processes, and sees to it that no goroutine outlives them. In a process whose
// environment names a mode it behaves as that instead.
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

// Echo says every line again until there are no more, and exits well.
func Echo(in io.Reader, out io.Writer) int {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if _, errWrite := io.WriteString(out, line); err != nil || errWrite != nil {
			return 0
		}
	}
}
