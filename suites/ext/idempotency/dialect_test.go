package idempotency_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/dialects"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

type object = dialects.Object

// onCall changes the params of calls, and their metadata.
func onCall(change func(params, meta object)) func(object) {
	return func(message object) {
		if params, ok := message["params"].(object); ok && message["method"] == "tools/call" {
			change(params, dialects.Child(params, "_meta"))
		}
	}
}

// onKeyed changes the results of calls that had a key, and their metadata.
func onKeyed(change func(result, meta object)) func(object) bool {
	return func(message object) bool {
		if result, ok := message["result"].(object); ok {
			if meta, ok := result["_meta"].(object); ok && meta["idempotency_key"] != nil {
				change(result, meta)
			}
		}
		return true
	}
}

func over(transport config.Transport, pinned ...string) func(*config.Config) {
	return func(c *config.Config) {
		c.Transport = transport
		if pinned != nil {
			c.Dialects = map[string]config.Dialect{"idempotency": {Carriers: pinned}}
		}
	}
}

func page() dialects.Page {
	return dialects.Page{Suites: []suite.Suite{idempotency.Suite()}, NotedBy: "replay-flag"}
}

// canonical takes the members of the draft out of the metadata.
func canonical(meta object) object {
	taken := object{}
	for _, name := range []string{"idempotency_key", "idempotency_ttl_seconds", "was_replay", "original_timestamp"} {
		if value, ok := meta[name]; ok {
			taken[name] = value
		}
		delete(meta, name)
		delete(meta, dialects.Prefix+name)
	}
	return taken
}

func besideArguments(params, meta object) {
	canonical(meta)
	for _, name := range []string{"idempotency_key", "idempotency_ttl_seconds"} {
		if value, ok := params[name]; ok {
			meta[name] = value
		}
	}
}

// Every form in which a server may have been written passes; an older form is
// named in a note.
func TestDialects(t *testing.T) {
	t.Parallel()
	// One page alone declares no other extension, so that nobody is asked to confirm anything.
	const http = "store-bounded after-question"
	const stdio = "header header-shares-store placement-mismatch survives-reconnect per-principal " + http
	intoGroup := func(result, meta object) { result["idempotency"] = canonical(meta) }
	page().Dialects(t, []dialects.Row{
		{Name: "the draft", Config: over(config.Stdio), Skips: stdio, Dialect: "BP"},
		{
			Name: "replays are marked, first calls are not", Config: over(config.Stdio), Skips: stdio, Dialect: "BP",
			Server: dialects.Translator{Out: onKeyed(func(_, meta object) {
				if meta["was_replay"] == false {
					for _, name := range []string{"was_replay", "original_timestamp"} {
						delete(meta, name)
						delete(meta, dialects.Prefix+name)
					}
				}
			})},
		},
		{
			Name: "the example servers", Config: over(config.Stdio), Skips: stdio, Dialect: "IBP", Noted: "was_replay stands in result.idempotency.was_replay",
			Server: dialects.Translator{In: onCall(besideArguments), Out: onKeyed(intoGroup)},
		},
		{
			Name: "metadata in the answer's own text", Config: over(config.Stdio), Skips: stdio, Dialect: "BP", Noted: "was_replay stands in structuredContent.was_replay",
			Server: dialects.Translator{Out: onKeyed(func(result, meta object) {
				for name, value := range canonical(meta) {
					dialects.Child(result, "structuredContent")[name] = value
				}
			})},
		},
		{
			Name: "a pinned place", Config: over(config.Stdio, "I"), Skips: stdio, Dialect: "I", Noted: "keys are read from params.idempotency_key",
			Server: dialects.Translator{In: onCall(besideArguments)},
		},
		{
			Name: "the header alone", Config: over(config.HTTP), Skips: http, Dialect: "HBPI", Noted: "the form of the text of the proposal",
			Server: dialects.Translator{In: onCall(func(_, meta object) { canonical(meta) })},
			Unseen: `key-malformed-empty key-malformed-letter key-malformed-number ttl-honoured ttl-malformed-text
				ttl-malformed-zero ttl-malformed-negative ttl-malformed-fraction header-shares-store placement-mismatch`,
		},
	})
}

// The text of the proposal asks for the header and for no metadata: what this form cannot carry
// is not judged, as where the configuration pins it.
func TestTheHeaderAloneIsLearnedByItsEffects(t *testing.T) {
	t.Parallel()
	report := page().Judge(t, dialects.Translator{
		In: onCall(func(_, meta object) { canonical(meta) }), Out: onKeyed(func(_, meta object) { canonical(meta) }),
	}, over(config.HTTP))
	for _, f := range report.Findings {
		told := slices.Contains([]string{"replay-flag", "key-echo", "original-timestamp"}, strings.TrimPrefix(f.Case, "ext-idempotency/"))
		if (f.Status == reports.Fail || f.Status == reports.Warn) != told {
			t.Errorf("%s %s: %s", f.Status, f.Case, f.Problem)
		}
	}
	if got := report.Target.Extensions[0].Dialect; got != "HBPI" {
		t.Errorf("the dialect is %q", got)
	}
}

func TestPlacesThatDisagreeAreWorthAWarning(t *testing.T) {
	t.Parallel()
	report := page().Judge(t, dialects.Translator{Out: onKeyed(func(result, meta object) { result["was_replay"] = meta["was_replay"] != true })}, over(config.Stdio))
	for _, f := range report.Findings {
		if f.Case == "ext-idempotency/replay-flag" && (f.Status != reports.Warn || !strings.Contains(f.Problem, "want the same in both places")) {
			t.Errorf("%s %s: %s", f.Status, f.Case, f.Problem)
		}
	}
}

func TestAnExtensionThatIsNotClaimedIsNotJudged(t *testing.T) {
	t.Parallel()
	report := page().Judge(t, dialects.Translator{}, func(c *config.Config) { c.Transport, c.Claims.Suppressed = config.Stdio, []string{"idempotency"} })
	for _, f := range report.Findings {
		if f.Status != reports.Skip || f.Reason.Kind != reports.NotClaimed {
			t.Errorf("%s %s: %+v", f.Status, f.Case, f.Reason)
		}
	}
}
