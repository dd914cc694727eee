package protocol

// The error codes of JSON-RPC and of the protocol itself.
const (
	ParseError         = -32700
	InvalidRequest     = -32600
	MethodNotFound     = -32601
	InvalidParams      = -32602
	InternalError      = -32603
	HeaderMismatch     = -32020
	MissingCapability  = -32021
	UnsupportedVersion = -32022
)

// The codes of earlier revisions that 2026-07-28 removed.
const (
	FormerNotFound  = -32002 // a resource that does not exist
	FormerURLWanted = -32042 // elicitation by URL is required
)

// The ends of the code ranges that the protocol, since 2026-07-28, and JSON-RPC
// reserve.
const (
	LowestOwn      = -32099
	HighestOwn     = -32020
	LowestReserved = -32768
)

// ResourceNotFound is the code for a resource that does not exist.
func ResourceNotFound() ByRevision[int] {
	return ByRevision[int]{{Since: first, Value: -32002}, {Since: modern, Value: InvalidParams}}
}

// ErrorKindsTold says whether the page distinguishes protocol errors, such as
// an unknown tool, from results with isError.
func ErrorKindsTold() ByRevision[bool] {
	return ByRevision[bool]{{Since: november, Value: true}}
}

// InvalidArguments is the code that examples of the schema show for wrong arguments,
// where the page wants a result with isError; 0 without such an example.
func InvalidArguments() ByRevision[int] {
	return ByRevision[int]{{Since: modern, Value: InvalidParams}}
}

// UndeclaredUnknown says whether a method of an undeclared capability counts as
// unknown; earlier revisions also allow an empty list.
func UndeclaredUnknown() ByRevision[bool] {
	return ByRevision[bool]{{Since: modern, Value: true}}
}
