package protocol_test

import (
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestByRevision(t *testing.T) {
	t.Parallel()
	table := protocol.ByRevision[string]{{Since: requirements.R20250326, Value: "a"}, {Since: requirements.R20251125, Value: "b"}}
	for r, want := range map[requirements.Revision]string{
		requirements.R20241105: "", requirements.R20250326: "a", requirements.R20250618: "a",
		requirements.R20251125: "b", requirements.R20260728: "b", "": "",
	} {
		if got := table.At(r); got != want {
			t.Errorf("%s: got %q, want %q", r, got, want)
		}
	}
}

func TestSets(t *testing.T) {
	t.Parallel()
	if all := slices.Concat(protocol.Handshake(), protocol.Stateless()); !slices.Equal(all, requirements.Revisions()) {
		t.Errorf("the two eras are %v", all)
	}
	got := protocol.Between(requirements.R20250326, requirements.R20250618)
	if !slices.Equal(got, []requirements.Revision{requirements.R20250326, requirements.R20250618}) {
		t.Errorf("got %v", got)
	}
	with := slices.DeleteFunc(requirements.Revisions(), func(r requirements.Revision) bool { return !protocol.HasArrays(r) })
	if !slices.Equal(with, []requirements.Revision{requirements.R20250326}) {
		t.Errorf("arrays in %v", with)
	}
	for version, want := range map[string][2]bool{
		"2024-11-05": {true, false}, "2026-07-28": {false, true}, "2099-01-01": {false, true}, "1900-01-01": {}, "newest": {},
	} {
		if got := [2]bool{protocol.HasHandshake(version), protocol.FromStateless(version)}; got != want {
			t.Errorf("%s: got %v, want %v", version, got, want)
		}
	}
}
