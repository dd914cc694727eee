package idempotency

import (
	"fmt"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

func TestStoreIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 8, 20, 10, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		faults Switches
		want   int
	}{
		{Switches{}, maxEntries},
		{Switches{Unbounded: true}, maxEntries + 100},
	} {
		s := store{faults: row.faults}
		for i := range maxEntries + 100 {
			e, first := s.claim(identity{key: fmt.Sprint(i)}, "call", now)
			if !first {
				t.Fatalf("key %d is not new", i)
			}
			s.keep(e, fault.Message{"content": []any{}}, now.Add(time.Hour))
		}
		if len(s.entries) != row.want || len(s.order) != row.want {
			t.Errorf("%d entries and %d in order, want %d", len(s.entries), len(s.order), row.want)
		}
	}
}

func TestForgottenKeyIsNew(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 8, 20, 10, 0, 0, 0, time.UTC)
	var s store
	id := identity{key: "k"}
	e, _ := s.claim(id, "call", now)
	if waiting, first := s.claim(id, "call", now); first || waiting != e {
		t.Error("a call that runs does not keep its key")
	}
	s.forget(e)
	if _, kept := e.outcome(); kept {
		t.Error("something came of a call that was forgotten")
	}
	if _, first := s.claim(id, "call", now); !first {
		t.Error("a forgotten key is not new")
	}
}
