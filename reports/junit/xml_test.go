package junit

import (
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"a\x00\x1b\x0b":          "a\ufffd\ufffd\ufffd",
		"\t\n\r":                 "\t\n\r",
		"\ufffe\uffff":           "\ufffd\ufffd",
		"\xff":                   "\ufffd",
		"\ud7ff\ue000\U0010ffff": "\ud7ff\ue000\U0010ffff",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestSpend(t *testing.T) {
	room := &tester{evidence: evidenceOfOne + 1000}
	long := strings.Repeat("é", evidenceOfOne)
	if got := room.spend(long); len(got.Data) > evidenceOfOne || !strings.HasSuffix(got.Data, "é"+seeReport) {
		t.Errorf("%d bytes, ending in %q", len(got.Data), got.Data[len(got.Data)-60:])
	}
	if got := room.spend(long); len(got.Data) > 1100 || !strings.HasSuffix(got.Data, seeReport) {
		t.Errorf("%d bytes where 1000 were left", len(got.Data))
	}
	if got := room.spend(long); got.Data != seeReport {
		t.Errorf("got %d bytes, want the pointer alone", len(got.Data))
	}
	if room.spend("") != nil {
		t.Error("an output without text was written")
	}
}
