// Package multimodal holds the cases of the multimodal-signatures proposal: a tool that
// takes binary data says of which types the data and the answer are, and how much it takes.
package multimodal

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-multimodal",
		Title:     "tools say which binary data they take and give",
		Extension: proposal.Extension("multimodal"),
		Cases:     slices.Concat(signatures(), calls()),
	}
}

func signatures() []suite.Case {
	tools := suite.Capability("tools")
	return []suite.Case{
		bench.Case("ext-multimodal/types-syntax", "input_types and output_types are arrays of MIME types", "ext-multimodal-types-syntax",
			"send an array of strings such as image/png; a subtype may be *", typesSyntax, tools),
		bench.Case("ext-multimodal/max-size", "max_input_size_bytes is a positive integer", "ext-multimodal-max-size",
			"count bytes, in an integer above 0", maxSize, tools),
		bench.Case("ext-multimodal/vendor-neutral", "what a vendor adds beside a signature has a prefix", "ext-multimodal-vendor-neutral",
			"write properties of your own as prefix/name, into _meta or beside the signature", vendorNeutral, tools),
	}
}

// A signed tool is an entry that has a signature, of tools/list or of the manifest.
type signed struct {
	tool, where string
	entry       map[string]any
	members     map[string]any // those of the signature, wherever the entry has them
	listed      bool
}

// signedTools are the entries with a signature; the case ends where there are none.
func signedTools(c *probe.Client) []signed {
	var all []signed
	add := func(entry map[string]any, where string, listed bool) {
		meta, members := probe.ObjectOf(entry["_meta"]), map[string]any{}
		for _, name := range proposal.SignatureMembers() {
			for _, value := range []any{
				probe.Member(entry, name), probe.Member(meta, proposal.Prefix+name), probe.Member(meta, name),
			} {
				if _, there := members[name]; !there && value != any(probe.Absent{}) {
					members[name] = value
				}
			}
		}
		if len(members) > 0 {
			all = append(all, signed{probe.TextOf(entry["name"]), where, entry, members, listed})
		}
	}
	for i, item := range c.Survey().Lists[protocol.Tools().Method] {
		add(probe.ObjectOf(item), fmt.Sprintf("tools[%d] of tools/list", i), true)
	}
	for i, entry := range probe.ArrayOf(proposal.Manifest(c)["tools"]) {
		add(probe.ObjectOf(entry), fmt.Sprintf("tools[%d] of the manifest", i), false)
	}
	c.NotSeenIf(len(all) == 0, "no tool has a signature for binary data, in tools/list or in the manifest")
	return all
}

// shown is what a reader of a finding sees of a list that discovery read.
func shown(c *probe.Client) probe.Evidence {
	return probe.Shown(c.Call(protocol.Tools().Method, nil))
}

// fits judges a member of all signatures.
func fits(c *probe.Client, definition string, members ...string) error {
	judged := false
	for _, s := range signedTools(c) {
		for _, name := range members {
			value, there := s.members[name]
			judged = judged || there
			if !there {
				continue
			}
			if problem := c.ExtensionProblem("multimodal", definition, "/"+name, value); problem != "" {
				return shown(c).Violation("%s, in %s (%s)", problem, s.where, s.tool)
			}
		}
	}
	c.NotSeenIf(!judged, "no tool has "+strings.Join(members, " or "))
	return nil
}

func typesSyntax(c *probe.Client) error { return fits(c, "MimeTypes", "input_types", "output_types") }

func maxSize(c *probe.Client) error {
	c.Must(fits(c, "MaxInputSize", "max_input_size_bytes"))
	return probe.AtMostWarn(fits(c, "StrictMaxInputSize", "max_input_size_bytes"))
}

// vendorNeutral looks at tools/list: ext-manifest/vendor-namespaced judges the manifest.
func vendorNeutral(c *probe.Client) error {
	all := slices.DeleteFunc(signedTools(c), func(s signed) bool { return !s.listed })
	c.NotSeenIf(len(all) == 0, "signatures stand in the manifest alone, which ext-manifest/vendor-namespaced judges")
	for _, s := range all {
		for _, name := range slices.Sorted(maps.Keys(s.entry)) {
			if !slices.Contains(proposal.ToolProperties(), name) && !strings.Contains(name, "/") && !strings.HasPrefix(strings.ToLower(name), "x-") {
				return shown(c).Violation("%s of %s (%s) is a property without a prefix, want prefix/name", name, s.where, s.tool)
			}
		}
	}
	return nil
}

// signature is what the tool of the role says of its data; the case ends where it says
// nothing.
func signature(c *probe.Client) map[string]any {
	tool := c.Role(roles.BinaryTool).Call().Tool
	members := map[string]any{}
	for _, s := range signedTools(c) {
		if s.tool != tool {
			continue
		}
		for name, value := range s.members {
			if _, there := members[name]; !there {
				members[name] = value
			}
		}
	}
	c.NotSeenIf(len(members) == 0, "the tool of roles.binary-tool has no signature")
	return members
}

// most is the declared maximum of bytes; the case ends without one.
func most(c *probe.Client) int {
	limit, ok := probe.NumberOf(signature(c)["max_input_size_bytes"])
	c.NotSeenIf(!ok || limit < 1 || limit != float64(int(limit)), "the tool of roles.binary-tool declares no max_input_size_bytes")
	c.UndecideIf(limit*4/3 > float64(c.Waits().Upload), fmt.Sprintf("the tool takes %.0f bytes, and limits.max-upload is smaller", limit))
	return int(limit)
}
