package probe

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// Waits are the durations a case may let pass.
type Waits struct {
	Answer     time.Duration // how long an answer is awaited
	Opening    time.Duration // how long the first answer on a connection is awaited, if longer
	Event      time.Duration // how long a wanted notification, or an optional answer, is awaited
	DefaultTTL time.Duration
	Max        time.Duration
	Ping       time.Duration // a slower ping is worth a warning
	Pages      int           // pages of one list
	Reads      int           // items tried as a sample
}

// A Survey is what discovery learned about one column of the target.
type Survey struct {
	Capabilities Object
	ServerInfo   Object
	Lists        map[string][]any // by list method: the items of all pages that were read
	Whole        map[string]bool  // by list method: it was read to its end
	// Safe are calls of tools annotated as read-only, with arguments made up from
	// their schemas; nothing is left to expand.
	Safe      []roles.Call
	Traits    map[Trait]bool
	Claims    map[string]Claim
	RoundTrip time.Duration // a usual time between a request and its answer
	Supported []string      // listed by server/discover
	Manifest  *Manifest     // nil until somebody has asked for it
	Access    *Access       // nil where nobody had to look
	Given     Given         // what the configuration says of the target
	// AskVersions gives the revisions that the target was seen to speak in handshakes.
	AskVersions func(ctx context.Context) (Versions, error)
}

// Given is what the configuration says of the target, for rules about what it must
// not show.
type Given struct {
	Host       string // of the endpoint, without a port; empty over stdio
	Port       string // of the endpoint
	Production bool   // false: the inside of the server may show
	// SideEffects: any tool may be called.
	SideEffects bool
	Secrets     []string // that must appear nowhere
}

// Local reports whether the endpoint is at an address that is not of the open web.
func (s *Survey) Local() bool {
	if s == nil {
		return false
	}
	host := strings.ToLower(s.Given.Host)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	at, err := netip.ParseAddr(host)
	return err == nil && (at.IsLoopback() || at.IsPrivate() || at.IsLinkLocalUnicast())
}

// Versions is which revisions the target was seen to speak in handshakes.
// Discovery asks for some of them only now.
func (c *Client) Versions() Versions {
	if c.setup.Survey.AskVersions == nil {
		return Versions{}
	}
	found, err := c.setup.Survey.AskVersions(c.live())
	c.must(err)
	return found
}

// Extensions are those that the server declares, with their settings.
func (s *Survey) Extensions() map[string]any {
	if s == nil {
		return nil
	}
	return record(s.Capabilities["extensions"])
}

// Declares reports whether the server declares what a dotted path through its
// capabilities leads to. After "extensions." the rest is one key, since extension
// names hold dots themselves.
func (s *Survey) Declares(path string) bool {
	if name, ok := strings.CutPrefix(path, "extensions."); ok {
		return present(s.Extensions()[name])
	}
	var at any = map[string]any(s.Capabilities)
	for name := range strings.SplitSeq(path, ".") {
		o, ok := at.(map[string]any)
		if !ok {
			return false
		}
		at = o[name]
	}
	return present(at)
}

func present(v any) bool { return v != nil && v != false }

// Versions is which revisions the target was seen to speak in handshakes.
type Versions struct {
	Echoed  []requirements.Revision // asked for in a handshake and given back
	Offered []string                // named by the server instead of what was asked
}

// A Manifest is the document in which a server describes itself, as discovery
// found it.
type Manifest struct {
	Document Object // nil where the server offers none
	Form     string // how it was handed over
}

// A Claim is how strongly the server claims an extension, and where.
type Claim struct {
	Strength   Strength
	Where      string
	Configured bool // it is the configuration that makes it
}

// Strength says how much a claim may cost the server that makes it.
type Strength string

// The strengths. Weak evidence makes cases run and never fails anybody.
const (
	Explicit Strength = "explicit"
	Strong   Strength = "strong"
	Weak     Strength = "weak"
)
