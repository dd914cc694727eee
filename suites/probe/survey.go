package probe

import (
	"context"
	"net/netip"
	"strings"
	"sync/atomic"
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
	Ping       time.Duration // a slower ping gets a warning
	Pages      int           // the most pages of one list
	Reads      int           // the most items tried as a sample
	Rounds     int           // how often a request is repeated at most that the server answers with questions
	Upload     int64         // the largest body that the kit makes up, in bytes
	Depth      int           // calls of each read-only tool with varied arguments
}

// Overtaken is how long a message is awaited that the answers to later requests may overtake, since
// a server may work on several messages at once: usually at least 50 ms, and three times as long as
// an answer takes.
func (w Waits) Overtaken() time.Duration { return w.Event / 6 }

// A Survey is what discovery learned about one column of the target.
type Survey struct {
	Capabilities Object
	ServerInfo   Object
	Lists        map[string][]any // by list method: the items of all pages read
	Whole        map[string]bool  // by list method: whether it was read to its end
	Tools        []any            // the listed tools, each with its annotations at other revisions if it has none here
	// Safe are calls of tools annotated as read-only, with arguments made up from
	// their schemas; they hold no placeholders.
	Safe      []roles.Call
	Traits    map[Trait]bool
	Claims    map[string]Claim
	RoundTrip time.Duration // the usual time between a request and its answer, without the time that the client stays away
	Away      time.Duration // how long a client usually stays away before it resumes the stream on which an answer comes
	Supported []string      // listed by server/discover
	// Manifest holds nil until discovery, or one of the cases that run beside one another,
	// has asked for it.
	Manifest atomic.Pointer[Manifest]
	Access   *Access // nil where the configuration has no credentials, and the server wants none
	Given    Given   // what the configuration says about the target
	Tokens   *Tokens // credentials that came to light since
	// Principals says how the server treats principals of the configuration; it lacks those
	// that no selected case needs.
	Principals map[string]Treatment
	// AskVersions returns the revisions that the target spoke in handshakes.
	AskVersions func(ctx context.Context) (Versions, error)
}

// A Treatment is what the credentials of a principal change for a plain request.
type Treatment struct {
	Method  string // of the request
	Outcome string // of the request with the credentials
	// Refused: the server does not accept the credentials.
	Refused bool
	// Alike: the result is the same without credentials.
	Alike bool
	// AnonymousRefused: the server refuses such requests without credentials.
	AnonymousRefused bool
}

// Given is what the configuration says about the target, for rules about data
// that the server must not show.
type Given struct {
	Host       string // of the endpoint, without a port; empty over stdio
	Port       string // of the endpoint
	Production bool   // false: the server may show its internals
	// SideEffects: the kit may call any tool.
	SideEffects bool
	Secrets     []string // that must appear nowhere
	Recommend   string   // the capability to ask other servers for
	Triggers    []string // further phrases that say when to use a server
	// ProgressRate is a number of notifications within a second that no client can make use of.
	ProgressRate int
}

// Local reports whether the endpoint's address is not on the open web.
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

// Extensions are the extensions that the server declares, with their settings.
func (s *Survey) Extensions() map[string]any {
	if s == nil {
		return nil
	}
	return ObjectOf(s.Capabilities["extensions"])
}

// Declares reports whether the server declares the capability at a dotted path.
// After "extensions." the rest is one key, since names of extensions hold dots
// themselves.
func (s *Survey) Declares(path string) bool {
	if name, ok := strings.CutPrefix(path, "extensions."); ok {
		return present(s.Extensions()[name])
	}
	if s == nil {
		return false
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

// Misdeclared reports whether nobody can tell if the server declares the capability at a
// dotted path: there are no capabilities, one on the path is no object, or what the last of
// several names stands for is neither an object nor a boolean. The rules on the shape of
// capabilities judge that.
func Misdeclared(capabilities map[string]any, path string) bool {
	if capabilities == nil {
		return true
	}
	names := strings.Split(path, ".")
	for i, name := range names {
		value, there := capabilities[name]
		object, is := value.(map[string]any)
		_, boolean := value.(bool)
		switch {
		case !there:
			return false
		case !is:
			return !boolean || i == 0 || i < len(names)-1
		}
		capabilities = object
	}
	return false
}

func present(v any) bool { return v != nil && v != false }

// Versions are the revisions that the target spoke in handshakes.
type Versions struct {
	Echoed  []requirements.Revision // the client asked for it and the server agreed
	Offered []string                // offered by the server instead
}

// A Manifest is the document in which a server describes itself, as discovery
// found it.
type Manifest struct {
	Document Object // nil where the server offers none
	Form     string // the way in which the server handed it over
	Refused  string // how the server refused it when discovery asked, ahead of any call of a tool
}

// A Claim says how strongly the server claims an extension, and where.
type Claim struct {
	Strength   Strength
	Where      string
	Configured bool // the configuration makes the claim
}

// Strength says how much a claim may cost the server.
type Strength string

// The strengths. Weak evidence makes cases run and never fails anybody.
const (
	Explicit Strength = "explicit"
	Strong   Strength = "strong"
	Weak     Strength = "weak"
)
