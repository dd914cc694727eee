package core

import (
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A hub knows the audience of changes: conversations of the handshake era and modern
// listen requests.
type hub struct {
	mu            sync.Mutex
	conversations []*Conversation
	listeners     []*listener
}

// A listener is one subscriptions/listen being served.
type listener struct {
	turn   *Turn
	filter filter
	told   atomic.Bool // of a change of a resource
}

type filter struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
	Tasks     []string `json:"taskIds,omitempty"`
	Events    []string `json:"io.github.mcp-extension-proposals/events,omitempty"` // ids of subscriptions
}

// object is the filter as faults can change it.
func (f filter) object() map[string]any {
	object := map[string]any{}
	text, _ := json.Marshal(f)
	_ = json.Unmarshal(text, &object)
	return object
}

func (h *hub) join(c *Conversation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.Push != nil && !slices.Contains(h.conversations, c) {
		h.conversations = append(h.conversations, c)
	}
}

func (h *hub) leave(c *Conversation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.conversations = slices.DeleteFunc(h.conversations, func(one *Conversation) bool { return one == c })
}

func (h *hub) audience() ([]*Conversation, []*listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.conversations), slices.Clone(h.listeners)
}

// cancelled stops the requests with an id in all conversations.
func (h *hub) cancelled(key string) {
	all, _ := h.audience()
	for _, conv := range all {
		conv.cancelled(key)
	}
}

// Leave ends a conversation: it hears of no further changes.
func (c *Core) Leave(conv *Conversation) { c.hub.leave(conv) }

// Change changes the registry, and tells every subscriber that it offers another list now.
// The list is tools, prompts or resources.
func (c *Core) Change(list string, change func()) {
	c.shelf.Store(&Shelf{}) // a list that was asked for before is not kept
	change()
	c.shelf.Store(&Shelf{})
	conversations, listeners := c.hub.audience()
	message := fault.Message{"jsonrpc": "2.0", "method": "notifications/" + list + "/list_changed"}
	if last := len(conversations) - 1; last > 0 && c.Fault.Skips(fault.CheckEarlierClients(list)) {
		conversations = conversations[last:]
	}
	for _, conv := range conversations {
		c.push(conv, message)
	}
	for _, l := range listeners {
		wanted := map[string]bool{"tools": l.filter.Tools, "prompts": l.filter.Prompts, "resources": l.filter.Resources}
		if wanted[list] {
			l.turn.send(l.tagged(message, map[string]any{}))
		}
	}
}

// Updated tells every subscriber of a resource that its content has changed.
func (c *Core) Updated(uri string) {
	conversations, listeners := c.hub.audience()
	const method = "notifications/resources/updated"
	for _, conv := range conversations {
		if conv.watches(uri) || c.Fault.Skips(fault.CheckSubscriber) && conv.isReady() {
			c.push(conv, fault.Message{"jsonrpc": "2.0", "method": method, "params": map[string]any{"uri": uri}})
			if c.Fault.Skips(fault.CheckFurtherChanges) {
				conv.watch(uri, false)
			}
		}
	}
	for _, l := range listeners {
		if slices.Contains(l.filter.URIs, uri) && !(l.told.Swap(true) && c.Fault.Skips(fault.CheckFurtherChanges)) {
			l.turn.send(l.tagged(fault.Message{"jsonrpc": "2.0", "method": method}, map[string]any{"uri": uri}))
		}
	}
}

// Tell sends a notification to one conversation, of its own accord.
func (c *Core) Tell(to *Conversation, method string, params map[string]any) {
	conversations, _ := c.hub.audience()
	for _, conv := range conversations {
		if conv == to || c.Fault.Skips(fault.CheckAsked) && conv.isReady() {
			c.push(conv, fault.Message{"jsonrpc": "2.0", "method": method, "params": params})
		}
	}
}

func (c *Core) push(conv *Conversation, m fault.Message) {
	for _, message := range c.Fault.Outgoing(fault.Exchange{Revision: conv.Revision()}, m) {
		conv.Push(message)
	}
}

// tagged returns the message with the id of its subscription.
func (l *listener) tagged(m fault.Message, params map[string]any) fault.Message {
	params["_meta"] = map[string]any{keySubscription: l.turn.in.ID}
	return m.With("params", params)
}

// listen serves a subscription until the client or the server ends it.
func listen(t *Turn) (fault.Message, *Error) {
	l := &listener{turn: t}
	_ = json.Unmarshal(t.in.Param["notifications"], &l.filter) // the params were checked before
	if refused := l.agreeOnTasks(); refused != nil {
		return nil, refused
	}
	// The request joins the audience before the acknowledgement goes out, so that no
	// change is lost; the lock delays changes that come in between.
	h := &t.core.hub
	h.mu.Lock()
	t.send(l.tagged(fault.Message{"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged"},
		map[string]any{"notifications": l.filter.object()}))
	h.listeners = append(h.listeners, l)
	h.mu.Unlock()
	<-t.ctx.Done()
	h.mu.Lock()
	h.listeners = slices.DeleteFunc(h.listeners, func(one *listener) bool { return one == l })
	h.mu.Unlock()
	return fault.Message{"_meta": map[string]any{keySubscription: t.in.ID}}, nil
}

// agreeOnTasks leaves the tasks and the events in the filter that the client is told of.
func (l *listener) agreeOnTasks() (refused *Error) {
	asked, events := l.filter.Tasks, l.filter.Events
	l.filter.Tasks, l.filter.Events = nil, nil
	for _, extension := range l.turn.core.Extensions {
		if extension.ListenEvents != nil {
			l.filter.Events = extension.ListenEvents(l.turn, events)
		}
		if extension.Listen != nil && asked != nil {
			l.filter.Tasks, refused = extension.Listen(l.turn, asked)
		}
	}
	return refused
}

// TaskChanged tells every subscriber of a task what has become of it. The params are made
// anew for each.
func (c *Core) TaskChanged(id string, params func() map[string]any) {
	_, listeners := c.hub.audience()
	for _, l := range listeners {
		if slices.Contains(l.filter.Tasks, id) {
			l.turn.send(l.tagged(fault.Message{"jsonrpc": "2.0", "method": "notifications/tasks"}, params()))
		}
	}
}

// TellEvent sends a notification about a subscription to events: to the conversation that
// owns it, or without a conversation on every subscriptions/listen of a reader that names
// it. The params are made anew for each.
func (c *Core) TellEvent(to *Conversation, id string, reads func(*Turn) bool, method string, params func() map[string]any) {
	if to != nil {
		c.Tell(to, method, params())
		return
	}
	_, listeners := c.hub.audience()
	for _, l := range listeners {
		if slices.Contains(l.filter.Events, id) && reads(l.turn) {
			l.turn.send(l.tagged(fault.Message{"jsonrpc": "2.0", "method": method}, params()))
		}
	}
}

// TellEverybody sends a notification to every conversation and every subscriptions/listen,
// which only a fault does.
func TellEverybody(c *Core, method string, params func() map[string]any) {
	conversations, listeners := c.hub.audience()
	for _, conv := range conversations {
		c.push(conv, fault.Message{"jsonrpc": "2.0", "method": method, "params": params()})
	}
	for _, l := range listeners {
		l.turn.send(l.tagged(fault.Message{"jsonrpc": "2.0", "method": method}, params()))
	}
}

// TalkToListeners sends a notification to the subscribers of a task, which only a fault does.
func (c *Core) TalkToListeners(id string, m fault.Message) {
	_, listeners := c.hub.audience()
	for _, l := range listeners {
		if slices.Contains(l.filter.Tasks, id) {
			l.turn.send(m)
		}
	}
}

// EndSubscriptions ends the subscriptions of all clients, as a server does that is about to
// restart: their requests are answered, and cancelled before where the schema allows it.
func (c *Core) EndSubscriptions() {
	_, listeners := c.hub.audience()
	for _, l := range listeners {
		if l.turn.in.Transport == requirements.Stdio {
			l.turn.send(l.tagged(fault.Message{"jsonrpc": "2.0", "method": "notifications/cancelled"},
				map[string]any{"requestId": l.turn.in.ID, "reason": "the server restarts"}))
		}
		l.turn.stop()
	}
}

func subscribe(t *Turn) (fault.Message, *Error)   { return watch(t, true) }
func unsubscribe(t *Turn) (fault.Message, *Error) { return watch(t, false) }

func watch(t *Turn, on bool) (fault.Message, *Error) {
	uri, _ := text(t.in.Param["uri"])
	if _, listed := t.core.MCP().ListResources()[uri]; on && !listed {
		return nil, noResource(t)
	}
	if !on && t.core.Fault.Skips(fault.CheckUnsubscribed) {
		t.conv.watchNothing()
	}
	t.conv.watch(uri, on)
	return fault.Message{}, nil
}
