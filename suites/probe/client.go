package probe

import "context"

// A Client is the kit's own end of one conversation with the server under test.
// It keeps every frame and, unlike a real client, may misbehave. It carries the
// context of its case: its methods return no errors. The case ends within a
// method where the run is cut short, a role is not filled or a precondition is
// missing. Its parts each bring a piece of the vocabulary of cases; none of them
// knows the Client.
type Client struct {
	*caller
	opener
	actor
}

// newClient is a client of a conversation for the time of a scope. It declares
// the capabilities of the setup where declares is nil.
func newClient(c *conversation, s *scope, declares Object) *Client {
	all := &caller{
		listener:    listener{scope: s, conversation: c},
		composer:    composer{column: &c.column, ledger: &c.ledger, declares: declares},
		environment: environment{within: s, column: &c.column},
	}
	return &Client{caller: all, opener: opener{all}, actor: actor{all}}
}

// Close ends the conversation, and the conversations opened with Another. A
// case need not close them: they end with the case's own conversation.
func (c *Client) Close() { _ = c.close(c.live()) }

// begin opens one more connection to the target as the setup says. The
// connection closes together with c.
func (c *Client) begin(setup Setup) *Client {
	ctx := c.live()
	link, err := setup.Dial(ctx)
	c.must(err)
	other := newConversation(context.WithoutCancel(ctx), link, setup)
	c.conversation.mu.Lock()
	defer c.conversation.mu.Unlock()
	c.others = append(c.others, other)
	return newClient(other, c.scope, nil)
}

// Another opens one more connection to the target, without saying anything yet.
// The connection closes together with c.
func (c *Client) Another() *Client { return c.begin(c.setup) }

// Opened is Another with the opening already done.
func (c *Client) Opened() *Client {
	other := c.Another()
	other.open()
	return other
}
