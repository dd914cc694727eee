// Package wellknown serves the well-known document: what the server is and offers, for
// everybody who asks its origin by GET, without a conversation. The document is made from
// the registry for each request, so that it agrees with the lists.
package wellknown

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Path is where the document is served.
const Path = "/.well-known/mcp.json"

// Name is the name of the extension for operators.
const Name = "well-known"

// New returns the extension. It declares nothing: clients find the document by its path.
func New() core.Extension { return core.Extension{Name: Name} }

// Switches make the document or its page misbehave for a fault.
type Switches struct {
	// Change changes the document; nth counts the requests for it, from 1.
	Change func(document map[string]any, nth int)
	// Serve answers a request itself; false leaves the request to the page.
	Serve func(w http.ResponseWriter, r *http.Request, document []byte) bool
	// Below lets the page be at the path of the endpoint instead of at the origin.
	Below string
}

// A Page serves the document.
type Page struct {
	Core   *core.Core
	Login  bool         // the endpoint demands tokens
	served atomic.Int64 // for faults
}

// Serves tells whether a path is that of the page.
func (p *Page) Serves(path string) bool { return path == p.switches().Below+Path }

func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	document, err := p.document(r.Context())
	if err != nil {
		http.Error(w, "the document could not be made", http.StatusInternalServerError)
		return
	}
	switch s := p.switches(); {
	case s.Serve != nil && s.Serve(w, r, document):
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
	default:
		Answer(w, "application/json", document)
	}
}

// Answer sends a document. To HEAD, net/http sends the headers alone.
func Answer(w http.ResponseWriter, kind string, document []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(document)))
	_, _ = w.Write(document) // the client may be gone
}

func (p *Page) switches() Switches {
	if p.Core.Fault == nil {
		return Switches{}
	}
	own, _ := p.Core.Fault.Ext.(Switches) // zero if Ext holds another extension's switches
	return own
}

func (p *Page) document(ctx context.Context) ([]byte, error) {
	who := p.Core.Identity
	document := map[string]any{
		"name": who.Title, "description": who.Description, "schemaVersion": string(requirements.R20260728),
		"transport": []any{"streamable-http", "stdio"}, "language": "go",
		"git": map[string]any{"repository": "https://git.example/harbour/office", "commitSHA": commit},
	}
	if p.Login {
		document["authentication"] = []any{"oauth2"}
	}
	features := []any{}
	for _, kind := range []string{"tool", "prompt", "resource"} {
		listed, err := core.Offered(ctx, p.Core, kind+"s/list")
		if err != nil {
			return nil, err
		}
		for _, item := range listed {
			features = append(features, feature(kind, item))
		}
	}
	document["features"] = features
	if s := p.switches(); s.Change != nil {
		s.Change(document, int(p.served.Add(1)))
	}
	return json.Marshal(document)
}

// commit stands for the commit that the office is built from, which a server of your own
// takes from its build.
const commit = "3b18e512dba79e4c8300dd08aeb37f8e728b8dad"

// feature describes an item of a list.
func feature(kind string, item fault.Message) map[string]any {
	f := map[string]any{"name": item["name"], "type": kind, "description": item["description"]}
	if f["description"] == nil {
		f["description"] = item["name"]
	}
	for _, property := range []string{"inputSchema", "outputSchema", "annotations"} {
		if value, given := item[property]; given && kind == "tool" {
			f[property] = value
		}
	}
	return f
}
