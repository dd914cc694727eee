package resources

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// filterCases judge what a server makes of the filter of a subscription.
func filterCases() []suite.Case {
	cases := []suite.Case{{
		ID:     "resources/listen-ack-filter",
		Title:  "a subscription is acknowledged for what was asked for and declared, and for nothing else",
		Checks: []requirements.ID{"resources-listen-ack-filter-subset"},
		Needs:  []suite.Need{listens()},
		Fix:    "leave out of the acknowledged filter what the client did not ask for, and what the capabilities do not declare",
		Run:    ackFilter,
	}, {
		ID:     "resources/listen-ack-declared",
		Title:  "a subscription to changes of a list that the server declares is acknowledged for them",
		Checks: []requirements.ID{"resources-listen-ack-filter-declared"},
		Needs:  []suite.Need{tellsOfLists()},
		Fix:    "put each field of the filter into the acknowledged filter that the capabilities declare as listChanged, or do not declare it",
		Run:    ackDeclared,
	}}
	for _, row := range []struct {
		slug, what string
		params     probe.Object
		needs      suite.Need
	}{
		{"missing", "without a filter", probe.Object{}, listens()},
		{"text", "with a string as filter", probe.Object{"notifications": "toolsListChanged"}, listens()},
		{"uris-text", "with a string in place of URIs", probe.Object{"notifications": probe.Object{"resourceSubscriptions": "test://a"}},
			suite.Capability("resources.subscribe")}, // what a server does not offer it may leave out unread
	} {
		cases = append(cases, suite.Case{
			ID:     "resources/listen-filter-" + row.slug,
			Title:  "subscriptions/listen " + row.what + " is rejected as invalid params",
			Checks: []requirements.ID{"resources-listen-invalid-filter"},
			Needs:  []suite.Need{row.needs},
			Fix:    "check notifications before the subscription opens, and answer error -32602 where it does not fit the schema",
			Run:    func(c *probe.Client) error { return invalidFilter(c, row.params) },
		})
	}
	return cases
}

// capabilityOf says which capability stands behind a field of the filter.
func capabilityOf() map[string]string {
	return map[string]string{
		"toolsListChanged": "tools.listChanged", "promptsListChanged": "prompts.listChanged",
		"resourcesListChanged": "resources.listChanged", "resourceSubscriptions": "resources.subscribe",
	}
}

// ackFilter asks for everything in one subscription, and for one thing in another. What is
// acknowledged as false or as an empty array stands for nothing.
func ackFilter(c *probe.Client) error {
	everything := probe.Object{"resourceSubscriptions": listedURIs(c)}
	for field := range capabilityOf() {
		if _, given := everything[field]; !given {
			everything[field] = true
		}
	}
	filters := []probe.Object{everything}
	if declared := slices.Sorted(maps.Keys(wanted(c))); len(declared) > 0 {
		filters = append(filters, probe.Object{declared[0]: everything[declared[0]]})
	}
	for _, filter := range filters {
		if err := subset(c, filter); err != nil {
			return err
		}
	}
	return nil
}

// servedUndeclared reports whether a list is served, and its capability is missing as a whole.
func servedUndeclared(c *probe.Client, capability string) bool {
	of, _, _ := strings.Cut(capability, ".")
	return !c.Survey().Declares(of) && c.Call(of+"/list", nil).Served()
}

func subset(c *probe.Client, asked probe.Object) error {
	l := subscriptions.Listen(c, asked)
	defer l.End()
	acknowledged := l.MustOpen()
	m := acknowledged.Message()
	filter, _ := m.At("/params/notifications")
	says := probe.Shown(l, probe.One(acknowledged.Frame))
	for _, field := range slices.Sorted(slices.Values(honoured(filter))) {
		capability, known := capabilityOf()[field]
		switch value := probe.ObjectOf(filter)[field]; {
		case !known:
			continue // of an extension
		case asked[field] == nil:
			return says.Violation("$.params.notifications has %s, which the client did not ask for, want it left out", field)
		case probe.Misdeclared(c.Survey().Capabilities, capability), servedUndeclared(c, capability):
			continue // one slip, which the page of the capability judges
		case !c.Survey().Declares(capability):
			return says.Violation("$.params.notifications has %s, and %s is not declared, want it left out", field, capability)
		default:
			for _, uri := range probe.Strings(value) {
				if given, _ := asked[field].([]string); !slices.Contains(given, uri) {
					return says.Violation("$.params.notifications.%s has %s, which the client did not ask for, want it left out",
						field, probe.Show(uri))
				}
			}
		}
	}
	return nil
}

// tellsOfLists needs a server that tells of changes of a list.
func tellsOfLists() suite.Need {
	return suite.Either(suite.Capability("tools.listChanged"), suite.Capability("prompts.listChanged"),
		suite.Capability("resources.listChanged"))
}

// ackDeclared asks for one list in each subscription, since several may be too much for one.
// Which single resources can be watched is for the server to say.
func ackDeclared(c *probe.Client) error {
	filter := wanted(c).Without("resourceSubscriptions")
	for _, field := range slices.Sorted(maps.Keys(filter)) {
		l := subscriptions.Listen(c, probe.Object{field: true})
		acknowledged := l.MustOpen()
		m := acknowledged.Message()
		given, has := m.At("/params/notifications")
		if !has {
			given = probe.Absent{}
		}
		if !slices.Contains(honoured(given), field) {
			v := probe.Shown(l, probe.One(acknowledged.Frame)).Violation("$.params.notifications is %s, and %s is declared, want %s in it",
				probe.Show(given), capabilityOf()[field], field)
			object, is := given.(map[string]any)
			value, there := object[field]
			if _, boolean := value.(bool); !is || there && !boolean {
				v = v.Unless(probe.Elsewhere{Case: "schema/messages-valid", Why: "the acknowledgement has another type"})
			}
			return v
		}
		l.End()
	}
	return nil
}

// invalidFilter does not wait for an answer that never comes where the server takes the
// filter.
func invalidFilter(c *probe.Client, params probe.Object) error {
	l := subscriptions.Start(c, params)
	first, came := l.First()
	if came && !l.Over(first) {
		return probe.Shown(l, probe.One(first.Frame)).Violation("%s came, want error %d", first.Message().Method, protocol.InvalidParams)
	}
	reply := l.Reply()
	if !reply.HasCode(protocol.InvalidParams) && reply.Refused() {
		subscriptions.Listen(c, wanted(c)).MustOpen() // the server may take no subscription at all
	}
	return reply.WantError(protocol.InvalidParams)
}
