// Package fault defines faults: ways to make the reference server break exactly one
// requirement, and the hooks for it.
package fault

import (
	"cmp"
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Column is one revision over one transport.
type Column = requirements.Column

// A Fault breaks one requirement on purpose. A Fault is a literal: its name, the cases
// that must notice it, and the few hooks and switches that make the server misbehave.
// Every hook may be nil. The nil Fault is the server that keeps every rule.
//
// All conversations of a server share a Fault, so a Fault holds no state; a hook reads
// the past from its Exchange.
type Fault struct {
	Name   string                // kebab-case, area first
	Title  string                // the misbehaviour of the broken server, in present tense
	Breaks requirements.ID       // the one broken requirement
	Kills  []string              // ids of the cases that must report a finding; empty: each case that checks Breaks
	May    []string              // ids of the cases that may report a finding too
	Silent []string              // ids of cases that a trial runs too, and that must report no finding
	In     []Column              // the columns of the fault; empty: all columns of the requirement
	Since  requirements.Revision // without In, the first revision at which the fault changes anything; empty: the requirement's first

	// Each holds similar faults: a field that one of them leaves empty has the value
	// of this literal. The literal itself is no fault.
	Each []Fault

	// Hangs says that the fault leaves a message unanswered, so that a trial of the
	// fault does not wait as long for answers as other trials.
	Hangs bool

	// Skip lists checks that the server skips as if they had passed.
	Skip []Check

	// Inbound decides on every message before the server reads the message.
	Inbound func(Exchange) Verdict
	// Reply changes the answer to a request in place.
	Reply Change
	// Notify changes each notification that the server sends in place.
	Notify Change
	// Send replaces an answer or a notification, after Reply and Notify, by any number
	// of messages. Few faults need it.
	Send func(Exchange, Message) []Message
	// Bytes rewrites the text of a message just before it is framed.
	Bytes func(Exchange, []byte) []byte

	// List rewrites the items of a list before it is cut into pages.
	List func(x Exchange, items []Message) []Message
	// Negotiate picks the revision that initialize answers with.
	Negotiate func(asked string, agreed requirements.Revision) string
	// Domain changes what the server offers: tools, resources, prompts.
	Domain func(Registry)
	// Without names extensions that the server lacks, for faults that show only
	// without an extension.
	Without []string

	// Serial makes the server start a request only when the request before is
	// finished.
	Serial bool
	// StatePerConnection makes state reachable only over the connection that created
	// it.
	StatePerConnection bool

	Stdio Stdio
	HTTP  HTTP
	// Auth is nil for a server that demands no tokens.
	Auth  *Auth
	Tasks Tasks

	// Ext holds the switches of an extension, in a type of its own. An extension keeps
	// all its rules if Ext is nil or holds the switches of another one.
	Ext any
}

// Skips says whether the fault skips the check.
func (f *Fault) Skips(c Check) bool {
	return f != nil && slices.Contains(f.Skip, c)
}

// Outgoing returns the messages that the server sends in place of an answer or a
// notification.
func (f *Fault) Outgoing(x Exchange, m Message) []Message {
	if f == nil {
		return []Message{m}
	}
	change := f.Reply
	if _, notification := m["method"]; notification {
		change, m = f.Notify, maps.Clone(m) // a clone, since the message may be sent to other clients too
	}
	if change != nil {
		change(x, m)
	}
	if f.Send == nil {
		return []Message{m}
	}
	return f.Send(x, m)
}

// Flat lists faults one by one: each fault in Each gets the fields of its parent.
func Flat(faults []Fault) []Fault {
	var all []Fault
	for _, f := range faults {
		if f.Each == nil {
			all = append(all, f)
			continue
		}
		for _, one := range f.Each {
			all = append(all, Flat([]Fault{one.filledFrom(f)})...)
		}
	}
	return all
}

// filledFrom fills the empty fields of the fault from common.
func (f Fault) filledFrom(common Fault) Fault {
	f.Breaks = cmp.Or(f.Breaks, common.Breaks)
	f.Hangs = f.Hangs || common.Hangs
	for to, from := range map[*[]string][]string{
		&f.Kills: common.Kills, &f.May: common.May, &f.Silent: common.Silent, &f.Without: common.Without,
	} {
		if *to == nil {
			*to = from
		}
	}
	if f.In == nil {
		f.In = common.In
	}
	f.Since = cmp.Or(f.Since, common.Since)
	return f
}
