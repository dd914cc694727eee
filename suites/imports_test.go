package suites_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/mcp-conform/mcp-conform"

// rules says which of our packages each package may import, most exact rule
// first. A pattern ending in /... also means everything below it.
var rules = []struct {
	of  string
	may []string
}{
	{"suites/requirements", nil},
	{"suites/protocol", []string{"suites/requirements"}},
	{"suites/frame", nil},
	{"suites/roles", nil},
	{"suites/record", []string{"suites/config/redact", "suites/frame"}},
	{"schemas", nil},
	{"schemas/report", nil},
	{"suites/internal/testchild", nil},
	{"suites/internal/bubblelock", nil},
	{"suites/internal/fakeserver", nil},
	{"suites/internal/broken", []string{"suites/internal/fakeserver", "suites/plan", "suites/requirements"}},
	{"suites/internal/broken/measure", []string{"reports", "reports/jsonfile", "suites/internal/broken"}},
	{"suites/internal/memnet", nil},
	{"suites/internal/target", []string{"suites/internal/memnet"}},
	{"suites/internal/wire", []string{"suites/frame", "suites/internal/target"}},
	{"suites/config/spelling", nil},
	{"suites/config/redact", nil},
	{"suites/config/clients", []string{"suites/config"}},
	{"suites/config", []string{"suites/config/redact", "suites/config/spelling", "suites/roles"}},
	{"internal/bubble", nil},
	{"internal/room", nil},
	{"internal/excerpt", nil},
	{"internal/memo", nil},
	{"suites/probe", []string{"internal/excerpt", "suites/frame", "suites/internal/bubblelock", "suites/protocol", "suites/requirements", "suites/roles", "schemas"}},
	{"suites/suite", []string{"suites/probe", "suites/protocol", "suites/requirements", "suites/roles"}},
	{"suites/internal/subscriptions", []string{"suites/frame", "suites/probe", "suites/protocol", "suites/requirements"}},
	{"suites/core/internal/...", []string{"suites/internal/subscriptions", "suites/frame", "suites/suite", "suites/probe", "suites/protocol", "suites/requirements", "suites/roles"}},
	{"suites/core/http/...", []string{"suites/core/http/...", "suites/core/internal/questions", "suites/core/internal/reporting", "suites/core/internal/together", "suites/suite", "suites/probe", "suites/protocol", "suites/frame",
		"suites/requirements", "suites/roles", "schemas", "fixtures"}},
	{"suites/core/...", []string{"suites/core/internal/...", "suites/internal/subscriptions", "suites/suite", "suites/probe", "suites/protocol", "suites/frame", "suites/requirements", "suites/roles", "schemas", "fixtures"}},
	// Only tests import it.
	{"suites/ext/internal/dialects", []string{"reference-server/server", "reports", "suites/config", "suites/internal/proof", "suites/plan", "suites/suite"}},
	{"suites/ext/...", []string{"internal/memo", "suites/ext/internal/...", "suites/internal/subscriptions", "suites/suite", "suites/probe", "suites/protocol", "suites/frame",
		"suites/requirements", "suites/roles", "schemas", "fixtures"}},
	{"suites/internal/tolerance", []string{"suites/probe", "suites/requirements"}},
	{"suites/internal/discover", []string{"internal/excerpt", "internal/memo", "suites/internal/bubblelock", "suites/internal/tolerance", "suites/suite", "suites/probe", "suites/protocol", "suites/frame", "suites/requirements", "suites/roles"}},
	{"suites/plan", []string{"suites/record", "suites/internal/target", "suites/internal/watching", "suites/frame", "suites/config", "suites/probe", "suites/requirements", "suites/roles", "suites/suite", "reports"}},
	{"suites/internal/connect", []string{"suites/record", "suites/internal/target", "suites/internal/wire", "suites/internal/memnet", "suites/plan", "suites/config", "suites/probe", "suites/frame",
		"suites/requirements"}},
	{"suites/internal/severity", []string{"suites/probe", "suites/requirements", "reports"}},
	{"suites/internal/evidence", []string{"internal/excerpt", "suites/probe", "suites/protocol", "suites/frame", "reports"}},
	{"suites/internal/nonce", nil},
	{"suites/internal/sdks", []string{"suites/frame", "suites/requirements", "reports"}},
	{"suites/internal/commands", []string{"suites/record", "suites/internal/connect", "suites/internal/target", "suites/roles"}},
	{"suites/internal/needs", []string{"suites/internal/specs", "suites/config", "suites/probe", "suites/protocol", "suites/requirements", "suites/roles", "suites/suite", "reports"}},
	{"suites/internal/mentions", []string{"suites/config", "suites/frame", "suites/probe", "suites/protocol", "suites/requirements", "suites/roles", "schemas"}},
	{"suites/internal/watching", []string{"suites/frame", "suites/probe", "suites/suite"}},
	{"suites/internal/silence", []string{"suites/probe", "suites/requirements"}},
	{"suites/internal/turns", []string{"suites/roles", "suites/suite"}},
	{"suites/internal/specs", []string{"suites/internal/severity", "suites/plan", "suites/probe", "suites/requirements", "suites/suite", "reports"}},
	{"suites/internal/verdict", []string{"suites/internal/specs", "suites/plan", "suites/probe", "suites/requirements", "reports"}},
	{"suites/internal/engine", []string{"suites/internal/discover", "suites/internal/commands", "suites/internal/evidence", "suites/internal/mentions", "suites/internal/needs", "suites/internal/nonce", "suites/internal/bubblelock",
		"suites/internal/connect", "suites/internal/sdks", "suites/internal/severity", "suites/internal/silence", "suites/internal/specs", "suites/internal/tolerance", "suites/internal/turns", "suites/internal/verdict", "suites/internal/watching", "suites/plan", "suites/config", "suites/probe", "suites/protocol", "suites/frame", "suites/suite", "suites/requirements", "suites/roles",
		"schemas", "reports"}},
	{"suites/internal/ginkgospecs", []string{"suites/internal/engine", "suites/internal/specs", "reports", "reports/text"}},
	{"suites/internal/pages", []string{"suites/core/...", "suites/ext/...", "suites/config/spelling", "suites/probe", "suites/protocol", "suites/requirements", "suites/roles", "suites/suite"}},
	{"suites/internal/judge", []string{"suites/internal/engine", "suites/internal/evidence", "suites/internal/pages", "suites/internal/specs", "suites/internal/connect", "suites/plan", "suites/config", "suites/suite", "schemas", "reports"}},
	// Only tests import these two, whose imports this test does not list.
	{"suites/internal/proof", []string{"internal/bubble", "internal/room", "reference-server/inprocess", "reports", "suites/internal/judge", "suites/internal/pages", "suites/config", "suites/frame", "suites/plan",
		"suites/probe", "suites/protocol", "suites/requirements", "suites/selftest", "suites/suite"}},
	{"suites/internal/lawful", []string{"reference-server/fault", "reference-server/inprocess", "reports", "suites/config", "suites/internal/proof", "suites/internal/fakeserver", "suites/plan",
		"suites/requirements", "suites/suite"}},
	{"suites/starter", []string{"suites/internal/discover", "suites/probe", "suites/requirements", "suites/roles", "reports"}},
	{"suites/selftest", []string{"suites/internal/bubblelock", "suites/internal/judge", "suites/internal/pages", "suites/internal/watching", "suites/frame", "suites/config", "suites/plan", "suites/requirements", "suites/suite", "reports"}},
	{"suites", []string{"suites/internal/engine", "suites/internal/specs", "suites/internal/judge", "suites/internal/pages", "suites/internal/ginkgospecs", "suites/plan", "suites/requirements", "suites/roles", "suites/suite", "reports", "reports/text"}},
	// A third party's program imports what is public.
	{"fixtures/ownsuite", []string{"reports/text", "suites", "suites/config", "suites/probe", "suites/requirements", "suites/roles", "suites/suite"}},
	{"fixtures/...", []string{"fixtures/..."}},
	{"internal/vacant", nil},
	{"internal/corpus", []string{"internal/vacant", "reports", "reports/jsonfile"}},
	{"internal/load", []string{"reports", "reports/jsonfile"}},
	{"internal/release", nil},
	{"internal/peer", []string{"internal/vacant", "reports", "reports/jsonfile"}},
	{"internal/newcase", []string{"suites/requirements"}},
	{"reports", []string{"schemas/report", "suites/requirements"}},
	// The page shows the badge, which is a picture and not a format.
	{"reports/html", []string{"badge", "internal/excerpt", "reports", "reports/fleet", "reports/internal/...", "suites/requirements"}},
	{"reports/...", []string{"internal/excerpt", "reports", "reports/...", "schemas/report", "suites/requirements"}},
	{"badge", []string{"reports", "suites/requirements"}},
	// A fault's type and the pages know no extension.
	{"reference-server/fault/...", []string{"reference-server/fault", "reference-server/fault/lists", "suites/requirements"}},
	// The only package that knows both sides.
	{"reference-server/inprocess", []string{"reference-server", "reference-server/auth", "reference-server/core", "reference-server/fault", "reference-server/faults",
		"reference-server/server", "suites/config", "suites/plan", "suites/requirements", "suites/roles", "suites/selftest"}},
	{"reference-server/...", []string{"reference-server/...", "suites/requirements", "schemas"}},
	{"cmd/...", []string{"cmd/...", "internal/room", "suites", "suites/plan", "suites/record", "suites/suite", "suites/config/...", "suites/selftest", "suites/starter", "suites/requirements", "suites/roles", "reports", "reports/...", "schemas/report", "badge", "reference-server/..."}},
}

// only says which of our packages may import a library at all.
var only = map[string][]string{
	"github.com/mark3labs/mcp-go":                {"reference-server/..."},  // a decoder that repairs messages hides findings
	"github.com/golang-jwt/jwt/v5":               {"reference-server/auth"}, // the kit's own tokens are wrong on purpose
	"github.com/onsi/ginkgo/v2":                  {"suites/internal/ginkgospecs"},
	"github.com/spf13/cobra":                     {"cmd/..."},
	"github.com/jstemmer/go-junit-report/v2":     {"reports/junit"},
	"github.com/tailscale/hujson":                {"suites/config/clients"},
	"go.yaml.in/yaml/v4":                         {"suites/config", "suites/ext/internal/guide"},
	"github.com/santhosh-tekuri/jsonschema/v6":   {"schemas", "reports/jsonfile", "reports/internal/golden"},
	"github.com/rogpeppe/go-internal/testscript": nil,
	"github.com/yosida95/uritemplate/v3":         {"suites/core/resources", "suites/core/completion"},
}

func TestImports(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		of := strings.TrimPrefix(strings.TrimPrefix(fields[0], module), "/")
		for _, imported := range fields[1:] {
			if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
				if !allowed(of, ours) {
					t.Errorf("%s must not import %s", of, ours)
				}
				continue
			}
			for library, by := range only {
				if (imported == library || strings.HasPrefix(imported, library+"/")) && !matches(by, of) {
					t.Errorf("%s must not import %s", of, imported)
				}
			}
		}
	}
}

func allowed(of, imported string) bool {
	for _, r := range rules {
		if matches([]string{r.of}, of) {
			return matches(r.may, imported)
		}
	}
	return false
}

func matches(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		below, ok := strings.CutSuffix(p, "/...")
		return p == pkg || ok && (pkg == below || strings.HasPrefix(pkg, below+"/"))
	})
}

// Every package comment begins with the package's job. A folder with only tests
// is no package to import, as its name says.
func TestPackageComments(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}}|{{if .GoFiles}}{{.Doc}}{{else}}only tests{{end}}`, module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		name, says, _ := strings.Cut(strings.TrimSpace(line), "|")
		switch onlyTests := says == "only tests"; {
		case says == "":
			t.Errorf("%s has no package comment", name)
		case onlyTests != strings.HasSuffix(name, "_test"):
			t.Errorf("%s: a folder of tests alone is called ..._test, and no other is", name)
		}
	}
}
