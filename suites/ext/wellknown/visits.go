package wellknown

import (
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// visits judge the page that the document stands on.
func visits() []suite.Case {
	const rule = "ext-wk-stable-cacheable"
	return []suite.Case{
		page("stable", "the document is the same when it is asked for twice", rule,
			"leave out of the document what changes from one request to the next", of(stable)),
		page("head", "HEAD is answered as GET is, without a body", rule,
			"answer HEAD with the status and the headers of GET", of(head)),
		page("other-methods", "POST is rejected", rule,
			"answer methods other than GET and HEAD with status 405", of(otherMethods)),
	}
}

// stable asks a second time at once, so that nothing has changed meanwhile but by itself.
func stable(d *document) error {
	first := proposal.ReadWellKnownAnew(d.client, http.MethodGet)
	again := proposal.ReadWellKnownAnew(d.client, http.MethodGet)
	d.client.UndecideIf(first.Object == nil || again.Object == nil, "the document was not served a second time")
	if probe.Same(proposal.Steady(first.Object), proposal.Steady(again.Object)) {
		return nil
	}
	return probe.Shown(first, again).Violation("the second document differs from the first, want the same")
}

func head(d *document) error {
	got := proposal.ReadWellKnownAnew(d.client, http.MethodHead)
	d.client.UndecideIf(got.Status == 0, "HEAD was not answered")
	if got.Status != http.StatusOK {
		return probe.Shown(got).Violation("HEAD %s is answered with status %d, want 200 as to GET", d.At, got.Status)
	}
	return nil
}

func otherMethods(d *document) error {
	got := proposal.ReadWellKnownAnew(d.client, http.MethodPost)
	d.client.UndecideIf(got.Status == 0, "POST was not answered")
	if got.Status < http.StatusMultipleChoices {
		return probe.Shown(got).Violation("POST %s is answered with status %d, want 405", d.At, got.Status)
	}
	return nil
}
