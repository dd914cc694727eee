package multimodal_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
)

func TestProof(t *testing.T) { proof.Area(t, "ext-multimodal") }

func TestMain(m *testing.M) { proof.Main(m) }
