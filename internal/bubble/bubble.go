// Package bubble runs tests in which much is waited for in bubbles of
// testing/synctest, whose clock goes on when everybody waits: waits take no time there,
// and nothing that computes comes too late. What is judged in one is a server within
// the test: of a socket or a process nobody knows whether bytes are on their way. It
// is made in the bubble, or belongs to no other.
package bubble

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/dlclark/regexp2"
)

// rest is how long a server may go on with what it does when the test is over.
const rest = time.Minute

// Run runs a part of a test in a bubble.
func Run(t *testing.T, part func(t *testing.T)) {
	t.Helper()
	if err := startClock(); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(rest) // the clock stops when this returns
		part(t)
	})
}

// startClock has regexp2, which matches the patterns of schemas, start its clock
// outside: one clock serves all matches, from the first one to some time after
// the last. In a bubble it would show the time of the bubble to everybody.
func startClock() error {
	nothing := regexp2.MustCompile("", regexp2.None)
	nothing.MatchTimeout = 24 * time.Hour
	_, err := nothing.MatchString("")
	return err
}
