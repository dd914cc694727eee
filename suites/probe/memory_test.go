package probe_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// Many cases ask at once; one of them learns, and the others wait for it.
func TestLearnOnce(t *testing.T) {
	t.Parallel()
	var m probe.Memory
	var all sync.WaitGroup
	learned := 0
	for i := range 50 {
		all.Go(func() {
			got, err := m.Learn("case", "key", func() (string, error) {
				learned++ // guarded by Learn itself
				return "value", nil
			})
			if got != "value" || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
			_, _ = m.Learn("case", fmt.Sprint(i), func() (string, error) { return "", nil })
			m.Known()
		})
	}
	all.Wait()
	if learned != 1 {
		t.Errorf("it was learned %d times", learned)
	}
	if diff := cmp.Diff(map[string]string{"key": "value"}, m.Known()); diff != "" {
		t.Error(diff)
	}
}

// Errors are remembered too, except for a time limit, and for what another case may be the
// reason for.
func TestLearnFails(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		err   error
		again bool
	}{
		"an error":    {errors.New("no"), false},
		"a violation": {&probe.Violation{Problem: "p"}, false},
		"too slow":    {fmt.Errorf("x: %w", context.DeadlineExceeded), true},
		"cut short":   {context.Canceled, true},
		"undecided":   {&probe.Undecided{Reason: "there is no such tool"}, false},
		"busy":        {&probe.Undecided{Reason: "another one is open", Passing: true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var m probe.Memory
			if _, err := m.Learn("case", "key", func() (string, error) { return "", row.err }); !errors.Is(err, row.err) {
				t.Errorf("the first gets %v", err)
			}
			got, err := m.Learn("case", "key", func() (string, error) { return "v", nil })
			if again := got == "v" && err == nil; again != row.again {
				t.Errorf("the second gets %q, %v", got, err)
			}
			if known := len(m.Known()) == 1; known != row.again {
				t.Errorf("known: %v", m.Known())
			}
		})
	}
}

// A case that panics while it learns leaves nobody waiting.
func TestLearnPanics(t *testing.T) {
	t.Parallel()
	var m probe.Memory
	func() {
		defer func() { _ = recover() }()
		_, _ = m.Learn("case", "key", func() (string, error) { panic("ours") })
	}()
	if got, err := m.Learn("case", "key", func() (string, error) { return "v", nil }); got != "v" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

// One connection knows what another one learned.
func TestClientsShareMemory(t *testing.T) {
	t.Parallel()
	memory := &probe.Memory{}
	share := func(s *probe.Setup) { s.Memory = memory }
	first, second := connect(t, &server{}, share), connect(t, &server{}, share)
	first.Learn("k", func() string { return "v" })
	if got := second.Learn("k", func() string { return "other" }); got != "v" {
		t.Errorf("got %q", got)
	}
}

// What was recorded is not asked anew, but by the case that asked.
func TestLearnRecalled(t *testing.T) {
	t.Parallel()
	told := map[string]string{}
	m := probe.Memory{
		Told:     func(by, key, value string) { told[by+key] = value },
		Recalled: func(by, key string) (string, bool) { return "recorded", key == "known" && by != "asker" },
	}
	for _, row := range []struct{ by, key, want string }{
		{"other", "known", "recorded"}, {"asker", "known", "anew"}, {"other", "known", "anew"}, {"other", "unknown", "anew"},
	} {
		if got, err := m.Learn(row.by, row.key, func() (string, error) { return "anew", nil }); got != row.want || err != nil {
			t.Errorf("%s learns %q, %v, want %q", row.by, got, err, row.want)
		}
	}
	if diff := cmp.Diff(map[string]string{"askerknown": "anew", "otherunknown": "anew"}, told); diff != "" {
		t.Error(diff)
	}
}
