// Package fault says what a fault is: a way to make the reference server break
// exactly one requirement, and the hooks that do it. The faults themselves stand
// in a folder for each page of the specification; package faults lists them all.
package fault

import (
	"cmp"
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Column is one revision over one transport.
type Column = requirements.Column

// A Fault breaks one requirement on purpose. It is a literal: who it is, which
// cases must notice, and the few hooks and switches that make it misbehave.
// Every hook may be nil. The nil Fault is the server that keeps every rule.
//
// A Fault is shared by all conversations of a server and holds no state; what
// a hook has to know about the past stands in its Exchange.
type Fault struct {
	Name   string          // kebab-case, area first
	Title  string          // what the broken server does, present tense
	Breaks requirements.ID // the one requirement that no longer holds
	Kills  []string        // ids of the cases that must speak; empty: each case that checks Breaks
	Also   []string        // ids of the cases that may speak too
	Beside []string        // ids of cases that a trial runs too, and that must not speak
	In     []Column        // where it is worth running; empty: wherever the rule holds

	// Each holds faults that are alike: what one of them leaves out is as this literal has
	// it, and the literal itself is no fault.
	Each []Fault

	// Hangs says that the fault leaves something unanswered, so that a trial
	// of it shall not wait for answers as long as others do.
	Hangs bool

	// Skip lists checks the server leaves out: it continues as if they had passed.
	Skip []Check

	// Inbound is asked about every message before the server looks at it.
	Inbound func(Exchange) Verdict
	// Reply changes the answer to a request in place.
	Reply Change
	// Notify changes each notification that the server sends in place.
	Notify Change
	// Send makes of an answer or a notification what is sent instead, after Reply and
	// Notify: other messages, more of them or none. Few faults need it.
	Send func(Exchange, Message) []Message
	// Bytes rewrites the text of a message just before it is framed.
	Bytes func(Exchange, []byte) []byte

	// List rewrites the items of a list before it is cut into pages.
	List func(x Exchange, items []Message) []Message
	// Negotiate picks the revision that initialize answers with.
	Negotiate func(asked string, agreed requirements.Revision) string
	// Domain changes what the server offers: tools, resources, prompts.
	Domain func(Registry)
	// Without names extensions that the server does not have, for faults that show
	// where an extension is missing.
	Without []string

	// Serial makes the server take up a request only when the one before it is
	// finished.
	Serial bool
	// StatePerConnection lets state be reached only over the connection on
	// which it was made.
	StatePerConnection bool

	Stdio Stdio
	HTTP  HTTP
	// Auth is nil for a server that is open to all.
	Auth *Auth

	// Ext holds the switches of an extension, in a type of its own. An extension
	// that finds another's here, or nil, keeps all its rules.
	Ext any
}

// Skips says whether the fault leaves out the check.
func (f *Fault) Skips(c Check) bool {
	return f != nil && slices.Contains(f.Skip, c)
}

// Outgoing is what the server sends in place of an answer or a notification.
func (f *Fault) Outgoing(x Exchange, m Message) []Message {
	if f == nil {
		return []Message{m}
	}
	change := f.Reply
	if _, notification := m["method"]; notification {
		change, m = f.Notify, maps.Clone(m) // which others may be sent, too
	}
	if change != nil {
		change(x, m)
	}
	if f.Send == nil {
		return []Message{m}
	}
	return f.Send(x, m)
}

// Flat lists faults one by one, those in Each with what they have in common.
func Flat(faults []Fault) []Fault {
	var all []Fault
	for _, f := range faults {
		if f.Each == nil {
			all = append(all, f)
			continue
		}
		for _, one := range f.Each {
			all = append(all, Flat([]Fault{one.like(f)})...)
		}
	}
	return all
}

// like fills in what the fault leaves out.
func (f Fault) like(common Fault) Fault {
	f.Breaks = cmp.Or(f.Breaks, common.Breaks)
	f.Hangs = f.Hangs || common.Hangs
	for to, from := range map[*[]string][]string{
		&f.Kills: common.Kills, &f.Also: common.Also, &f.Beside: common.Beside, &f.Without: common.Without,
	} {
		if *to == nil {
			*to = from
		}
	}
	if f.In == nil {
		f.In = common.In
	}
	return f
}
