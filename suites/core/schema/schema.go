// Package schema holds the cases of basic/index about schemas: messages fit the schema of
// their revision, and the server applies schemas correctly.
package schema

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
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
	return append([]suite.Case{messages}, shapes.Cases(shapes.In{Suite: "schema", Watch: onAnnotations, Sees: "annotations of content"},
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
	)...)
}
