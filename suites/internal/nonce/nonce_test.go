package nonce_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/nonce"
)

func TestNonces(t *testing.T) {
	a, b, other := nonce.From(7, "case", "column"), nonce.From(7, "case", "column"), nonce.From(8, "case", "column")
	first := a()
	if got := b(); got != first || len(got) != 10 {
		t.Errorf("the same seed gives %q, want %q of ten characters", got, first)
	}
	if a() == first || other() == first {
		t.Error("a second nonce, or one of another seed, is the same")
	}
}
