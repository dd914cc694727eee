package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// errands are what a user has to do on pages of the harbour before a tool can go on.
type errands struct {
	core *core.Core

	mu   sync.Mutex
	open map[[2]string]*errand // by principal and vessel
}

// An errand is one page, to be visited by the user that it was made for.
type errand struct {
	principal, id, url string
	asked              *core.Conversation
	done               bool
}

// errandTools send the user to a page. Nothing of what is done there passes the client.
func (e *errands) tools() []tool {
	return []tool{
		{
			name: "sign_permit", title: "Sign a permit", hint: settles, since: requirements.R20251125,
			about: "Has the user sign the permit of a vessel on a page of the harbour",
			input: `{"type":"object","properties":{"vessel":{"type":"string"}},"required":["vessel"],"additionalProperties":false}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
				return e.sign(core.From(ctx), a.text("vessel"))
			},
		},
		{
			name: "visit_page", title: "Visit a page", hint: settles, since: requirements.R20251125,
			about: "Does what the user would do on a page of the harbour, so that tests need no browser",
			input: `{"type":"object","properties":{"url":{"type":"string"}},"required":["url"],"additionalProperties":false}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
				return e.visit(core.From(ctx), a.text("url"))
			},
		},
	}
}

const signHere = "The harbour needs a signature."

// sign asks until the page was visited. Up to 2025-11-25 the call is refused with the error that
// lists the page; since, a result that asks brings the client back.
func (e *errands) sign(turn *core.Turn, vessel string) (*mcp.CallToolResult, error) {
	page := e.page(turn, vessel)
	if e.signed(page) {
		return plain("The permit of " + vessel + " is signed.")
	}
	params := map[string]any{"mode": "url", "message": signHere, "url": page.url}
	if !turn.Revision().Modern() {
		params["elicitationId"] = page.id
	}
	raw, err := turn.Ask("elicitation/create", params)
	var unanswered *core.Unanswered
	switch {
	case errors.As(err, &unanswered) && unanswered.Lacking == nil, err == nil && !accepted(raw):
		return failed("The permit of " + vessel + " is not signed.")
	case err != nil:
		return nil, err
	case e.signed(page):
		return plain("The permit of " + vessel + " is signed.")
	case turn.Revision().Modern():
		return failed("The permit of " + vessel + " is not signed yet.")
	}
	return nil, &core.Error{
		Code: core.URLWanted, Message: "the permit has to be signed first", Data: map[string]any{"elicitations": []any{params}},
	}
}

// page is the page for a vessel of this user.
func (e *errands) page(turn *core.Turn, vessel string) *errand {
	e.mu.Lock()
	defer e.mu.Unlock()
	owner := turn.Principal()
	if e.core.Fault.Skips(fault.CheckErrandOwner) {
		owner = fmt.Sprintf("%p", turn.Conversation())
	}
	key := [2]string{owner, vessel}
	if e.open == nil || len(e.open) >= maxKept { // a page that was forgotten is asked for again
		e.open = map[[2]string]*errand{}
	}
	if e.open[key] == nil {
		id := rand.Text()
		e.open[key] = &errand{principal: turn.Principal(), id: id, url: "https://harbour.example/permits/" + id}
	}
	e.open[key].asked = turn.Conversation()
	return e.open[key]
}

func (e *errands) signed(page *errand) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return page.done
}

// visit ends an errand. Only the user that it was made for can do that.
func (e *errands) visit(turn *core.Turn, url string) (*mcp.CallToolResult, error) {
	page := e.at(turn.Principal(), url)
	if page == nil {
		return failed("There is no such page for this user.")
	}
	if !turn.Revision().Modern() {
		e.core.Tell(page.asked, "notifications/elicitation/complete", map[string]any{"elicitationId": page.id})
	}
	return plain("The permit is signed.")
}

func (e *errands) at(principal, url string) *errand {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, page := range e.open {
		if page.url == url && page.principal == principal {
			page.done = true
			return page
		}
	}
	return nil
}

func accepted(raw []byte) bool {
	var answer elicited
	return json.Unmarshal(raw, &answer) == nil && answer.Action == "accept"
}
