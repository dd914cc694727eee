package protocol

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// The protocol's own keys of _meta.
const (
	MetaPrefix       = "io.modelcontextprotocol/"
	MetaVersion      = MetaPrefix + "protocolVersion"
	MetaClientInfo   = MetaPrefix + "clientInfo"
	MetaCapabilities = MetaPrefix + "clientCapabilities"
	MetaServerInfo   = MetaPrefix + "serverInfo"
	MetaSubscription = MetaPrefix + "subscriptionId"
	MetaLogLevel     = MetaPrefix + "logLevel"
	MetaProgress     = "progressToken"
)

// The names of extensions in capabilities.extensions.
const (
	TasksExtension    = MetaPrefix + "tasks"
	DashdashExtension = "io.github.visionik/dashdash"
	ProposalPrefix    = "io.github.mcp-extension-proposals/" // of all extension proposals
)

// The headers of HTTP.
const (
	HeaderSession = "Mcp-Session-Id"
	HeaderVersion = "MCP-Protocol-Version"
	HeaderMethod  = "Mcp-Method"
	HeaderName    = "Mcp-Name"

	HeaderLastEvent = "Last-Event-ID"
	HeaderParam     = "Mcp-Param-" // begins the headers that repeat arguments
)

// The markers around a header value that is encoded in base64.
const (
	Base64Prefix = "=?base64?"
	Base64Suffix = "?="
)

// AnnotatedHeader is the property of an argument's schema that names the header
// in which calls repeat the argument.
const AnnotatedHeader = "x-mcp-header"

// NamesHeader reports whether HTTP allows a text as the name of a header.
func NamesHeader(text string) bool {
	const marks = "!#$%&'*+-.^_`|~"
	other := func(r rune) bool {
		return !('0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || strings.ContainsRune(marks, r))
	}
	return text != "" && !strings.ContainsFunc(text, other)
}

// VersionHeader says whether every request after the first names the agreed
// revision in a header.
func VersionHeader() ByRevision[bool] {
	return ByRevision[bool]{{Since: june, Value: true}}
}

// ResourceMetadata says whether a guarded server publishes metadata that say
// where to get credentials. In earlier revisions clients without metadata tried
// addresses with usual names.
func ResourceMetadata() ByRevision[bool] {
	return ByRevision[bool]{{Since: june, Value: true}}
}

// DescribesObject says whether the schema in this property of a tool must
// describe an object.
func DescribesObject(property string) ByRevision[bool] {
	if property == "outputSchema" {
		return ByRevision[bool]{{Since: june, Value: true}, {Since: modern, Value: false}}
	}
	return ByRevision[bool]{{Since: first, Value: true}}
}

// RequestHeaders says whether headers repeat the method and the subject of a
// request.
func RequestHeaders() ByRevision[bool] {
	return ByRevision[bool]{{Since: modern, Value: true}}
}

// EmptyStream says whether the event stream of a request may end without the
// response, although the page advises against it.
func EmptyStream() ByRevision[bool] {
	return ByRevision[bool]{{Since: requirements.R20250326, Value: true}, {Since: modern, Value: false}}
}

// Resumable says whether streams exist beyond those that answer requests: one
// for messages without a request, and the rest of an interrupted one.
func Resumable() ByRevision[bool] {
	return ByRevision[bool]{{Since: requirements.R20250326, Value: true}, {Since: modern, Value: false}}
}

// Drops says whether a server may close a stream before the answer, for the
// client to come back.
func Drops() ByRevision[bool] {
	return ByRevision[bool]{{Since: requirements.R20251125, Value: true}, {Since: modern, Value: false}}
}

// RequestMeta says whether each request carries its revision and the client's
// capabilities in _meta.
func RequestMeta() ByRevision[bool] {
	return ByRevision[bool]{{Since: modern, Value: true}}
}

// Reserved reports whether the protocol reserves the prefix of a key: its
// second label is mcp or modelcontextprotocol.
func Reserved(key string) bool {
	prefix, _, prefixed := strings.Cut(key, "/")
	labels := strings.Split(prefix, ".")
	return prefixed && len(labels) > 1 && (labels[1] == "mcp" || labels[1] == "modelcontextprotocol")
}

// MetaKeys are the keys under the protocol's own prefix that some revision defines.
func MetaKeys() []string {
	return []string{
		MetaVersion, MetaClientInfo, MetaCapabilities, MetaServerInfo, MetaSubscription, MetaLogLevel,
		MetaPrefix + "related-task", MetaPrefix + "model-immediate-response",
	}
}

// ReservedMeta reports whether a revision reserves a prefix of _meta keys,
// given without its slash, for the protocol: by its second label, and in
// 2025-06-18 by any label but the last.
func ReservedMeta(r requirements.Revision, prefix string) bool {
	if !r.Before(november) {
		return Reserved(prefix + "/")
	}
	labels := strings.Split(prefix, ".")
	return slices.ContainsFunc(labels[:len(labels)-1], func(l string) bool { return l == "mcp" || l == "modelcontextprotocol" })
}

// UnknownReserved is a _meta key that the revision does not define, under a
// prefix that it reserves.
func UnknownReserved() ByRevision[string] {
	return ByRevision[string]{
		{Since: june, Value: "modelcontextprotocol.io/mcp-conform"}, {Since: november, Value: MetaPrefix + "mcp-conform"},
	}
}

// ForeignMeta are _meta properties of somebody else: no revision and no proposal
// defines their keys.
func ForeignMeta() map[string]any {
	return map[string]any{
		"com.example/x": map[string]any{"a": []any{1, nil, "b"}}, "example": true, "com.example/": nil,
	}
}

// InnerMeta says whether parts of a result, such as a tool or a block of
// content, may have their own _meta.
func InnerMeta() ByRevision[bool] {
	return ByRevision[bool]{{Since: june, Value: true}}
}
