package confirmation

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Switches are the ways to break the extension. The zero Switches break nothing.
type Switches struct {
	RunsAtOnce   string // a tool whose calls no gate stops
	RunsThenAsks bool   // a gate stops nothing
	KeyedRuns    bool   // a gate stops no call with an idempotency key

	FixedToken   bool // each question has the same token
	CountedToken bool // tokens are counted
	ToolToken    bool // the token is the name of the tool

	Unread    bool // no consent is read
	AsksAgain bool // a consent is answered with another question, for ever
	RunsTwice bool // a consent runs the call twice

	Reusable     bool // a token is good until it expires
	TextOrder    bool // a token is good for its arguments as they were written
	AnyArguments bool // a token is good for all arguments of its tool
	AnyTool      bool // a token is good for each other tool
	AnyPrincipal bool // a token is good for every caller
	AnyToken     bool // a token that was never issued is good
	NeedsNoToken bool // consent is good without a token
	NeverExpires bool // a token outlives its end

	AnyConsent  bool // each value of user_confirmed but null is consent
	TextConsent bool // each string is consent
	NullConsent bool // null is consent

	AsksAnybody   bool // clients that do not declare the extension are asked as well
	RefusesForNow bool // they are refused as if it were for now only

	BelievesIntent bool // a call whose intent speaks of approval runs

	// AsksUser: the tool asks the user itself by elicitation, as the protocol knows it. That
	// breaks nothing.
	AsksUser bool
	// DeclineRuns: what the user declines runs all the same, with AsksUser.
	DeclineRuns bool
	// CancelRuns is DeclineRuns for a user who gives no answer.
	CancelRuns bool
}

func switches(f *fault.Fault) Switches {
	if f == nil {
		return Switches{}
	}
	own, _ := f.Ext.(Switches) // zero if Ext holds another extension's switches
	return own
}

// AsksUser tells whether a tool asks the user itself. The second value is whether an answer
// with the action then runs it.
func AsksUser(f *fault.Fault) (asks bool, runs func(action string) bool) {
	own := switches(f)
	return own.AsksUser, func(action string) bool {
		return action == "accept" || own.DeclineRuns && action == "decline" || own.CancelRuns && action == "cancel"
	}
}

// agrees tells whether a value is the consent of a user: true, and no other.
func (f Switches) agrees(value json.RawMessage) bool {
	switch value = bytes.TrimSpace(value); {
	case f.AnyConsent && value != nil:
		return string(value) != "null"
	case f.TextConsent && bytes.HasPrefix(value, []byte(`"`)):
		return true
	}
	return string(value) == "true" || f.NullConsent && string(value) == "null"
}

// concerns tells whether a question about one subject is one about another.
func (f Switches) concerns(asked, about subject) bool {
	if f.AnyArguments {
		asked.arguments = about.arguments
	}
	if f.AnyTool && asked.tool != about.tool {
		asked.tool, asked.arguments = about.tool, about.arguments
	}
	if f.AnyPrincipal {
		asked.principal = about.principal
	}
	return asked == about
}

// accepts tells whether a fault accepts a token that fits no question.
func (f Switches) accepts(token string, known bool) bool {
	return f.AnyToken && token != "" && !known || f.NeedsNoToken && token == ""
}

// token is the token of a question.
func (f Switches) token(fresh string, about subject, number int) string {
	switch {
	case f.FixedToken:
		return "confirmed-by-the-user"
	case f.CountedToken:
		return "confirmation-no-" + strconv.Itoa(number+1)
	case f.ToolToken:
		return about.tool
	default:
		return fresh
	}
}

// run runs a call that the user has agreed to.
func (f Switches) run(run next) (fault.Message, *core.Error) {
	if f.RunsTwice {
		if _, failure := run(); failure != nil {
			return nil, failure
		}
	}
	return run()
}
