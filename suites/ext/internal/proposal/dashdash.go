package proposal

import (
	"cmp"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// A Block is the dashdash object in which a server says who it is and when to use it, or
// what stands in its place.
type Block struct {
	Value   any            // nil where there is none
	Object  map[string]any // nil where it is no object
	Aside   bool           // it stands within serverInfo
	Result  map[string]any // the answer to the opening
	Shown   probe.Evidence // that answer
	pointer string
}

// Pointer is the place of something in the block, as a JSON pointer into the message.
func (b Block) Pointer(path ...string) string {
	return strings.Join(append([]string{b.pointer}, path...), "/")
}

// Where is that place as problems show it.
func (b Block) Where(path ...string) string { return probe.Item{Pointer: b.Pointer(path...)}.Where() }

// ReadBlock is the block as this connection got it, read once.
func ReadBlock(c *probe.Client) Block {
	return probe.Once(c, "dashdash", func() (Block, bool) {
		b := readBlock(c)
		return b, b.Result != nil
	})
}

func readBlock(c *probe.Client) Block {
	opening := protocol.Opening().At(c.Revision())
	for _, s := range c.Since(0) {
		result := probe.ObjectOf(s.Message().Members["result"])
		if s.Dir == frame.Received && s.Request.Method == opening && result != nil {
			return blockIn(result, probe.Shown(s))
		}
	}
	if opening != protocol.Harmless().At(c.Revision()) {
		return Block{}
	}
	reply := c.Call(opening, nil)
	result, _ := reply.Result()
	return blockIn(result, probe.Shown(reply))
}

// blockIn looks for the block in the answer to the opening. The settings of the capability
// are one only if they hold anything.
func blockIn(result map[string]any, shown probe.Evidence) Block {
	const key = protocol.DashdashExtension
	escaped := frame.Escape(key)
	meta, capabilities := probe.ObjectOf(result["_meta"]), probe.ObjectOf(result["capabilities"])
	settings := func(within string) any {
		held := probe.ObjectOf(capabilities[within])[key]
		if o := probe.ObjectOf(held); len(o) > 0 {
			return o
		}
		return nil
	}
	b := Block{Result: result, Shown: shown}
	for _, place := range []struct {
		value   any
		pointer string
		aside   bool
	}{
		{result["dashdash"], "/result/dashdash", false},
		{meta[key], "/result/_meta/" + escaped, false},
		{settings("extensions"), "/result/capabilities/extensions/" + escaped, false},
		{settings("experimental"), "/result/capabilities/experimental/" + escaped, false},
		{probe.ObjectOf(result["serverInfo"])["dashdash"], "/result/serverInfo/dashdash", true},
		{
			probe.ObjectOf(meta[protocol.MetaServerInfo])["dashdash"],
			"/result/_meta/" + frame.Escape(protocol.MetaServerInfo) + "/dashdash", true,
		},
	} {
		if place.value != nil {
			b.Value, b.Object, b.Aside, b.pointer = place.value, probe.ObjectOf(place.value), place.aside, place.pointer
			break
		}
	}
	return b
}

// ItemBlock is what a listed tool or resource says of itself beside its entry, and the
// property, as a part of a JSON pointer, that holds it.
func ItemBlock(item any) (value any, property string) {
	entry := probe.ObjectOf(item)
	if value = entry["dashdash"]; value != nil {
		return value, "dashdash"
	}
	return probe.ObjectOf(entry["_meta"])[protocol.DashdashExtension], "_meta/" + frame.Escape(protocol.DashdashExtension)
}

// blockSeen: a block is a claim of the extension. One on a tool or a resource alone shows
// that the server knows of it.
func blockSeen(c *probe.Client) (probe.Strength, string) {
	switch b := ReadBlock(c); {
	case b.Object != nil:
		return probe.Strong, "the object at " + b.Where()
	case b.Value != nil:
		return probe.Weak, "the value at " + b.Where()
	}
	tool, where := itemsSeen(protocol.Tools())(c)
	resource, other := itemsSeen(protocol.Resources())(c)
	if tool == "" && resource == "" {
		return "", ""
	}
	return probe.Weak, cmp.Or(where, other)
}

// itemsSeen looks for the objects of the entries of a list.
func itemsSeen(list protocol.List) evidence {
	return func(c *probe.Client) (strength probe.Strength, where string) {
		for _, item := range c.Survey().Lists[list.Method] {
			value, _ := ItemBlock(item)
			switch {
			case probe.ObjectOf(value) != nil:
				return probe.Strong, "a dashdash object in " + list.Method
			case value != nil:
				strength, where = probe.Weak, "a dashdash value in "+list.Method
			}
		}
		return strength, where
	}
}

// AIHelp is the method that hands over a guide to the server.
func AIHelp() Method {
	return Method{Extension: "dashdash-ai-help", Name: "ai_help", Tools: []string{"ai_help"}, Harmless: true}
}

// helpSeen: a server with a block has the method, and so has one that answers it as the
// proposal says. Where unknown methods get no answer it is not asked.
func helpSeen(c *probe.Client) (probe.Strength, string) {
	switch b := ReadBlock(c); {
	case Explicit(c, "dashdash-ai-help"):
		return "", ""
	case b.Object != nil:
		return probe.Strong, "the object at " + b.Where()
	case Lists(c, "ai_help") && readOnly(c, "ai_help"):
		return probe.Weak, "the tool ai_help"
	}
	Manifest(c)
	if known := c.Survey().Manifest.Load(); known == nil || known.Document == nil && known.Refused == "" {
		return "", ""
	}
	reply := AIHelp().send(c, "M:ai_help", probe.Object{"format": "markdown"}, nil)
	if _, typed := probe.ObjectOf(payload(reply, "M:ai_help"))["contentType"].(string); typed {
		return probe.Strong, "an answer to ai_help"
	}
	return "", ""
}
