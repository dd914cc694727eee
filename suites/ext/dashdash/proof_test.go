package dashdash_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
)

func TestProofOfHandshake(t *testing.T) { proof.Area(t, "ext-dashdash-init") }

func TestProofOfTools(t *testing.T) { proof.Area(t, "ext-dashdash-tools") }

func TestProofOfHelp(t *testing.T) { proof.Area(t, "ext-dashdash-ai-help") }

func TestProofOfResources(t *testing.T) { proof.Area(t, "ext-dashdash-resources") }

func TestMain(m *testing.M) { proof.Main(m) }
