// Package discovery holds the cases of the server discovery proposal: a server says which
// other servers can do what it cannot.
package discovery

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases: first those of the method, then those of the manifest.
func Suite() suite.Suite {
	claimed := func(slug, title string, rule requirements.ID, fix string, run func(*probe.Client) error) suite.Case {
		return bench.Case("ext-server-discovery/"+slug, title, rule, fix, run, suite.Claim("server-discovery"))
	}
	const missing = "check that capability_needed is a string, and answer error -32602 where it is not"
	return suite.Suite{
		Name:      "ext-server-discovery",
		Title:     "a server recommends others for what it cannot do",
		Extension: proposal.Extension("server-discovery"),
		Cases: []suite.Case{
			claimed("method", "recommend_servers answers with an array of recommendations", "ext-discovery-method",
				"answer recommend_servers with recommendations, an array, which may be empty", answered),
			claimed("entry", "a recommendation names its server, and its capability is a string", "ext-discovery-entry",
				"send server_name as a string that is not empty, and capability, where it is given, likewise", onEntries(named)),
			claimed("registry-url", "registry_url is an absolute URI, and auth_flow a string", "ext-discovery-registry-url",
				"write the whole address of the registry, with its scheme, and the name of the flow as a string", onBoth(registered)),
			claimed("confidence", "match_confidence is high, medium or low", "ext-discovery-confidence",
				"send high, medium or low as match_confidence", onBoth(confident)),
			claimed("order", "the best matches come first", "ext-discovery-order",
				"sort the recommendations by match_confidence, high first", ordered),
			claimed("no-match", "a capability that no known server has gives an empty array", "ext-discovery-no-match",
				"answer recommendations as an empty array where there are none", noMatch),
			claimed("no-capability", "a question without a capability is rejected", "ext-discovery-missing-param", missing,
				rejected(probe.Object{})),
			claimed("capability-number", "a capability that is a number is rejected", "ext-discovery-missing-param", missing,
				rejected(probe.Object{"capability_needed": 5})),
			claimed("manifest-entries", "recommendations of the manifest name a capability and a server", "ext-discovery-manifest-list",
				"send capability and server_name of each recommendation as strings", manifestEntries),
			claimed("manifest-agrees", "recommend_servers has the servers that the manifest recommends", "ext-discovery-manifest-list",
				"make the recommendations of the manifest and of recommend_servers from one table", manifestAgrees),
		},
	}
}

// ask asks for a capability: that of words.recommend, unless the case has another one.
func ask(c *probe.Client, capability string) proposal.Answer {
	return proposal.RecommendServers().Ask(c, probe.Object{"capability_needed": capability})
}

func answered(c *probe.Client) error {
	word := c.Survey().Given.Recommend
	answer := ask(c, word)
	c.NotSeenIf(answer.Unknown && !proposal.Explicit(c, "server-discovery"),
		"the server does not have recommend_servers, and does not claim it by name")
	if answer.Unknown {
		return answer.Violation("%s", proposal.RecommendServers().Tried(c))
	}
	c.Must(proposal.WantDone(answer.Reply))
	if _, ok := answer.Object["recommendations"].([]any); !ok {
		return answer.Violation("$.result.recommendations is %s, want an array", probe.Show(answer.Object["recommendations"]))
	}
	if echo, given := answer.Object["capability_needed"]; given && echo != word {
		return answer.Violation("$.result.capability_needed is %s, want %q as in the request", probe.Show(echo), word)
	}
	return proposal.RecommendServers().NoteForm(c, answer)
}

// A recommendation is one that is an object, with its place.
type recommendation struct {
	of    map[string]any
	where string
	shown probe.Evident
}

func (r recommendation) violation(property, want string) *probe.Violation {
	return probe.Shown(r.shown).Violation("%s.%s is %s, want %s", r.where, property, probe.Show(probe.Member(r.of, property)), want)
}

// name is the server. The text of the proposal calls it server.
func (r recommendation) name() string {
	if name := probe.TextOf(r.of["server_name"]); name != "" {
		return name
	}
	return probe.TextOf(r.of["server"])
}

// recommended are the entries of an answer.
func recommended(answer proposal.Answer) []recommendation {
	var all []recommendation
	for i, one := range probe.ArrayOf(answer.Object["recommendations"]) {
		all = append(all, recommendation{probe.ObjectOf(one), fmt.Sprintf("$.result.recommendations[%d]", i), answer})
	}
	return all
}

// manifested are the entries of the manifest.
func manifested(c *probe.Client) []recommendation {
	h := proposal.ReadManifest(c)
	var all []recommendation
	for i, one := range probe.ArrayOf(h.Document["recommendations"]) {
		all = append(all, recommendation{probe.ObjectOf(one), h.Where("recommendations", i), h.Shown})
	}
	return all
}

// entries are those that the server recommends. The case ends where there are none.
func entries(c *probe.Client) []recommendation {
	all := found(c)
	c.NotSeenIf(len(all) == 0, none)
	return all
}

const none = "the server recommends no server; words.recommend names a capability that it has some for"

// found are the entries of the configured capability, or where there are none those of the first
// one that the manifest names.
func found(c *probe.Client) []recommendation {
	all := recommended(ask(c, c.Survey().Given.Recommend))
	for _, r := range manifested(c) {
		if capability := probe.TextOf(r.of["capability"]); len(all) == 0 && capability != "" {
			all = recommended(ask(c, capability))
		}
	}
	return all
}

func onEntries(judge func(c *probe.Client, r recommendation) error) func(*probe.Client) error {
	return func(c *probe.Client) error {
		for _, r := range entries(c) {
			if err := judge(c, r); err != nil {
				return err
			}
		}
		return nil
	}
}

// onBoth judges the entries of the manifest, too.
func onBoth(judge func(c *probe.Client, r recommendation) error) func(*probe.Client) error {
	return func(c *probe.Client) error {
		all := append(found(c), manifested(c)...)
		c.NotSeenIf(len(all) == 0, none)
		for _, r := range all {
			if err := judge(c, r); err != nil {
				return err
			}
		}
		return nil
	}
}

func named(c *probe.Client, r recommendation) error {
	switch {
	case r.of == nil:
		return probe.Shown(r.shown).Violation("%s is not an object, want one", r.where)
	case r.name() == "":
		return r.violation("server_name", "a string that is not empty")
	case capabilityUnreadable(r):
		return r.violation("capability", "a string that is not empty").AtMostWarn()
	case probe.TextOf(r.of["server_name"]) == "":
		c.Note("a recommendation names its server as server, as the text of the proposal does; the manifest's schema has server_name")
	}
	return nil
}

// capabilityUnreadable reports whether a recommendation has a capability that is not its name.
func capabilityUnreadable(r recommendation) bool {
	value, given := r.of["capability"]
	return given && probe.TextOf(value) == ""
}

func registered(c *probe.Client, r recommendation) error {
	if value, given := r.of["registry_url"]; given {
		at, err := url.Parse(probe.TextOf(value))
		if err != nil || !at.IsAbs() {
			return r.violation("registry_url", "an absolute URI")
		}
		if at.Scheme != "https" {
			c.Note(r.where + ".registry_url is not https")
		}
	}
	value, given := r.of["auth_flow"]
	flow, ok := value.(string)
	if given && !ok {
		return r.violation("auth_flow", "a string")
	}
	if known := []string{"oauth2_device", "oauth2_code", "api_key", "bearer_token", "none"}; given && !slices.Contains(known, flow) {
		c.Note(fmt.Sprintf("%s.auth_flow is %q, which is not among the methods of a manifest", r.where, flow))
	}
	return nil
}

// weight orders what match_confidence may be; a number is the form of the example servers.
func weight(value any) (weight float64, ok bool) {
	if n, number := probe.NumberOf(value); number {
		return n, n >= 0 && n <= 1
	}
	at := slices.Index([]any{"low", "medium", "high"}, value)
	return float64(at), at >= 0
}

func confident(_ *probe.Client, r recommendation) error {
	value, given := r.of["match_confidence"]
	if !given {
		return nil
	}
	if _, ok := weight(value); !ok {
		return r.violation("match_confidence", "high, medium or low")
	}
	if _, number := probe.NumberOf(value); number {
		return r.violation("match_confidence", "high, medium or low").AtMostWarn()
	}
	return nil
}

func ordered(c *probe.Client) error {
	var last any
	for _, r := range entries(c) {
		value, given := r.of["match_confidence"]
		if !given {
			continue
		}
		now, ok := weight(value)
		before, fits := weight(last)
		_, number := value.(string)
		_, numbered := last.(string)
		c.UndecideIf(!ok, "match_confidence is not one of its values; ext-server-discovery/confidence says so")
		if last != nil && fits && number == numbered && now > before {
			return r.violation("match_confidence", "no better one than that before it, "+probe.Show(last))
		}
		last = value
	}
	return nil
}

func noMatch(c *probe.Client) error {
	answer := ask(c, "no-such-capability-"+c.Nonce())
	c.NotSeenIf(answer.Unknown, "the server does not have recommend_servers; ext-server-discovery/method says so")
	c.Must(proposal.WantDone(answer.Reply))
	all, ok := answer.Object["recommendations"].([]any)
	_, usual := ask(c, c.Survey().Given.Recommend).Object["recommendations"].([]any)
	c.NotSeenIf(!ok && !usual, "no answer has an array of recommendations, which ext-server-discovery/method judges")
	if !ok || len(all) > 0 {
		return answer.Violation("$.result.recommendations is %s, want an empty array", probe.Show(answer.Object["recommendations"]))
	}
	return nil
}

func rejected(params probe.Object) func(*probe.Client) error {
	return func(c *probe.Client) error {
		answer := proposal.RecommendServers().Ask(c, params)
		c.NotSeenIf(answer.Unknown, "the server does not have recommend_servers; ext-server-discovery/method says so")
		return proposal.WantDeclined(answer.Reply)
	}
}

func manifestEntries(c *probe.Client) error {
	h := proposal.ReadManifest(c)
	if value, given := h.Document["recommendations"]; given && probe.ArrayOf(value) == nil {
		return h.Shown.Violation("%s is %s, want an array", h.Where("recommendations"), probe.Show(value))
	}
	all := manifested(c)
	c.NotSeenIf(len(all) == 0, "the manifest has no recommendations")
	for _, r := range all {
		for _, property := range []string{"capability", "server_name"} {
			if probe.TextOf(r.of[property]) == "" {
				return r.violation(property, "a string that is not empty")
			}
		}
	}
	return nil
}

func manifestAgrees(c *probe.Client) error {
	all := manifested(c)
	c.NotSeenIf(len(all) == 0, "the manifest has no recommendations")
	for _, r := range all[:min(len(all), c.Waits().Reads)] {
		capability := probe.TextOf(r.of["capability"])
		if capability == "" || r.name() == "" {
			continue // ext-server-discovery/manifest-entries judges it
		}
		answer := ask(c, capability)
		c.NotSeenIf(answer.Unknown, "the server does not have recommend_servers; ext-server-discovery/method says so")
		own := recommended(answer)
		_, listed := answer.Object["recommendations"].([]any)
		c.UndecideIf(!listed || slices.ContainsFunc(own, func(other recommendation) bool { return other.name() == "" }),
			"the answer has no array of named servers; ext-server-discovery/method and /entry say so")
		if !slices.ContainsFunc(own, func(other recommendation) bool { return other.name() == r.name() }) {
			return probe.Shown(r.shown, answer).Violation(
				"recommend_servers does not have %q for %q, which the manifest recommends, want the same servers in both",
				r.name(), capability).AtMostWarn()
		}
	}
	return nil
}
