package meta

import (
	"errors"
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// requiredCases leave out mandatory metadata of a request. Over HTTP one answer decides
// about the code and about the status.
func requiredCases() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct {
		slug, noun, key string
		rule            requirements.ID
	}{
		{"version", "protocol version", protocol.MetaVersion, "meta-protocol-version-required"},
		{"capabilities", "client capabilities", protocol.MetaCapabilities, "meta-client-capabilities-required"},
	} {
		cases = append(cases, suite.Case{
			ID:     "meta/" + row.slug + "-required",
			Title:  "a request whose metadata lacks the " + row.noun + " is rejected with error -32602",
			Checks: []requirements.ID{row.rule},
			Needs:  []suite.Need{suite.Answers()},
			Fix:    "answer error -32602 to a request whose _meta has no " + row.key,
			Run:    func(c *probe.Client) error { return missingField(c, row.key) },
		}, suite.Case{
			ID:     "meta/" + row.slug + "-required-status",
			Title:  "a request over HTTP whose metadata lacks the " + row.noun + " gets status 400",
			Checks: []requirements.ID{"meta-missing-field-http-400"},
			Needs:  []suite.Need{suite.Over(requirements.HTTP), suite.Answers()},
			Fix:    "answer a malformed request over HTTP with status 400",
			Run: func(c *probe.Client) error {
				return probe.Unless(missingFieldStatus(c, row.key), otherError("meta/"+row.slug+"-required"))
			},
		})
	}
	return append(cases, suite.Case{
		ID:     "meta/object-required",
		Title:  "a request without _meta is rejected with error -32602",
		Checks: []requirements.ID{"meta-object-required"},
		Needs:  []suite.Need{suite.Trait(probe.ModernOnly), suite.Answers()},
		Fix:    "answer error -32602 to a request whose params have no _meta",
		Run:    objectRequired,
	}, suite.Case{
		ID:     "meta/params-required",
		Title:  "a request without params is rejected with error -32602",
		Checks: []requirements.ID{"meta-object-required"},
		Needs:  []suite.Need{suite.Trait(probe.ModernOnly), suite.Answers()},
		Fix:    "answer error -32602 to a request without params, as to one whose params have no _meta",
		Run:    paramsRequired,
	}, suite.Case{
		ID:     "meta/object-required-status",
		Title:  "a request over HTTP without _meta gets status 400",
		Checks: []requirements.ID{"meta-missing-field-http-400"},
		Needs:  []suite.Need{suite.Over(requirements.HTTP), suite.Trait(probe.ModernOnly), suite.Answers()},
		Fix:    "answer a malformed request over HTTP with status 400",
		Run: func(c *probe.Client) error {
			return probe.Unless(status400(c, bare(c, probe.Object{})), otherError("meta/object-required"))
		},
	})
}

// otherError is the cause where the request gets an error that may have another status.
func otherError(judges string) probe.Elsewhere {
	return probe.Elsewhere{Case: judges, Why: "the request gets another error than it should"}
}

// bare sends a request without metadata, and without params if params is nil.
func bare(c *probe.Client, params probe.Object) *probe.Reply {
	id := "bare"
	if params == nil {
		id = "no-params"
	}
	return probe.Once(c, "meta:"+id, func() (*probe.Reply, bool) {
		return c.Ask(probe.RequestText(`"`+id+`"`, c.PlainMethod(), params), probe.Patient()), true
	})
}

// objectRequired passes over a server that serves the request;
// lifecycle/metadata-not-remembered judges it.
func objectRequired(c *probe.Client) error {
	reply := bare(c, probe.Object{})
	c.NotSeenIf(reply.Served(), "the request is served, which lifecycle/metadata-not-remembered judges")
	return wantRejected(c, reply)
}

// paramsRequired passes over a server that accepts params without metadata: its answer
// shows nothing about params.
func paramsRequired(c *probe.Client) error {
	reply := bare(c, nil)
	with := bare(c, probe.Object{})
	c.NotSeenIf(with.Served(), "a request with params and without _meta is served, which lifecycle/metadata-not-remembered judges")
	c.NotSeenIf(with.Failed() && wantRejected(c, with) != nil,
		"a request with params and without _meta is not rejected as it should be, which meta/object-required judges")
	return wantRejected(c, reply, protocol.InvalidRequest) // JSON-RPC allows a request without params, so that code is fine too
}

// wantRejected allows HeaderMismatch over HTTP, because the header names a version and
// the body names none.
func wantRejected(c *probe.Client, reply *probe.Reply, also ...int) error {
	codes := append([]int{protocol.InvalidParams}, also...)
	if c.Transport() == requirements.HTTP {
		codes = append(codes, protocol.HeaderMismatch)
	}
	return reply.WantError(codes...)
}

// without sends server/discover without one key of the metadata, but with all headers.
func without(c *probe.Client, key string) *probe.Reply {
	return probe.Once(c, "meta:without "+key, func() (*probe.Reply, bool) {
		meta, _ := c.Params(nil)["_meta"].(probe.Object)
		text := probe.RequestText(`"without-`+key[len(protocol.MetaPrefix):]+`"`, "server/discover", probe.Object{"_meta": meta.Without(key)})
		return c.Ask(text, probe.Patient()), true
	})
}

// missingField is lenient in two cases. Over HTTP the header names a version and the body
// names none, so HeaderMismatch is fine. And a request is modern by its metadata: a server
// of both eras may take one without a version for a request before a handshake, and reject
// it as it rejects such a request.
func missingField(c *probe.Client, key string) error {
	reply := without(c, key)
	codes := []int{protocol.InvalidParams}
	if key != protocol.MetaVersion {
		return reply.WantError(codes...)
	}
	web := c.Transport() == requirements.HTTP
	if web {
		codes = append(codes, protocol.HeaderMismatch)
	}
	broken, legacy := reply.WantError(codes...), c.Survey().Traits[probe.Legacy]
	switch {
	case broken == nil:
		return nil
	case legacy && (!web || reply.Refused()):
		c.Note("a request without a version, which a server of both eras may read as it likes, got " + reply.Outcome())
		return nil
	case !web:
		return broken
	}
	broken = headerOnly(c, broken)
	if legacy {
		return probe.AtMostWarn(broken)
	}
	return broken
}

// headerOnly adds to a problem that the request named the revision in its header only.
func headerOnly(c *probe.Client, broken error) error {
	v := (*probe.Violation)(nil)
	if errors.As(broken, &v) {
		v.Problem += "; the request names " + string(c.Revision()) + " in its header, and no version in _meta"
	}
	return broken
}

// missingFieldStatus warns a server of both eras where the version is missing, for the
// same reason.
func missingFieldStatus(c *probe.Client, key string) error {
	broken := status400(c, without(c, key))
	if key == protocol.MetaVersion && c.Survey().Traits[probe.Legacy] {
		return probe.AtMostWarn(broken)
	}
	return broken
}

func status400(c *probe.Client, reply *probe.Reply) error {
	switch {
	case reply.Served():
		c.NotSeen("the request is served, which is another rule's")
	case reply.Status() == http.StatusBadRequest:
		return nil
	case reply.Status() == 0:
		c.Undecide("the answer is " + reply.Outcome())
	}
	return reply.Violation("the HTTP status is %d, want 400", reply.Status())
}
