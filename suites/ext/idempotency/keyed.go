package idempotency

import (
	"context"
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
func begin(ctx context.Context, c *probe.Client) (*operation, error) {
	d, err := dialect(ctx, c)
	if err != nil {
		return nil, err
	}
	call, err := c.Role(roles.StateChange).Call()
	if err != nil {
		return nil, err
	}
	before, err := c.Before(ctx, call)
	if err != nil {
		return nil, err
	}
	return &operation{client: c, call: call, before: before, dialect: d}, nil
}

// on makes a case of a procedure: the operation is prepared ahead of it and
// undone behind it.
func on(procedure func(ctx context.Context, k *operation) error) func(context.Context, *probe.Client) error {
	return func(ctx context.Context, c *probe.Client) error {
		k, err := begin(ctx, c)
		if err != nil {
			return err
		}
		defer k.undo(ctx)
		return procedure(ctx, k)
	}
}

// undo takes back what was done, as far as the role says how.
func (k *operation) undo(ctx context.Context) {
	for _, reply := range k.done {
		k.client.Undo(ctx, k.call, reply)
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
func (k *operation) send(ctx context.Context, key any) (*probe.Reply, error) {
	return k.fire(ctx, shot{key: key})
}

// fire sends a call and keeps what was said as evidence.
func (k *operation) fire(ctx context.Context, s shot) (*probe.Reply, error) {
	reply, err := k.ask(ctx, s)
	if err == nil {
		k.keep(reply)
	}
	return reply, err
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

// ask sends a call; several may be under way at once.
func (k *operation) ask(ctx context.Context, s shot) (*probe.Reply, error) {
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
		return nil, probe.Undecide("keys are read from the header, which cannot hold this")
	}
	call, params, headers := s.placed()
	return s.client.CallTool(ctx, call, params, probe.WithHeader(headers))
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
func (k *operation) wantEffects(ctx context.Context, want int, after string) error {
	const looks = 10
	seen, err := k.client.Observe(ctx, k.call)
	if err != nil {
		return err
	}
	if want == 0 && k.before.Same(seen) {
		return nil
	}
	got, err := k.before.Effects(seen)
	for range looks {
		if err != nil || got >= want {
			break
		}
		if err := proposal.Pause(ctx, k.client, k.client.Waits().Event/looks); err != nil {
			return err
		}
		if seen, err = k.client.Observe(ctx, k.call); err != nil {
			return err
		}
		got, err = k.before.Effects(seen)
	}
	if err != nil && want == 0 {
		return k.sent.And(seen).Violation("the observed state has changed after %s, want no effect", after)
	}
	if err != nil || got == want {
		return err
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
func (k *operation) wantRepeat(ctx context.Context, repeat *probe.Reply) error {
	if proposal.WantDone(repeat) == nil {
		return nil
	}
	plain, err := k.client.Learn("idempotency:repeat", func() (string, error) {
		_, again, err := k.pair(ctx, k.key())
		if err == nil && proposal.WantDone(again) == nil {
			return "answered", nil
		}
		return "refused", ctx.Err()
	})
	if err == nil && plain != "answered" {
		err = probe.Undecide("repeats have no result, which ext-idempotency/same-result judges")
	}
	if err != nil {
		return err
	}
	return proposal.WantDone(repeat)
}

// repeat makes a call again that was made under its key, and expects its result
// and one effect of both together.
func (k *operation) repeat(ctx context.Context, s shot, after string) error {
	repeat, err := k.fire(ctx, s)
	if err != nil {
		return err
	}
	if err := k.wantRepeat(ctx, repeat); err != nil {
		return err
	}
	return k.wantEffects(ctx, 1, after)
}

// runsOnce expects that a call has a result and one effect, however its key is
// sent, and that its repeat has no other.
func (k *operation) runsOnce(ctx context.Context, s shot, after string) error {
	first, err := k.fire(ctx, s)
	if err != nil {
		return err
	}
	if err := proposal.WantDone(first); err != nil {
		return err
	}
	return k.repeat(ctx, s, after)
}

// spend makes the first call with a key. One without a result leaves nothing
// to look at; that it has one is the rule of first-runs.
func (k *operation) spend(ctx context.Context, key string) (*probe.Reply, error) {
	first, err := k.send(ctx, key)
	if err == nil && proposal.WantDone(first) != nil {
		err = probe.Undecide("the first call with a key had no result to repeat: " + first.Outcome())
	}
	return first, err
}

// pair makes the call and repeats it. That the repeat has a result is the rule
// of same-result.
func (k *operation) pair(ctx context.Context, key string) (first, repeat *probe.Reply, err error) {
	if first, err = k.spend(ctx, key); err != nil {
		return nil, nil, err
	}
	repeat, err = k.again(ctx, key)
	return first, repeat, err
}

func (k *operation) again(ctx context.Context, key string) (*probe.Reply, error) {
	repeat, err := k.send(ctx, key)
	if err == nil && proposal.WantDone(repeat) != nil {
		err = probe.Undecide("the repeat of a call with a key was not answered with a result: " + repeat.Outcome())
	}
	return repeat, err
}

// replay is again, some time later: a server that has forgotten the key by then, which
// is another rule's, has run a new call.
func (k *operation) replay(ctx context.Context, key string) (*probe.Reply, error) {
	repeat, err := k.again(ctx, key)
	if err != nil {
		return nil, err
	}
	if flag, ok := k.locate(repeat, "was_replay"); ok && flag.Value == false {
		return nil, probe.NotSeen("the repeat is marked as a call that is not a replay")
	}
	return repeat, nil
}
