package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const list = "supported_extensions"

func claims() []suite.Case {
	return []suite.Case{
		handed("extensions-enum", "supported_extensions holds defined names only", "ext-manifest-extensions-enum",
			"send an array of names out of these, each at most once: "+strings.Join(tokens(), ", "), of(extensionsEnum)),
		handed("claims-agree", "the manifest and the capabilities name the same extensions", "ext-manifest-claims-agree",
			"make supported_extensions and capabilities.extensions from the same list", of(claimsAgree)),
		handed("claims-agree-later", "supported_extensions is the same after a failed request", "ext-manifest-claims-agree",
			"decide what the server supports before it accepts its first request", of(claimsAgreeLater)),
	}
}

func extensionsEnum(d *document) error {
	value := d.needed(list)
	d.client.Must(d.fits("Extensions", value, list))
	seen := map[string]bool{}
	for i, name := range probe.Strings(value) {
		if seen[name] {
			return d.violation("%s is %q, which occurs before, want each name once", d.Where(list, i), name).AtMostWarn()
		}
		seen[name] = true
	}
	return nil
}

// A server may declare its extensions in the manifest alone: then there is nothing
// that could disagree.
func claimsAgree(d *document) error {
	value, ok := d.Document[list].([]any)
	if !ok {
		d.absent(list)
		return nil
	}
	d.client.NotSeenIf(len(probe.Strings(value)) < len(value),
		"a name in supported_extensions is not a string, which ext-manifest/extensions-enum judges")
	listed, declared := set(probe.Strings(value)), declaredTokens(d.client.Survey().Capabilities)
	d.client.NotSeenIf(len(declared) == 0, "the capabilities name none of the extensions that have a name in the manifest")
	var problems []string
	for _, token := range slices.Sorted(maps.Keys(declared)) {
		if !listed[token] {
			problems = append(problems, fmt.Sprintf("%s lacks %q, which the capabilities declare", d.Where(list), token))
		}
	}
	for _, token := range slices.Sorted(maps.Keys(listed)) {
		if !declared[token] && slices.Contains(tokens(), token) {
			problems = append(problems, fmt.Sprintf("%s holds %q, which the capabilities do not declare", d.Where(list), token))
		}
	}
	return d.none(problems)
}

// declaredTokens are the names of the manifest that the capabilities declare.
func declaredTokens(capabilities map[string]any) map[string]bool {
	declared := map[string]bool{}
	for _, member := range []string{"extensions", "experimental"} {
		for key := range probe.ObjectOf(capabilities[member]) {
			token, prefixed := strings.CutPrefix(key, proposal.Prefix)
			declared[token] = declared[token] || prefixed
		}
		for _, token := range probe.Strings(capabilities[member]) {
			declared[token] = true
		}
	}
	maps.DeleteFunc(declared, func(token string, claimed bool) bool { return !claimed || !slices.Contains(tokens(), token) })
	return declared
}

// tokens are the names that a manifest has for extensions.
func tokens() []string {
	return []string{
		"streaming", "progress_notifications", "idempotency", "transactions", "session_state", "intent_hints", "provenance",
		"human_in_the_loop", "data_references", "subscribe_notify", "server_recommendations", "structured_errors",
		"multimodal_signatures", "conformance",
	}
}

func set(names []string) map[string]bool {
	all := map[string]bool{}
	for _, name := range names {
		all[name] = true
	}
	return all
}

// The first document is that of discovery, which causes no failure of a tool.
func claimsAgreeLater(d *document) error {
	early := proposal.Manifest(d.client)
	d.client.NotSeenIf(early == nil, "the server handed no manifest over at first")
	before := probe.Member(early, list)
	failed := d.client.Call("tools/call", probe.Object{"name": "kit_" + d.client.Nonce(), "arguments": probe.Object{}})
	later := proposal.ReadManifestAnew(d.client)
	d.client.UndecideIf(later.Document == nil, "the server hands over no manifest any more; ext-manifest/available says so")
	after := probe.Member(later.Document, list)
	if !probe.Same(sorted(before), sorted(after)) {
		return probe.Shown(failed).And(later.Shown).Violation("%s is %s after a failed request, want %s as at first",
			later.Where(list), probe.Show(after), probe.Show(before))
	}
	return nil
}

// sorted is an array of strings whatever its order.
func sorted(v any) any {
	names := probe.Strings(v)
	if all, ok := v.([]any); !ok || len(names) != len(all) {
		return v
	}
	slices.Sort(names)
	return fmt.Sprint(names)
}

// backed are the names that show without a configuration whether something stands
// behind them. The others are claims by name, which their own suites judge.
func backed() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct {
		token, slug, title, fix string
		needs                   []suite.Need
		shows                   func(d *document) error
	}{
		{
			token: "transactions", slug: "transactions", title: "a manifest that names transactions belongs to a server that begins one",
			fix: "serve transaction/begin, or take transactions out of supported_extensions", shows: transactionsBegin,
		},
		{
			token: "subscribe_notify", slug: "events",
			title: "a manifest that names subscribe_notify belongs to a server that accepts subscriptions",
			fix:   "serve events/subscribe for the events that it names, or take subscribe_notify out of supported_extensions",
			shows: eventsAccepted,
		},
		{
			token: "server_recommendations", slug: "recommendations",
			title: "a manifest that names server_recommendations belongs to a server that recommends",
			fix:   "serve recommend_servers, or take server_recommendations out of supported_extensions", shows: recommendsServers,
		},
		{
			token: "human_in_the_loop", slug: "confirmation", title: "a manifest that names human_in_the_loop marks a tool that needs confirmation",
			fix:   "mark the tools that wait for the user with requires_confirmation, or take human_in_the_loop out of supported_extensions",
			needs: []suite.Need{suite.Capability("tools")}, shows: confirmationMarked,
		},
		{
			token: "structured_errors", slug: "errors",
			title: "a manifest that names structured_errors belongs to a server whose failures carry a record",
			fix:   "add the record to failures, or take structured_errors out of supported_extensions",
			needs: []suite.Need{suite.Role(roles.InvalidInput, "invalid-arguments")}, shows: failuresRecorded,
		},
	} {
		cases = append(cases, handed("claims-truthful-"+row.slug, row.title, "ext-manifest-claims-truthful",
			row.fix, of(func(d *document) error {
				d.client.NotSeenIf(!slices.Contains(probe.Strings(d.Document[list]), row.token),
					"the manifest does not name "+row.token)
				return row.shows(d)
			}), row.needs...))
	}
	return cases
}

// promised calls a method that the manifest names. One that is offered in no form is
// what the case is about.
func (d *document) promised(m proposal.Method, params probe.Object) (proposal.Answer, error) {
	m.Claimed = true
	answer := m.Ask(d.client, params)
	if answer.Unknown {
		return answer, d.Shown.And(answer.Reply).Violation("%s, want a server that offers what %s names", answer.AnswerTo(m.Name), d.Where(list))
	}
	return answer, nil
}

// An empty transaction changes nothing, and is ended again.
func transactionsBegin(d *document) error {
	id := "kit-" + d.client.Nonce()
	answer, err := d.promised(proposal.BeginTransaction(), probe.Object{"transaction_id": id, "timeout_seconds": 60})
	if err != nil || !proposal.Done(answer.Reply) {
		return err
	}
	end := proposal.RollbackTransaction()
	end.Claimed = true
	end.Ask(d.client, probe.Object{"transaction_id": id, "reason": "the conformance kit wanted to see one"})
	return nil
}

func recommendsServers(d *document) error {
	_, err := d.promised(proposal.RecommendServers(), probe.Object{"capability_needed": "design_mockup"})
	return err
}

// A server need not know the event that is asked for first, but one of those that it
// then names. One whose transport carries no events says so.
func eventsAccepted(d *document) error {
	answer, denied, err := d.subscribe("kit_" + d.client.Nonce())
	if err != nil || !denied || answer.Object["supported"] == false {
		return err
	}
	offered := probe.Strings(answer.Object["supported_events"])
	if len(offered) == 0 {
		return nil // it answers, and which events it has is not known
	}
	shown := d.Shown.And(answer.Reply)
	for _, event := range offered[:min(len(offered), d.client.Waits().Reads)] {
		answer, denied, err := d.subscribe(event)
		if err != nil || !denied {
			return err
		}
		shown = shown.And(answer.Reply)
	}
	return shown.Violation("all subscriptions to the events in supported_events are denied, want one that is accepted")
}

// subscribe asks for an event, and ends the subscription again.
func (d *document) subscribe(event string) (answer proposal.Answer, denied bool, err error) {
	id := "kit-" + d.client.Nonce()
	answer, err = d.promised(proposal.SubscribeEvents(), probe.Object{
		"subscription_id": id, "events": []any{event}, "ttl_seconds": 60,
	})
	if err != nil || !proposal.Done(answer.Reply) || answer.Object["status"] == "denied" {
		return answer, err == nil, err
	}
	if own, ok := answer.Object["subscription_id"].(string); ok {
		id = own
	}
	end := proposal.UnsubscribeEvents()
	end.Claimed = true
	end.Ask(d.client, probe.Object{"subscription_id": id})
	return answer, false, nil
}

// confirmationMarked looks wherever the mark of a tool may stand.
func confirmationMarked(d *document) error {
	items := probe.List(d.client, protocol.Tools())
	items.MustBeRead()
	tools := slices.Clone(probe.ArrayOf(d.Document["tools"]))
	for _, item := range items.All {
		meta := probe.ObjectOf(item.Get("_meta"))
		tools = append(tools, item.Value, meta, meta[proposal.Prefix+"confirmation"])
		if meta[proposal.Prefix+"requires_confirmation"] == true {
			return nil
		}
	}
	if slices.ContainsFunc(tools, func(tool any) bool { return probe.ObjectOf(tool)["requires_confirmation"] == true }) {
		return nil
	}
	return d.Shown.And(items).Violation("no tool has requires_confirmation, want one, since %s names human_in_the_loop", d.Where(list))
}

// failuresRecorded causes two failures, one of which is that of a tool: a server may
// keep its records to those.
func failuresRecorded(d *document) error {
	call := d.client.Role(roles.InvalidInput).Call().Using("invalid-arguments")
	failed := d.client.CallTool(call, nil)
	unknown := d.client.Call("tools/call", probe.Object{"name": "kit_" + d.client.Nonce(), "arguments": probe.Object{}})
	for _, reply := range []*probe.Reply{failed, unknown} {
		if _, _, ok := proposal.Record(reply); ok {
			return nil
		}
	}
	d.client.UndecideIf(!failed.ErrorFlag(), "no failure of a tool could be caused: "+failed.AnswerTo("the malformed arguments"))
	return d.Shown.And(failed, unknown).Violation("two failures carry no record with a code and a category, want one, since %s names "+
		"structured_errors", d.Where(list))
}
