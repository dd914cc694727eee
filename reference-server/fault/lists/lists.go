// Package lists makes the faults that every list of the server can have: it is not
// there, its items are not as they should be, it depends on who asks or on what was
// asked before, and its changes are not announced as they should be.
package lists

import (
	"crypto/rand"
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A List is a list of the server in the words of its page.
type List struct {
	Area   string // of the faults and cases; the capability and what holds the items have the same name
	Method string // "tools/list"
	Noun   string // "tool"
	Key    string // the property that tells items apart
	Word   string // how titles call that property
	Taken  string // the key of an item that the server has

	// Spare is an item that nobody uses. It has a name that comes before all others,
	// since the server sorts by names.
	Spare fault.Message
	// Add offers one more item that nobody uses, with a mark in its key.
	Add func(r fault.Registry, mark string)
}

// Rules are the requirements that the faults break. A rule that is left empty has no
// fault. Of the two rules on lists that are declared and not answered, each is for the
// revisions that it holds in.
type Rules struct {
	Declared        requirements.ID
	Unknown         requirements.ID // broken by an error for unknown methods
	Null            requirements.ID // broken by null instead of an array
	Schema          requirements.ID
	Unique          requirements.ID
	Order           requirements.ID
	PerConnection   requirements.ID
	NoSideEffects   requirements.ID
	ChangedSchema   requirements.ID
	ChangedDeclared requirements.ID // up to 2025-11-25
	ChangedSent     requirements.ID
}

// Faults returns the faults of one list for the rules that are not empty.
func Faults(l List, r Rules) []fault.Fault {
	all := fault.Flat(slices.Concat(l.offered(r), l.compared(r), l.announced(r)))
	return slices.DeleteFunc(all, func(f fault.Fault) bool { return f.Breaks == "" })
}

func (l List) items() string { return l.Noun + "s" }

func (l List) on() fault.When { return fault.On(l.Method) }

// offered are a list that is not there, and items that are not as they should be.
func (l List) offered(r Rules) []fault.Fault {
	return []fault.Fault{{
		Name:  l.Area + "-capability-undeclared",
		Title: l.items() + " are listed, but the " + l.Area + " capability is not declared", Breaks: r.Declared,
		May:   []string{"tools/embedded-resource-declared"}, // a tool of the server embeds a resource
		Reply: fault.On("initialize", "server/discover").Drop("/result/capabilities/" + l.Area),
	}, {
		Name:  l.Area + "-list-unknown",
		Title: "the " + l.Area + " capability is declared, but " + l.Method + " is an unknown method", Breaks: r.Unknown,
		Kills: []string{l.Area + "/list-answered"}, May: []string{"discover/declared-" + l.Area},
		Reply: l.on().Change(func(x fault.Exchange, m fault.Message) {
			if _, ok := m.Result(); ok {
				m.Become(x.Refusal(-32601, "unknown method"))
			}
		}),
	}, {
		Name: l.Area + "-list-null", Title: l.Method + " answers null instead of an array", Breaks: r.Null,
		Kills: []string{l.Area + "/list-answered"}, Reply: fault.Set(l.Method, "/result/"+l.Area, nil),
	}, {
		Name:  l.Area + "-list-description-null",
		Title: "a " + l.Noun + " without a description is listed with description null", Breaks: r.Schema,
		List: l.With(l.spare("description", nil)),
	}, {
		Name:  l.Area + "-list-" + l.Key + "-number-on-last-page",
		Title: "the " + l.Word + " of the last " + l.Noun + " is a number", Breaks: r.Schema, Reply: l.LastKey(7),
	}, {
		Name: l.Area + "-" + l.Key + "-twice", Title: "two " + l.items() + " have the same " + l.Word, Breaks: r.Unique,
		List: l.With(l.spare(l.Key, l.Taken)),
	}}
}

// compared are lists that are not the same for everybody, every time.
func (l List) compared(r Rules) []fault.Fault {
	modern := fault.OverStdio(requirements.R20260728) // where each connection has its own registry, and counts its own requests
	return []fault.Fault{{
		Name: l.Area + "-list-order-varies", Title: "the " + l.items() + " are listed in another order after the first time",
		Breaks: r.Order, In: modern,
		List: func(x fault.Exchange, items []fault.Message) []fault.Message {
			if x.Method == l.Method && x.Nth > 1 && len(items) > 1 {
				items[0], items[1] = items[1], items[0]
			}
			return items
		},
	}, {
		Name: l.Area + "-list-of-connection", Title: "each connection has a " + l.Noun + " of its own", Breaks: r.PerConnection,
		In: modern, Domain: func(registry fault.Registry) { l.Add(registry, rand.Text()) },
	}, {
		Name: l.Area + "-list-after-call", Title: "a tools/call adds a " + l.Noun + " on the connection that made it",
		Breaks: r.NoSideEffects, Kills: []string{l.Area + "/list-after-calls"}, In: modern, List: l.after("tools/call"),
	}, {
		Name: l.Area + "-list-after-read", Title: "a resources/read adds a " + l.Noun + " on the connection that made it",
		Breaks: r.NoSideEffects, Kills: []string{l.Area + "/list-after-reads"}, In: modern, List: l.after("resources/read"),
	}}
}

// announced are notifications of changes that are not as they should be.
func (l List) announced(r Rules) []fault.Fault {
	changed := "notifications/" + l.Area + "/list_changed"
	announcement := fault.Message{"jsonrpc": "2.0", "method": changed}
	first := l.on().And(func(x fault.Exchange) bool { return x.Nth == 1 && !x.Revision.Modern() })
	return []fault.Fault{{
		Name: l.Area + "-list-changed-params-list", Title: changed + " has an array as params", Breaks: r.ChangedSchema,
		In: fault.OverStdio(requirements.R20251125), Send: first.Before(announcement.With("params", []any{})),
	}, {
		Name: l.Area + "-list-changed-undeclared", Title: changed + " is sent although listChanged is not declared",
		Breaks: r.ChangedDeclared, Reply: fault.Drop("initialize", "/result/capabilities/"+l.Area+"/listChanged"),
		Send: first.Before(announcement),
	}, {
		Name: l.Area + "-list-changed-silent", Title: changed + " is declared and never sent", Breaks: r.ChangedSent,
		Kills: []string{l.Area + "/list-changed-sent"}, In: latest(requirements.R20251125), Send: without(changed),
	}, {
		Name: l.Area + "-list-changed-unheard", Title: changed + " is acknowledged and never sent", Breaks: r.ChangedSent,
		Kills: []string{l.Area + "/list-changed-listened"}, In: latest(requirements.R20260728), Send: without(changed),
	}, {
		Name: l.Area + "-list-changed-to-last", Title: changed + " is sent to the client that came last alone", Breaks: r.ChangedSent,
		Kills: []string{l.Area + "/list-changed-to-each"}, In: fault.OverHTTP(requirements.R20251125),
		Skip: []fault.Check{fault.CheckEarlierClients(l.Area)},
	}}
}

// latest are the columns of a revision over both transports.
func latest(r requirements.Revision) []fault.Column {
	return append(fault.OverStdio(r), fault.OverHTTP(r)...)
}

// without drops a notification.
func without(method string) func(fault.Exchange, fault.Message) []fault.Message {
	return func(_ fault.Exchange, m fault.Message) []fault.Message {
		if m["method"] == method {
			return nil
		}
		return []fault.Message{m}
	}
}

// With lists one more item before the others.
func (l List) With(item fault.Message) func(fault.Exchange, []fault.Message) []fault.Message {
	return func(x fault.Exchange, items []fault.Message) []fault.Message {
		if x.Method != l.Method {
			return items
		}
		return append([]fault.Message{maps.Clone(item)}, items...)
	}
}

// LastKey gives the last item of the last page another key.
func (l List) LastKey(key any) fault.Change {
	return fault.OnResult(l.Method, func(result fault.Message) {
		listed, _ := result[l.Area].([]fault.Message)
		if _, more := result["nextCursor"]; !more && len(listed) > 0 {
			listed[len(listed)-1][l.Key] = key
		}
	})
}

// after lists the spare item once something was asked on the connection.
func (l List) after(method string) func(fault.Exchange, []fault.Message) []fault.Message {
	with := l.With(l.Spare)
	return func(x fault.Exchange, items []fault.Message) []fault.Message {
		if !x.After(method) {
			return items
		}
		return with(x, items)
	}
}

// spare is the spare item with another value of one property.
func (l List) spare(property string, value any) fault.Message { return l.Spare.With(property, value) }
