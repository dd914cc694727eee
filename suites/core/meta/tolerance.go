package meta

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// toleranceCases put keys into _meta that mean nothing to the server.
func toleranceCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "meta/foreign-keys",
			Title:  "keys of somebody else in _meta are ignored",
			Checks: []requirements.ID{"meta-unknown-keys-tolerated", "meta-unknown-keys-tolerated-early"},
			Fix:    "read the keys of _meta that you know, and ignore the others",
			Run: func(c *probe.Client) error {
				return tolerated(c, protocol.ForeignMeta(), nil)
			},
		},
		{
			ID:     "meta/reserved-keys",
			Title:  "unknown keys in _meta with the prefix of the protocol are ignored",
			Checks: []requirements.ID{"meta-no-assumptions-on-reserved"},
			Fix:    "ignore the keys that you do not know, whatever their prefix and their values are",
			Run: func(c *probe.Client) error {
				key := protocol.UnknownReserved().At(c.Revision())
				reserved := probe.Object{key: []any{probe.Object{}, 7}, key + "-text": "no", key + "-null": nil}
				return tolerated(c, reserved, protocol.ForeignMeta())
			},
		},
	}
}

// tolerated sends a plain request with further keys. If the server does not serve it, the
// same request without them shows whether the keys are the reason. A server that does not
// serve it with the other keys either breaks the rule about those.
func tolerated(c *probe.Client, keys, others probe.Object) error {
	method := c.PlainMethod()
	with := c.Call(method, probe.Object{"_meta": keys})
	if _, served := with.Result(); served {
		return nil
	}
	if with.Died() {
		c = c.Opened()
	}
	plain := c.Call(method, nil)
	if _, served := plain.Result(); !served {
		c.NotSeen(method + " is not served without them either")
	}
	if others != nil {
		if _, served := c.Call(method, probe.Object{"_meta": others}).Result(); !served {
			c.NotSeen("keys of somebody else are not ignored either; meta/foreign-keys judges that")
		}
	}
	return probe.Shown(plain, with).Violation("%s with %s in _meta got %s, want a result as without them",
		method, probe.JSON(keys), with.Outcome())
}
