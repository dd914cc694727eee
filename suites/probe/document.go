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
	Capabilities string // of the manifest, if the target serves one; empty over stdio
	Named        bool   // the configuration names that address
	WellKnown    string // of the well-known document; empty over stdio
	// Get fetches a document, and gives up after a while. To another host it sends
	// nothing that is meant for the target. It fails only where the run is cut
	// short.
	Get func(ctx context.Context, at string, within time.Duration) (Document, error)

	Endpoint string // the URL of the target; empty over stdio
	// Near reports whether the kit may ask an address; Visit asks it without
	// credentials.
	Near  func(at string) bool
	Visit func(ctx context.Context, v Visit) (Document, error)
}

// A Document is the answer to a plain GET. It is no message of the protocol, so
// no watcher sees it.
type Document struct {
	Status int // 0: nothing came
	Header http.Header
	Body   []byte
	Whole  bool // the body was read to its end
	Late   bool // the answer did not end in time
	Frames []frame.Frame
}

// Evidence is the request and its answer.
func (d Document) Evidence() []frame.Frame { return slices.Clone(d.Frames) }
