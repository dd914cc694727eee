package discover

import (
	"context"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// listMethods are the methods that list what a server offers.
func listMethods() []string {
	return []string{"tools/list", "resources/list", "prompts/list", "resources/templates/list"}
}

// member is the member of a list's result that holds the items.
func member(method string) (capability, items string) {
	switch method {
	case "tools/list":
		return "tools", "tools"
	case "prompts/list":
		return "prompts", "prompts"
	case "resources/templates/list":
		return "resources", "resourceTemplates"
	default:
		return "resources", "resources"
	}
}

// Survey learns what the transport offers at one revision.
func (l Look) Survey(ctx context.Context, r requirements.Revision, found Found) (*probe.Survey, error) {
	s := &probe.Survey{Lists: map[string][]any{}, Traits: map[probe.Trait]bool{}, Claims: map[string]probe.Claim{}, Versions: found.Versions}
	setup := l.Setup
	setup.Revision, setup.Transport, setup.Survey = r, l.Transport, s
	link, err := setup.Dial(ctx)
	if err != nil {
		return nil, err
	}
	c := probe.New(context.WithoutCancel(ctx), link, setup)
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	opening, err := l.open(ctx, c, r)
	if err != nil {
		return nil, err
	}
	if o, ok := opening.Result(); ok {
		s.Capabilities = object(o["capabilities"])
		s.ServerInfo = object(o["serverInfo"])
		if meta := object(o["_meta"]); s.ServerInfo == nil {
			s.ServerInfo = object(meta["io.modelcontextprotocol/serverInfo"])
		}
	}
	for _, method := range listMethods() {
		if capability, _ := member(method); s.Capabilities[capability] == nil {
			continue
		}
		if err := readList(ctx, c, s, method); err != nil {
			return nil, err
		}
	}
	traits(s, found)
	l.claims(s)
	return s, nil
}

func (l Look) open(ctx context.Context, c *probe.Client, r requirements.Revision) (*probe.Reply, error) {
	if r.Modern() {
		return c.Call(ctx, "server/discover", nil)
	}
	reply, err := c.Initialize(ctx)
	if err != nil {
		return nil, err
	}
	return reply, c.Initialized(ctx)
}

// readList reads all pages of a list, up to the limit, and keeps what it got
// when a page fails: the cases say what is wrong with it.
func readList(ctx context.Context, c *probe.Client, s *probe.Survey, method string) error {
	_, items := member(method)
	params := probe.Object(nil)
	seen := map[string]bool{}
	for range c.Waits().Pages {
		reply, err := c.Call(ctx, method, params)
		if err != nil {
			return err
		}
		page, ok := reply.Result()
		if !ok {
			return nil
		}
		s.Lists[method] = append(s.Lists[method], array(page[items])...)
		cursor, more := page["nextCursor"].(string)
		// Only from 2026-07-28 on is an empty cursor surely one.
		if !more || seen[cursor] || cursor == "" && !c.Revision().Modern() {
			return nil
		}
		s.Traits[probe.AnyPaginates] = true
		s.Traits[probe.Trait("paginates:"+method)] = true
		seen[cursor] = true
		params = probe.Object{"cursor": cursor}
	}
	return nil
}

func traits(s *probe.Survey, found Found) {
	set := func(name probe.Trait, holds bool) {
		if holds {
			s.Traits[name] = true
		}
	}
	set(probe.Modern, found.Modern)
	set(probe.Legacy, len(found.Legacy) > 0)
	set(probe.DualEra, found.Modern && len(found.Legacy) > 0)
	// A handshake that offers what the kit does not know is a handshake too.
	set(probe.ModernOnly, found.Modern && len(found.Legacy) == 0 && !slices.ContainsFunc(found.Versions.Offered, func(offer string) bool {
		return requirements.Revision(offer).Before(requirements.R20260728)
	}))
	set(probe.Sessions, found.Sessions)
	set(probe.ResourceTemplates, len(s.Lists["resources/templates/list"]) > 0)
	for _, r := range s.Lists["resources/list"] {
		uri, _ := object(r)["uri"].(string)
		set(probe.FileResources, strings.HasPrefix(uri, "file://"))
	}
	for _, p := range s.Lists["prompts/list"] {
		for _, a := range array(object(p)["arguments"]) {
			set(probe.PromptWithRequiredArguments, object(a)["required"] == true)
		}
	}
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}
