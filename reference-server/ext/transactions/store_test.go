package transactions

import (
	"fmt"
	"testing"
	"time"
)

func ignore(*transaction) {}

func TestBound(t *testing.T) {
	t.Parallel()
	var s store
	for i := range maxOpen {
		if problem := s.begin(name{id: fmt.Sprint(i)}, time.Hour, ignore, Switches{}); problem != none {
			t.Fatalf("transaction %d: problem %d", i, problem)
		}
	}
	if problem := s.begin(name{id: "one more"}, time.Hour, ignore, Switches{}); problem != full {
		t.Errorf("got problem %d, want %d", problem, full)
	}
	x, _ := s.take(name{id: "0"}, nil)
	s.end(x, false)
	if problem := s.begin(name{id: "one more"}, time.Hour, ignore, Switches{}); problem != none {
		t.Errorf("got problem %d although there is room", problem)
	}
}

// A transaction of one caller does not exist for another.
func TestPrincipals(t *testing.T) {
	t.Parallel()
	var s store
	s.begin(name{"first", "x"}, time.Hour, ignore, Switches{})
	if x, _ := s.take(name{"second", "x"}, nil); x != nil {
		t.Error("somebody else's transaction can be taken")
	}
	if problem := s.begin(name{"second", "x"}, time.Hour, ignore, Switches{}); problem != none {
		t.Errorf("somebody else's id is in use: problem %d", problem)
	}
}

// A busy transaction is taken by one caller at a time and is not idle.
func TestBusy(t *testing.T) {
	t.Parallel()
	var s store
	as, expired := name{id: "x"}, make(chan bool, 1)
	s.begin(as, time.Millisecond, func(x *transaction) {
		gone := s.takeIdle(x)
		if gone {
			s.end(x, false)
		}
		expired <- gone
	}, Switches{})
	if gone := <-expired; !gone {
		t.Error("an idle transaction does not end")
	}
	if x, _ := s.take(as, nil); x != nil {
		t.Error("a transaction that has ended can be taken")
	}

	s.begin(as, time.Hour, ignore, Switches{})
	x, _ := s.take(as, nil)
	stop := make(chan struct{})
	close(stop)
	if _, stopped := s.take(as, stop); !stopped {
		t.Error("a transaction is taken twice")
	}
	s.release(x)
	if s.takeIdle(x) {
		t.Error("a transaction that was just used is idle")
	}
}
