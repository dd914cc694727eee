// Package discover holds the ways to break server/discover.
package discover

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault { return slices.Concat(answer(), form(), dependence(), accuracy()) }

func answer() []fault.Fault {
	return []fault.Fault{{
		Name: "discover-unknown-method", Title: "server/discover is an unknown method", Breaks: "discover-implemented",
		// Without discovery no capability is declared.
		May: []string{
			"tools/capability-declared", "resources/capability-declared", "prompts/capability-declared",
			"ext-degradation/unclaimed-meta-transactions",
			"completion/capability-declared",
		},
		Inbound: unknown("server/discover"),
	}, {
		Name: "discover-wants-client", Title: "server/discover is rejected when the client sends no clientInfo",
		Breaks: "meta-client-info-optional",
		Inbound: fault.When(func(x fault.Exchange) bool {
			return x.Method == "server/discover" && fault.Client(x.Params) == nil
		}).Refuse(-32602, "clientInfo is missing"),
	}}
}

func form() []fault.Fault {
	return []fault.Fault{{
		Name: "discover-version-number", Title: "server/discover lists a revision as a number",
		Breaks: "discover-result-schema", Reply: listing(string(requirements.R20260728), 20251125),
	}, {
		Name: "discover-versions-text", Title: "server/discover lists the revisions in a string",
		Breaks: "discover-result-schema", Reply: fault.Set("server/discover", "/result/supportedVersions", string(requirements.R20260728)),
	}, {
		Name: "discover-capability-list", Title: "server/discover declares a capability as an array",
		Breaks: "discover-result-schema", Reply: fault.Set("server/discover", "/result/capabilities/completions", []any{}),
	}, {
		Name: "discover-instructions-list", Title: "the instructions in the server/discover result are an array",
		Breaks: "discover-instructions-string",
		Reply:  fault.OnResult("server/discover", func(result fault.Message) { result["instructions"] = []any{result["instructions"]} }),
	}}
}

func dependence() []fault.Fault {
	modern := fault.OverStdio(requirements.R20260728)
	return []fault.Fault{
		{Breaks: "discover-unsupported-version", Each: []fault.Fault{{
			Name: "discover-any-version", Title: "server/discover is served at any revision", In: modern,
			Inbound: fault.When(func(x fault.Exchange) bool { return x.Method == "server/discover" && fault.Foreign(x) }).Answer(map[string]any{
				"supportedVersions": []any{string(requirements.R20260728)}, "capabilities": map[string]any{},
				"resultType": "complete", "ttlMs": 0, "cacheScope": "private",
			}),
		}, {
			Name: "discover-later-version", Title: "server/discover is served at any later revision", In: modern,
			Inbound: fault.When(func(x fault.Exchange) bool {
				version, _ := fault.Meta(x.Params, "protocolVersion").(string)
				return x.Method == "server/discover" && version > string(requirements.R20260728)
			}).Answer(map[string]any{
				"supportedVersions": []any{string(requirements.R20260728)}, "capabilities": map[string]any{},
				"resultType": "complete", "ttlMs": 0, "cacheScope": "private",
			}),
		}, {
			Name:  "discover-refusal-without-list",
			Title: "the error of server/discover for an unsupported revision does not list the supported ones",
			Reply: fault.OnError("server/discover", func(failure fault.Message) {
				if failure["code"] == -32022 {
					delete(failure.Object("data"), "supported")
				}
			}),
		}}},
		{
			Name:   "discover-changes-with-use",
			Title:  "server/discover lists fewer revisions after a tools/list on the same connection",
			Breaks: "discover-same-on-every-connection", In: modern,
			Reply: fault.When(func(x fault.Exchange) bool {
				return x.Method == "server/discover" && x.After("tools/list")
			}).Set("/result/supportedVersions", []any{string(requirements.R20260728)}),
		}, {
			Name:   "discover-capability-lost",
			Title:  "server/discover declares no completions from the second request for it on, whoever sends it",
			Breaks: "discover-same-on-every-connection", In: fault.OverHTTP(requirements.R20260728),
			Kills: []string{"discover/same-everywhere"},
			Reply: fault.When(func(x fault.Exchange) bool {
				return x.Method == "server/discover" && x.Nth > 1
			}).Drop("/result/capabilities/completions"),
		},
	}
}

func accuracy() []fault.Fault {
	all := []fault.Fault{{
		Name: "discover-version-twice", Title: "server/discover lists a revision twice",
		Breaks: "discover-lists-current-version",
		Reply:  listing(string(requirements.R20260728), string(requirements.R20251125), string(requirements.R20260728)),
	}, {
		Name: "discover-lists-later", Title: "server/discover lists a later revision that the server does not serve",
		Breaks: "discover-versions-accurate",
		Reply:  listing(string(requirements.R20260728), "2027-02-11", string(requirements.R20251125)),
	}, {
		Name: "discover-lists-unagreed", Title: "server/discover lists a revision that initialize does not agree to",
		Breaks: "discover-versions-accurate",
		Negotiate: func(asked string, agreed requirements.Revision) string {
			if asked == string(requirements.R20250326) {
				return string(requirements.R20250618)
			}
			return string(agreed)
		},
	}, {
		Name: "discover-lists-refused", Title: "server/discover lists a revision that initialize rejects",
		Breaks: "discover-versions-accurate",
		Inbound: fault.When(func(x fault.Exchange) bool {
			return x.Method == "initialize" && x.Param("protocolVersion") == string(requirements.R20250326)
		}).Refuse(-32602, "the revision is served no longer"),
	}}
	owners := map[string][]string{"tools": {"tools/list-answered"}} // the rule that a declared list is served
	for _, capability := range []string{"tools", "resources", "prompts"} {
		all = append(all, fault.Fault{
			Name:   "discover-declares-unserved-" + capability,
			Title:  "discovery declares " + capability + ", and listing them is an unknown method",
			Breaks: "discover-capabilities-accurate", Kills: []string{"discover/declared-" + capability},
			May: owners[capability], Inbound: unknown(capability + "/list"),
		})
	}
	return append(all, fault.Fault{
		Name: "discover-prompts-unanswered", Title: "discovery declares prompts, and a request to list them is never answered",
		Breaks: "prompts-list-answered",
		Kills:  []string{"discover/declared-prompts"}, // which blocks the cases of the page
		Hangs:  true, Inbound: fault.On("prompts/list").Hang(),
	})
}

// listing replaces the revisions that discovery lists.
func listing(versions ...any) fault.Change {
	return fault.Set("server/discover", "/result/supportedVersions", versions)
}

// unknown makes a method unknown to requests at a served revision.
func unknown(method string) func(fault.Exchange) fault.Verdict {
	return fault.When(func(x fault.Exchange) bool { return x.Method == method && fault.Current(x.Params) }).Refuse(-32601, "unknown method")
}
