package core

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Conversation is the memory of a server between two messages: of a stdio process,
// of an HTTP session, or of a single modern request over HTTP.
type Conversation struct {
	// Push sends a message that belongs to no request. Push is nil where no stream
	// carries such messages.
	Push func(fault.Message)
	// Alone marks the conversation of a single modern request.
	Alone bool

	mu          sync.Mutex
	revision    requirements.Revision // empty before the handshake
	initialized bool                  // the client has sent notifications/initialized
	level       string
	jammed      bool            // no level can be set
	client      json.RawMessage // capabilities, from the handshake
	inFlight    map[string]*Turn
	watched     map[string]bool // resources
	counts      counts
	past        []fault.Asked // kept for hooks of faults only
	questions   questions
}

// remember adds the message and returns the messages before it.
func (c *Conversation) remember(a fault.Asked) []fault.Asked {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := slices.Clip(c.past)
	c.past = append(c.past, a)
	return before
}

// Revision is the revision of the handshake, empty before the handshake.
func (c *Conversation) Revision() requirements.Revision {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.revision
}

func (c *Conversation) open(r requirements.Revision) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision = r
}

func (c *Conversation) ready() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.initialized = c.revision != ""
}

func (c *Conversation) isReady() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.initialized
}

// setLevel says whether the level could be set.
func (c *Conversation) setLevel(level string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.jammed {
		c.level = level
	}
	return !c.jammed
}

func (c *Conversation) jam(jammed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jammed = jammed
}

// threshold is the least severe level that is sent. Until the client sets a level the
// server chooses.
func (c *Conversation) threshold() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.level == "" {
		return "info"
	}
	return c.level
}

func (c *Conversation) watch(uri string, on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watched == nil {
		c.watched = map[string]bool{}
	}
	if on {
		c.watched[uri] = true
	} else {
		delete(c.watched, uri)
	}
}

func (c *Conversation) watchNothing() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.watched)
}

func (c *Conversation) watches(uri string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.initialized && c.watched[uri]
}

// claim notes that the request is being served. claim is false while another request
// with the same id is being served.
func (c *Conversation) claim(t *Turn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, taken := c.inFlight[t.in.Key]; taken {
		return false
	}
	if c.inFlight == nil {
		c.inFlight = map[string]*Turn{}
	}
	c.inFlight[t.in.Key] = t
	return true
}

func (c *Conversation) release(t *Turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inFlight[t.in.Key] == t {
		delete(c.inFlight, t.in.Key)
	}
}

// cancelled stops the request with the id, if it is in flight and may be stopped.
func (c *Conversation) cancelled(key string) {
	c.mu.Lock()
	t := c.inFlight[key]
	c.mu.Unlock()
	if t != nil && t.in.Method != "initialize" {
		t.Cancel()
	}
}

// runs reports whether a request with the id is in flight.
func (c *Conversation) runs(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inFlight[key] != nil
}

// cancelledAll stops every request in flight.
func (c *Conversation) cancelledAll() {
	c.mu.Lock()
	keys := slices.Collect(maps.Keys(c.inFlight))
	c.mu.Unlock()
	for _, key := range keys {
		c.cancelled(key)
	}
}

// declare remembers the capabilities that a client declared in the handshake.
func (c *Conversation) declare(capabilities json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.client = capabilities
}

func (c *Conversation) declared() json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.client
}

// Levels lists the log levels, the mildest first.
func Levels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

func severe(level, threshold string) bool {
	return slices.Index(Levels(), level) >= slices.Index(Levels(), threshold)
}

// Assume continues as if a handshake had agreed on the revision.
func (c *Conversation) Assume(r requirements.Revision) { c.open(r) }

// Hush ends the work that needs a client that still sends: the subscriptions of the
// conversation, and the wait for answers to questions.
func (c *Conversation) Hush() {
	c.questions.close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.inFlight {
		if t.in.Method == "subscriptions/listen" {
			t.stop()
		}
	}
}
