package streaming

import (
	"fmt"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

func started(t *testing.T, s *store, name string) *job {
	t.Helper()
	j := &job{identity: identity{operation: name}}
	if !s.begin(j) {
		t.Fatalf("%s is not begun", name)
	}
	s.keep(j)
	return j
}

// The number of kept operations is bounded, and a running one is never dropped.
func TestStoreIsBounded(t *testing.T) {
	t.Parallel()
	s := &store{jobs: map[identity]*job{}}
	running := started(t, s, "running")
	for n := range 2 * maxOperations {
		s.end(started(t, s, fmt.Sprint(n)), fault.Message{}, nil, false)
	}
	if len(s.jobs) > maxOperations+1 || len(s.order) > maxOperations+1 {
		t.Errorf("%d operations are kept, want %d at most", len(s.jobs), maxOperations)
	}
	if s.find(running.identity) != running {
		t.Error("an operation that runs was dropped")
	}
	if s.find(identity{operation: "0"}) != nil {
		t.Error("the oldest one was not dropped")
	}
}

func TestStore(t *testing.T) {
	t.Parallel()
	s := &store{jobs: map[identity]*job{}}
	j := started(t, s, "a")
	if s.begin(&job{identity: j.identity}) {
		t.Error("a second operation of that name began while the first one ran")
	}
	if result, running := s.take(j); result != nil || running == nil {
		t.Error("an operation that runs was handed out")
	}
	s.end(j, nil, nil, true)
	if result, running := s.take(j); result != nil || running != nil {
		t.Error("an operation that was interrupted was not handed out")
	}
	s.end(j, fault.Message{"content": []any{}}, nil, false)
	if result, _ := s.take(j); result == nil {
		t.Error("the result of an operation that has ended is not kept")
	}
	plain := &job{identity: identity{operation: "plain"}}
	s.begin(plain)
	s.end(plain, fault.Message{}, nil, false)
	if len(s.jobs) != 1 {
		t.Error("an operation without a checkpoint is kept")
	}
}

// A checkpoint is valid only unchanged, for its operation and its client.
func TestSeal(t *testing.T) {
	t.Parallel()
	s, own := newSeal(), identity{"key-of-the-harbour-master", "op-1"}
	token := s.token(own, place{done: 3, sequence: 3})
	if got, ok := s.read(own, token); !ok || got != (place{3, 3}) {
		t.Errorf("%s is read as %v, %t", token, got, ok)
	}
	for name, id := range map[string]identity{"another client": {"key-of-the-harbour-pilot", "op-1"}, "another operation": {"key-of-the-harbour-master", "op-2"}} {
		if _, ok := s.read(id, token); ok {
			t.Errorf("the checkpoint is good for %s", name)
		}
	}
	for i := range token {
		changed := []byte(token)
		changed[i] ^= 1
		if _, ok := s.read(own, string(changed)); ok {
			t.Errorf("%s is good", changed)
		}
	}
	for _, other := range []string{"", "3", "3.3", "3.3.", token + "0", " " + token, "+" + token, "0" + token} {
		if _, ok := s.read(own, other); ok {
			t.Errorf("%q is good", other)
		}
	}
	if _, ok := newSeal().read(own, token); ok {
		t.Error("the checkpoint is good for another process")
	}
}
