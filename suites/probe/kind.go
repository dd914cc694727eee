package probe

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Kind is what requests have in common that a server may leave without an answer: their
// method, the tool that they call, the form of their id, what was sent before them, their
// length; at one revision, or at each.
type Kind struct {
	Of string // "requests for ping", for a sentence
	At requirements.Revision
}

// A request is what Patience knows of a request.
type request struct {
	kinds  []Kind // the widest first
	method string
	at     time.Duration // when it was sent, as frames count the time
	usual  bool          // it asks for something that the server offers
	like   Kind          // those that name the same item, or declare the same in a handshake; empty for others
}

// A Miss is a request that got no answer: a case awaited it in vain, or the connection ended.
type Miss struct {
	of    request
	ended bool
	full  bool // it was awaited for the usual time
}

// Ended reports whether the connection ended instead of an answer.
func (m Miss) Ended() bool { return m.ended }

// InFull reports whether the answer was awaited for the usual time, not a shorter one.
func (m Miss) InFull() bool { return m.full }

// Method is the method that the request asks for.
func (m Miss) Method() string { return m.of.method }

// Like is the kind of the requests that name the same item, or declare the same in a handshake;
// empty for others.
func (m Miss) Like() Kind { return m.of.like }

// Usual reports whether the request asks for something that the server offers.
func (m Miss) Usual() bool { return m.of.usual }

// The names of kinds begin so.
const (
	requestsFor = "requests for "
	allBut      = "all requests but " // the opening: of these some take long, which says nothing of the others
)

// request tells what a request has in common with others.
func (c *column) request(method, id string, params map[string]any) request {
	r := request{method: method, usual: true}
	at := c.Revision()
	kind := func(of string) { r.kinds = append(r.kinds, Kind{Of: of}, Kind{Of: of, At: at}) }
	if method != "initialize" && method != "server/discover" {
		kind(allBut + protocol.Opening().At(at))
	}
	known, ok := protocol.MethodOf(protocol.Client, method)
	if ok && known.In(at) && (known.Capability == "" || c.setup.Survey.Declares(known.Capability)) {
		kind(requestsFor + method)
	} else {
		r.usual = false
		kind("requests for methods that the server does not offer")
		kind(requestsFor + method)
	}
	if known.Named != "" {
		name, listed := named(c, known, params)
		r.usual = r.usual && listed
		kind(requestsFor + method + name)
		r.like = Kind{Of: requestsFor + method + name, At: at}
		if able := askable(c, params); able != "" {
			kind(requestsFor + method + name + " by a client that declares " + able)
		}
	}
	if declared := params["capabilities"]; method == "initialize" && declared != nil {
		r.like = Kind{Of: requestsFor + "initialize by a client that declares " + JSON(declared), At: at}
		r.kinds = append(r.kinds, r.like)
	}
	if strings.HasPrefix(id, `"`) {
		kind("requests with a string as id")
	}
	return r
}

// askable is what the client of a request declares that it may be asked for, as JSON; empty for
// nothing. Such a request may wait for the answer to a question that never came.
func askable(c *column, params map[string]any) string {
	declared, able := c.setup.Capabilities, Object{}
	if own := ObjectOf(ObjectOf(params["_meta"])[protocol.MetaCapabilities]); len(own) > 0 {
		declared = own
	}
	for _, name := range []string{"elicitation", "roots", "sampling"} {
		if declared[name] != nil {
			able[name] = declared[name]
		}
	}
	if len(able) == 0 {
		return ""
	}
	return JSON(able)
}

// named tells the items apart that a request names. All names that the server does not
// list are one kind.
func named(c *column, m protocol.Method, params map[string]any) (kind string, listed bool) {
	member := strings.TrimPrefix(m.Named, "/params/")
	name, ok := params[member].(string)
	if !ok {
		return " without a " + member, false
	}
	for _, l := range protocol.Lists() {
		if c.setup.Survey == nil || l.Capability != m.Capability {
			continue
		}
		for _, item := range c.setup.Survey.Lists[l.Method] {
			if ObjectOf(item)[l.Key] == name {
				return " of " + Show(name), true
			}
		}
	}
	return " of what it does not list", false
}

// hears learns from a message of the server which requests it answers.
func (c *conversation) hears(s Seen) {
	if s.Dir != frame.Received || s.Kind != frame.KindMessage || c.setup.Patience == nil {
		return
	}
	for _, m := range Singles(s.Message()) {
		if !m.Responds() {
			continue
		}
		asked, ok := c.unanswered(m.ID)
		if !ok {
			continue
		}
		c.behind.Store(false)
		if !refusesMessage(m) {
			c.setup.Patience.answered(asked, s.At-asked.at-s.Away)
		}
	}
}

// refusesMessage reports whether an error refuses a message before its method is looked at: it
// does not show that the server answers requests for that method.
func refusesMessage(m frame.Message) bool {
	given, _ := m.At("/error/code")
	number, _ := given.(json.Number)
	code, _ := frame.Integer(number.String())
	return slices.Contains([]int{
		protocol.ParseError, protocol.InvalidRequest, protocol.HeaderMismatch, protocol.UnsupportedVersion,
	}, code)
}

// longText is the length of a request that is long: some servers read lines with a buffer of
// 64 KiB.
const longText = 64 << 10

// awaitsFor expects an answer to the request in a text from now on. Beside what the text says,
// it is of a kind that the case names, unless that is empty.
func (c *conversation) awaitsFor(m frame.Message, text, alike string) request {
	if m.Class != frame.Request || c.setup.Patience == nil {
		return request{}
	}
	r := c.request(m.Method, m.ID, ObjectOf(member(m, "/params")))
	if c.behind.Load() {
		const behind = "requests behind text that is not JSON"
		r.kinds = append(r.kinds, Kind{Of: behind}, Kind{Of: behind, At: c.Revision()})
	}
	if alike != "" {
		r.kinds = append(r.kinds, Kind{Of: alike}, Kind{Of: alike, At: c.Revision()})
	}
	if len(text) > longText {
		const long = "requests longer than 64 KiB"
		r.kinds = append(r.kinds, Kind{Of: long}, Kind{Of: long, At: c.Revision()})
	}
	c.expect(m.ID, r)
	return r
}

// exchanged expects answers to the requests of a text from now on. The requests of an
// array are one kind.
func (c *conversation) exchanged(text string) request {
	m := c.reading(text)
	if m.Class != frame.Batch || c.setup.Patience == nil {
		return c.awaitsFor(m, text, "")
	}
	const arrays = "requests in arrays"
	r := request{method: arrays, kinds: []Kind{{Of: arrays}, {Of: arrays, At: c.Revision()}}}
	for _, each := range m.Batch {
		if each.Class == frame.Request {
			c.expect(each.ID, r)
		}
	}
	return r
}

// missed keeps for the verdict that an answer was awaited in vain, for the usual time or a
// shorter one.
func missed(c *caller, r request, waited time.Duration) {
	if len(r.kinds) == 0 {
		return
	}
	full := waited >= c.setup.Waits.Answer
	switch {
	case full:
		c.hadTime.Store(true)
		c.setup.Patience.inVain(r, false)
	case guesses(c.scope):
		c.setup.Patience.inVain(r, true)
	}
	c.miss(Miss{of: r, full: full})
}

// ended keeps for the verdict that the connection ended instead of an answer.
func ended(c *caller, r request) {
	if len(r.kinds) > 0 {
		c.miss(Miss{of: r, ended: true})
	}
}

// allowance is how long the answer to a request is awaited that usually gets the full time. A process
// that starts may take long, and so may an opening, except one like those that were awaited in vain.
func allowance(c *caller, r request, full time.Duration) time.Duration {
	if len(r.kinds) == 0 || c.setup.Thorough {
		return full
	}
	p := c.setup.Patience
	opens := r.method == "initialize"
	starts := c.setup.Transport == requirements.Stdio && !c.serverSpoke.Load() && !c.hadTime.Load()
	vain := opens && p.inVainLike(r)
	if opens && !vain || starts && !vain && !p.knows(r) {
		return full
	}
	return p.limit(r, full, guesses(c.scope))
}
