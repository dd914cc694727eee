package tolerance

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A further oddity of a server is one more row.
func TestTolerance(t *testing.T) {
	t.Parallel()
	for of, want := range map[Tolerance]struct {
		seats                                                               int
		serial, closesFirst, lags, refuses, irreplaceable, displaces, noted bool
	}{
		Many:        {seats: 8},
		Few:         {seats: 1, closesFirst: true, refuses: true, noted: true},
		OneForAll:   {seats: 1, refuses: true, irreplaceable: true, noted: true},
		OneProcess:  {seats: 1, serial: true, closesFirst: true},
		OneStream:   {seats: 1, serial: true, closesFirst: true, lags: true},
		LastSession: {seats: 1, serial: true, closesFirst: true, displaces: true, noted: true},
		LastStream:  {seats: 1, serial: true, closesFirst: true, lags: true, displaces: true, noted: true},
	} {
		got := want
		got.seats, got.serial, got.closesFirst, got.lags = of.Seats(8), of.Serial(), of.ClosesFirst(), of.Lags()
		got.refuses, got.irreplaceable, got.displaces, got.noted = of.RefusesSessions(), of.Irreplaceable(), of.Displaces(), of.Note() != ""
		if got != want {
			t.Errorf("%d: %+v, want %+v", of, got, want)
		}
		opening := of.Opening(&probe.OpeningError{})
		if excused := opening != nil; excused != want.refuses || of.Opening(nil) != nil || of.Opening(&probe.Violation{}) != nil {
			t.Errorf("%d: a refused opening comes to %v", of, opening)
		}
		if again := of.Reopening(&probe.OpeningError{}); (again != nil) != want.refuses || want.irreplaceable && again.Error() != Over().Error() {
			t.Errorf("%d: a refused opening on the shared connection comes to %v", of, again)
		}
	}
	if OneForAll.At(requirements.R20260728) != Many || OneForAll.At(requirements.R20251125) != OneForAll || Few.At(requirements.R20260728) != Few {
		t.Error("only the one session is of no account to requests without sessions")
	}
}
