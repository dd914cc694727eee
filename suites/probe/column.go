package probe

import (
	"cmp"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A column holds what the kit knows of the column of the target, and what the
// handshake of one connection agreed on. A Client has its methods.
type column struct {
	mu      sync.Mutex
	setup   Setup // changes only while no case speaks
	agreed  requirements.Revision
	session string
}

// change changes the setup while no case speaks; frames may come meanwhile.
func (c *column) change(how func(*Setup)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	how(&c.setup)
}

// stamp adds the column to a frame, and reads the frame.
func (c *column) stamp(f frame.Frame) Seen {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Seen{
		Frame: f, Revision: cmp.Or(c.agreed, c.setup.Revision), Transport: c.setup.Transport,
		Survey: c.setup.Survey, Schemas: c.setup.Schemas, Case: c.setup.Case, Owned: c.setup.Owned,
	}
	if f.Dir == frame.Received && f.Kind == frame.KindMessage {
		c.setup.Memory.read(f)
	}
	return s
}

// speaker is the column and the case that speak.
func speaker(c *column) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.setup.Revision) + " " + c.setup.Case
}

// agreement is what the handshake agreed on; empty without one.
func (c *column) agreement() (session string, revision requirements.Revision) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session, c.agreed
}

// Revision is the column's revision, or the revision that a handshake agreed on
// instead.
func (c *column) Revision() requirements.Revision {
	c.mu.Lock()
	defer c.mu.Unlock()
	return cmp.Or(c.agreed, c.setup.Revision)
}

// Transport is the column's transport.
func (c *column) Transport() requirements.Transport { return c.setup.Transport }

// Survey is what discovery learned about the column.
func (c *column) Survey() *Survey { return c.setup.Survey }

// Waits are the durations this run allows.
func (c *column) Waits() Waits { return c.setup.Waits }

// Nonce is fresh text from the seed.
func (c *column) Nonce() string { return c.setup.Nonce() }

// Session is the server's id for this session; empty where it gave none.
func (c *column) Session() string {
	session, _ := c.agreement()
	return session
}

// Adopt takes revision and session over from an initialize answer. An answer
// without a result changes nothing.
func (c *column) Adopt(reply *Reply) {
	if _, ok := reply.At("/result"); !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.agreed = requirements.Revision(TextOf(member(reply.Message(), "/result/protocolVersion")))
	if c.setup.Transport == requirements.HTTP {
		c.session = reply.Header(protocol.HeaderSession)
	}
}

// Address is the URL of the target, empty over stdio.
func (c *column) Address() string { return c.setup.Address }

// Endpoint is the URL of the server over HTTP.
func (c *column) Endpoint() string { return c.setup.Documents.Endpoint }

// Near reports whether the kit may ask an address: the address is at the host
// of the target, or both are on loopback, or the operator allows other hosts.
func (c *column) Near(at string) bool {
	near := c.setup.Documents.Near
	return near != nil && near(at)
}

// Hide keeps a text, such as a token made from another token, out of all reports.
func (c *column) Hide(text string) {
	if c.setup.Hide != nil && text != "" {
		c.setup.Hide(text)
	}
}

// Declared are the lists whose capability the server declares, in the order of
// protocol.Lists; at least one for a case that needs suite.Lists.
func (c *column) Declared() []protocol.List {
	var declared []protocol.List
	for _, l := range protocol.Lists() {
		if c.setup.Survey != nil && c.setup.Survey.Capabilities[l.Capability] != nil {
			declared = append(declared, l)
		}
	}
	return declared
}

// AnyList is the declared list that most servers have: tools, then resources,
// then prompts. A list that discovery could read comes before one that it could not. It is
// for cases that need suite.Lists, and empty for a server without lists.
func (c *column) AnyList() protocol.List {
	var first protocol.List
	for _, l := range []protocol.List{protocol.Tools(), protocol.Resources(), protocol.Prompts()} {
		switch {
		case !slices.Contains(c.Declared(), l):
		case c.read(l):
			return l
		case first.Method == "":
			first = l
		}
	}
	return first
}

// read reports whether discovery could read a list.
func (c *column) read(l protocol.List) bool {
	return c.setup.Survey.Whole[l.Method] || len(c.setup.Survey.Lists[l.Method]) > 0
}

// PlainMethod is a request that any server should serve: a list that discovery
// could read, or else the harmless method of the revision.
func (c *column) PlainMethod() string {
	if l := c.AnyList(); l.Method != "" && c.read(l) {
		return l.Method
	}
	return protocol.Harmless().At(c.Revision())
}

// declaring are the capabilities of this client with exactly these extensions.
func (c *column) declaring(keys ...string) Object {
	capabilities := c.setup.Capabilities.Without("extensions").Without("experimental")
	if len(keys) == 0 {
		return capabilities
	}
	extensions := Object{}
	for _, key := range keys {
		extensions[key] = Object{}
	}
	return capabilities.With("extensions", extensions)
}
