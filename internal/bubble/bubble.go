// Package bubble runs tests with many waits in bubbles of testing/synctest, whose clock
// goes on when all goroutines wait: waits take no time there, and no computation comes
// too late. The judged server runs within the test: nobody knows whether bytes of a
// socket or a process are on their way. The test makes the server in the bubble, or
// keeps it out of all bubbles.
package bubble

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/dlclark/regexp2"
)

// rest is how long the work of a server may go on after the test.
const rest = time.Minute

// offset is how far into a second a test begins: the clock of a bubble starts at a whole
// second, and a time at a whole second looks as if a server had rounded it.
const offset = 1_234_567 * time.Nanosecond

// Run runs a part of a test in a bubble.
func Run(t *testing.T, part func(t *testing.T)) {
	t.Helper()
	if err := startClock(); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(rest) // the clock stops when this returns
		time.Sleep(offset)
		part(t)
	})
}

// startClock makes regexp2, which matches the patterns of schemas, start its clock
// outside of bubbles: one clock serves all matches, from the first one to some time
// after the last. A clock from a bubble would show the time of the bubble to all tests.
func startClock() error {
	nothing := regexp2.MustCompile("", regexp2.None)
	nothing.MatchTimeout = 24 * time.Hour
	_, err := nothing.MatchString("")
	return err
}
