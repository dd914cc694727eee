// Package schema holds the cases of basic/index about schemas: messages fit the schema of
// their revision, and the server applies schemas correctly.
package schema

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "schema",
		Title: "what is sent fits the schema of the revision, and schemas are applied as they are meant",
		Cases: slices.Concat(messageCases(), publishedCases(), givenCases()),
	}
}

const messagesValid = "schema/messages-valid"

// messageCases are watchers: what other cases make the server say is enough to judge.
func messageCases() []suite.Case {
	known := &memory{} // of all connections of all columns
	messages := suite.Case{
		ID:     messagesValid,
		Title:  "results, notifications and requests of the server fit the schema of the revision",
		Checks: []requirements.ID{"schema-messages-valid"},
		Fix:    "compare the message with its type in the schema of this revision: a property is missing or has another type",
		Sees:   "a message that the schema of the revision describes",
		Watch:  onMessages(known),
	}
	annotations := shapes.Cases(shapes.In{Suite: "schema", Watch: onAnnotations, Sees: "annotations of content"},
		shapes.Row{
			Slug: "annotations", Title: "annotations have a known audience, a priority from 0 to 1 and a timestamp that is a string",
			Rule:   "schema-annotations",
			Fix:    "write audience as an array of user and assistant, priority as a number from 0 to 1, and lastModified as a string",
			Owns:   annotationParts(),
			Values: []shapes.Value{{Fits: "Annotations"}},
		},
		shapes.Row{
			Sees: "annotations with lastModified",
			Slug: "last-modified", Title: "the time of the last change is written in ISO 8601", Rule: "schema-last-modified-iso8601",
			Fix:    "format lastModified like 2026-01-31T12:00:00Z",
			Values: []shapes.Value{{At: "/lastModified", When: shapes.Text, Want: probe.That("a time in ISO 8601", iso8601)}},
		},
	)
	media := shapes.Cases(shapes.In{Suite: "schema", Watch: onMedia, Sees: "data with a media type"}, mediaRow())
	return slices.Concat([]suite.Case{messages}, annotations, media)
}

// onMessages holds what the server says against the schema. Errors and the
// envelope of responses are the business of the JSON-RPC pages, and parts that other
// cases own are left to those.
func onMessages(known *memory) func() probe.Watcher {
	return probe.OnBinding(func(m probe.Message) probe.Opinion {
		if m.Frame.Schemas == nil {
			return probe.Failed(errors.New("there are no schemas"))
		}
		set, err := m.Frame.Schemas.Core(string(m.Revision))
		if err != nil {
			return probe.Failed(err)
		}
		definition, pointer, ok := definitionOf(set, m)
		if !ok {
			return probe.Nothing()
		}
		key := keyOf(m, definition)
		if known.has(key) {
			return probe.Kept()
		}
		value, _ := m.At(pointer)
		faults := m.Unowned(messagesValid, set.Validate(definition, value))
		if len(faults) > 0 {
			return probe.Breaks("%s", probe.Faults(pointer, faults))
		}
		known.add(key)
		return probe.Kept()
	})
}

// definitionOf names the definition that the part of the message at the pointer has to
// fit. It passes over methods that the revision does not define, and over requests that
// an extension may answer; other cases judge those.
func definitionOf(set *schemas.Set, m probe.Message) (definition, pointer string, ok bool) {
	switch m.Class {
	case frame.Result:
		if !m.Request.Plain() || questions.AsksAsComplete(m) { // mrtr/result-type judges the wrong type
			return "", "", false
		}
		definition, ok = set.ResultOf(m.Request.Method)
		if ok && m.Request.Method == "tools/call" && makesTask(set, m) {
			definition = "CreateTaskResult"
		}
		return definition, "/result", ok
	case frame.Notification:
		definition, ok = set.NotificationOf(m.Method)
	case frame.Request:
		definition, ok = set.RequestOf(m.Method)
	case frame.Error, frame.Batch, frame.NotAMessage, frame.NotJSON:
	}
	return definition, "", ok
}

// makesTask reports whether a call was answered with a task in place of its result, as in
// 2025-11-25.
func makesTask(set *schemas.Set, m probe.Message) bool {
	_, wanted := m.Request.Params()["task"]
	_, made := m.At("/result/task")
	_, content := m.At("/result/content")
	return set.Has("CreateTaskResult") && made && (wanted || !content)
}

// A memory holds digests of messages that fit the schema, because a run sees the same
// long lists on dozens of connections, with other ids.
type memory struct {
	mu   sync.Mutex
	fits map[digest]bool
}

type digest = [sha256.Size]byte

// remembered is how many messages the memory holds; further messages are checked each
// time.
const remembered = 10_000

// keyOf is the same for messages that differ only in their id.
func keyOf(m probe.Message, definition string) digest {
	text := m.Frame.Raw()
	if m.HasID {
		text = bytes.Replace(text, []byte(m.ID), nil, 1)
	}
	h := sha256.New()
	for _, part := range [][]byte{[]byte(m.Revision), []byte(definition), text} {
		_, _ = h.Write(part)
		_, _ = h.Write([]byte{0})
	}
	return digest(h.Sum(nil))
}

func (m *memory) has(key digest) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.fits[key]
}

func (m *memory) add(key digest) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fits == nil {
		m.fits = map[digest]bool{}
	}
	if len(m.fits) < remembered {
		m.fits[key] = true
	}
}
