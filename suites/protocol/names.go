package protocol

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// The keys of _meta that belong to the protocol.
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

// Extensions by the names under which capabilities.extensions has them.
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
	HeaderParam     = "Mcp-Param-" // begins those that repeat arguments
)

// How a header carries what it cannot carry as it is.
const (
	Base64Prefix = "=?base64?"
	Base64Suffix = "?="
)

// AnnotatedHeader is the property of an argument's schema that names the header in
// which calls repeat the argument.
const AnnotatedHeader = "x-mcp-header"

// VersionHeader says whether every request after the first names the agreed
// revision in a header.
func VersionHeader() ByRevision[bool] {
	return ByRevision[bool]{{Since: june, Value: true}}
}

// ResourceMetadata says whether a guarded server tells by metadata of its own where to get
// credentials. Before, clients tried addresses with usual names where they found none.
func ResourceMetadata() ByRevision[bool] {
	return ByRevision[bool]{{Since: june, Value: true}}
}

// DescribesObject says whether the schema that a tool has as this property must
// describe an object.
func DescribesObject(property string) ByRevision[bool] {
	if property == "outputSchema" {
		return ByRevision[bool]{{Since: june, Value: true}, {Since: modern, Value: false}}
	}
	return ByRevision[bool]{{Since: first, Value: true}}
}

// RequestHeaders says whether headers repeat the method of a request and what
// it is about.
func RequestHeaders() ByRevision[bool] {
	return ByRevision[bool]{{Since: modern, Value: true}}
}

// EmptyStream says whether an event stream that answers a request may end without
// the response, against the wish of the page only.
func EmptyStream() ByRevision[bool] {
	return ByRevision[bool]{{Since: requirements.R20250326, Value: true}, {Since: modern, Value: false}}
}

// Resumable says whether there are event streams besides those that answer requests: one
// for what belongs to no request, and the rest of one that was interrupted.
func Resumable() ByRevision[bool] {
	return ByRevision[bool]{{Since: requirements.R20250326, Value: true}, {Since: modern, Value: false}}
}

// Drops says whether a server may close the connection of a stream before the answer,
// for the client to come back.
func Drops() ByRevision[bool] {
	return ByRevision[bool]{{Since: requirements.R20251125, Value: true}, {Since: modern, Value: false}}
}

// RequestMeta says whether each request carries its revision and the client's
// capabilities in _meta.
func RequestMeta() ByRevision[bool] {
	return ByRevision[bool]{{Since: modern, Value: true}}
}

// Reserved reports whether the prefix of a key is one that the protocol keeps for
// itself: its second label is mcp or modelcontextprotocol.
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

// ReservedMeta reports whether a revision keeps a prefix of _meta keys, without its
// slash, for the protocol: by its second label, and in 2025-06-18 by any label but
// the last.
func ReservedMeta(r requirements.Revision, prefix string) bool {
	if !r.Before(november) {
		return Reserved(prefix + "/")
	}
	labels := strings.Split(prefix, ".")
	return slices.ContainsFunc(labels[:len(labels)-1], func(l string) bool { return l == "mcp" || l == "modelcontextprotocol" })
}

// UnknownReserved is a _meta key under a prefix that the revision keeps for the
// protocol, and that it does not define.
func UnknownReserved() ByRevision[string] {
	return ByRevision[string]{
		{Since: june, Value: "modelcontextprotocol.io/mcp-conform"}, {Since: november, Value: MetaPrefix + "mcp-conform"},
	}
}

// InnerMeta says whether what a result holds, such as a tool or a block of content,
// may have a _meta of its own.
func InnerMeta() ByRevision[bool] {
	return ByRevision[bool]{{Since: june, Value: true}}
}
