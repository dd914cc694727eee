package idempotency

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// An operation is one logical call, the state before it, and the form in which
// the server reads keys.
type operation struct {
	client  *probe.Client
	call    *probe.ToolCall
	before  probe.State
	dialect proposal.Dialect
	sent    probe.Evidence
	done    map[string]*probe.Reply // what was done, by the answer
}

// begin learns how the server reads keys, then reads the state. What learning
// leaves behind is in the state already and is not counted.
func begin(c *probe.Client) *operation {
	d := dialect(c)
	call := c.Role(roles.StateChange).Call()
	before := c.Before(call)
	return &operation{client: c, call: call, before: before, dialect: d}
}

// on makes a case of a procedure: the operation is prepared ahead of it and
// undone behind it.
func on(procedure func(k *operation) error) func(*probe.Client) error {
	return func(c *probe.Client) error {
		k := begin(c)
		c.Cleanup(k.undo)
		return procedure(k)
	}
}

// undo takes back what was done, as far as the role says how.
func (k *operation) undo() {
	for _, reply := range k.done {
		k.client.Undo(k.call, reply)
	}
}

// key is a fresh key of letters and digits, which every server accepts.
func (k *operation) key() string { return "kit" + k.client.Nonce() }

// A shot is one call with a key. What is left out is that of the operation.
type shot struct {
	client  *probe.Client
	call    *probe.ToolCall
	dialect proposal.Dialect
	key     any          // nil: no key at all
	beside  probe.Object // further properties for the places of the key
}

// send makes the operation's own call with a key.
func (k *operation) send(key any) *probe.Reply {
	return k.fire(shot{key: key})
}

// fire sends a call and keeps what was said as evidence.
func (k *operation) fire(s shot) *probe.Reply {
	reply := k.start(s).Reply()
	k.keep(reply)
	return reply
}

func (k *operation) keep(reply *probe.Reply) {
	k.sent = k.sent.And(reply)
	if result, ok := reply.Result(); ok && !proposal.Declined(reply) {
		if k.done == nil {
			k.done = map[string]*probe.Reply{}
		}
		k.done[probe.JSON(probe.Payload(result))] = reply // a replay is no second effect
	}
}

// start sends a call; several may be under way at once.
func (k *operation) start(s shot) *probe.Pending {
	if s.client == nil {
		s.client = k.client
	}
	if s.call == nil {
		s.call = k.call
	}
	if s.dialect == "" {
		s.dialect = k.dialect
	}
	if s.dialect.Leads(proposal.Header) && (len(s.beside) > 0 || s.key != nil && !proposal.Visible(s.key)) {
		k.client.Undecide("keys are read from the header, which cannot hold this")
	}
	call, params, headers := s.placed()
	return s.client.StartTool(call, params, probe.WithHeader(headers))
}

// placed puts the key and what is beside it wherever the dialect says. Beside name
// and arguments the key has the spelling of a core draft that was closed, too.
func (s shot) placed() (*probe.ToolCall, probe.Object, http.Header) {
	values := s.beside
	if s.key != nil {
		values = values.With("idempotency_key", s.key)
	}
	return s.dialect.Placed(s.call, proposal.Members{
		Values:   values,
		Headers:  map[string]string{"idempotency_key": "X-Idempotency-Key"},
		Spelling: map[string]string{"idempotency_key": "idempotencyKey"},
	})
}

// wantEffects expects so many effects since the beginning. An observer that
// cannot count still shows that there was none. Effects may come some time
// after the answer.
func (k *operation) wantEffects(want int, after string) error {
	const looks = 10
	seen := k.client.Observe(k.call)
	if want == 0 && k.before.Same(seen) {
		return nil
	}
	got := 0
	uncounted := k.client.Try(func() { got = k.before.Effects(seen) })
	switch {
	case uncounted != nil && want == 0:
		return k.sent.And(seen).Violation("the observed state has changed after %s, want no effect", after)
	case uncounted != nil:
		k.client.Stop(uncounted)
	}
	for range looks {
		if got >= want {
			break
		}
		proposal.Pause(k.client, k.client.Waits().Event/looks)
		seen = k.client.Observe(k.call)
		got = k.before.Effects(seen)
	}
	if got == want {
		return nil
	}
	return k.sent.And(seen).Violation("the observed state shows %s after %s, want %s", effects(got), after, effects(want))
}

func effects(n int) string {
	switch n {
	case 0:
		return "no effect"
	case 1:
		return "one effect"
	default:
		return fmt.Sprintf("%d effects", n)
	}
}

// locate finds a property of the extension in an answer. Inside the tool's own
// answer it counts only beside the key, and not where the tool itself declares
// such a property, unless the server claims the extension by name.
func (k *operation) locate(reply *probe.Reply, name string) (proposal.Located, bool) {
	result, _ := reply.Result()
	explicit := proposal.Explicit(k.client, "idempotency")
	return proposal.Locate(result, name, "idempotency", func(record map[string]any) bool {
		_, ok := record["idempotency_key"]
		return ok && (explicit || !proposal.Declares(k.client, k.call.Tool, "idempotency_key"))
	})
}

// property is locate for the case that judges the property. Older places are
// noted.
func (k *operation) property(reply *probe.Reply, name string) (proposal.Located, bool) {
	found, ok := k.locate(reply, name)
	if ok && found.Place != "_meta."+name && !strings.HasPrefix(found.Place, "_meta[") {
		k.client.Note(name + " stands in " + found.Place + ", an older form; the canonical place is _meta." + name)
	}
	return found, ok
}

// marked reports whether an answer says of itself that it is a replay.
func (k *operation) marked(reply *probe.Reply) bool {
	flag, _ := k.locate(reply, "was_replay")
	return flag.Value == true
}

// wantRepeat expects that the repeat of a call has a result, of a server that
// answers plain repeats with one: that it does is the rule of same-result.
func (k *operation) wantRepeat(repeat *probe.Reply) error {
	if proposal.WantDone(repeat) == nil {
		return nil
	}
	plain := k.client.Learn("idempotency:repeat", func() string {
		if k.client.Try(func() { k.pair(k.key()) }) != nil {
			return "refused"
		}
		return "answered"
	})
	if plain != "answered" {
		k.client.Undecide("repeats have no result, which ext-idempotency/same-result judges")
	}
	return proposal.WantDone(repeat)
}

// repeat makes a call again that was made under its key, and expects its result
// and one effect of both together.
func (k *operation) repeat(s shot, after string) error {
	repeat := k.fire(s)
	if err := k.wantRepeat(repeat); err != nil {
		return err
	}
	return k.wantEffects(1, after)
}

// runsOnce expects that a call has a result and one effect, however its key is
// sent, and that its repeat has no other.
func (k *operation) runsOnce(s shot, after string) error {
	first := k.fire(s)
	if err := proposal.WantDone(first); err != nil {
		return err
	}
	return k.repeat(s, after)
}

// spend makes the first call with a key. One without a result leaves nothing
// to look at; that it has one is the rule of first-runs.
func (k *operation) spend(key string) *probe.Reply {
	first := k.send(key)
	if proposal.WantDone(first) != nil {
		k.client.Undecide("the first call with a key had no result to repeat: " + first.Outcome())
	}
	return first
}

// pair makes the call and repeats it. That the repeat has a result is the rule
// of same-result.
func (k *operation) pair(key string) (first, repeat *probe.Reply) {
	first = k.spend(key)
	repeat = k.again(key)
	return first, repeat
}

func (k *operation) again(key string) *probe.Reply {
	repeat := k.send(key)
	if proposal.WantDone(repeat) != nil {
		k.client.Undecide("the repeat of a call with a key was not answered with a result: " + repeat.Outcome())
	}
	return repeat
}

// replay is again, some time later: a server that has forgotten the key by then, which
// is another rule's, has run a new call.
func (k *operation) replay(key string) *probe.Reply {
	repeat := k.again(key)
	if flag, ok := k.locate(repeat, "was_replay"); ok && flag.Value == false {
		k.client.NotSeen("the repeat is marked as a call that is not a replay")
	}
	return repeat
}
