package dashdash

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/guide"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A help is the guide of the server, in Markdown.
type help struct {
	proposal.Answer
	shown   probe.Evidence
	content string         // empty where there is none
	plain   bool           // it is the text of a tool, which has no room for contentType
	front   map[string]any // nil where it cannot be read
	trouble error          // why it cannot be read
	text    string         // what stands behind the front matter
	body    guide.Body
}

// readHelp asks for the guide once for the connection. The zero value is that of a server
// without one.
func readHelp(c *probe.Client) help {
	return probe.Once(c, "ai_help", func() (h help, keep bool) {
		if c.Try(func() { h = askHelp(c, probe.Object{"format": "markdown"}) }) != nil {
			return help{}, false
		}
		return h, h.Reply.Answered()
	})
}

// askHelp asks for the guide, or for a part of it.
func askHelp(c *probe.Client, params probe.Object) help {
	h := help{Answer: proposal.AIHelp().Ask(c, params)}
	h.shown = probe.Shown(h.Reply)
	h.content = probe.TextOf(h.Object["content"])
	if text, ok := h.Value.(string); ok && strings.HasPrefix(h.Form, "T:") && !proposal.Declined(h.Reply) {
		h.content, h.plain = text, true
	}
	if h.content != "" {
		var d guide.Document
		d, h.trouble = guide.Read(h.content)
		h.front, h.text, h.body = d.Front, d.Text, d.Body
	}
	return h
}
