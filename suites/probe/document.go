package probe

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// Documents are what a target serves beside its endpoint, over HTTP.
type Documents struct {
	Capabilities string // where it may serve its manifest; empty over stdio
	Named        bool   // the configuration says so
	// Get asks for one, and gives up after a while. It sends nothing that is meant
	// for the target to another host. The error is only that of the run being cut
	// short.
	Get func(ctx context.Context, at string, within time.Duration) (Document, error)

	Endpoint string // the URL of the target; empty over stdio
	// Near says of an address whether the kit may ask it; Visit asks, and shows no
	// credentials.
	Near  func(at string) bool
	Visit func(ctx context.Context, v Visit) (Document, error)
}

// A Document is what a plain GET was answered with. It is no message of the protocol,
// so that no watcher sees it.
type Document struct {
	Status int // 0: nothing came
	Header http.Header
	Body   []byte
	Whole  bool // the body was read to its end
	Frames []frame.Frame
}

// Evidence is the request and what came for it.
func (d Document) Evidence() []frame.Frame { return slices.Clone(d.Frames) }

// CapabilitiesDocument asks for the manifest at its own address, which the
// configuration may have named. It is empty over stdio.
func (c *Client) CapabilitiesDocument(within time.Duration) (d Document, named bool) {
	served := c.setup.Documents
	if served.Capabilities == "" || served.Get == nil {
		return Document{}, false
	}
	d, err := served.Get(c.live(), served.Capabilities, within)
	c.must(err)
	return d, served.Named
}
