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

// The codes of earlier revisions that 2026-07-28 has given up.
const (
	FormerNotFound  = -32002 // a resource that does not exist
	FormerURLWanted = -32042 // elicitation by URL is required
)

// The ends of the range of codes that the protocol keeps for itself since 2026-07-28,
// and of the one that JSON-RPC keeps.
const (
	LowestOwn      = -32099
	HighestOwn     = -32020
	LowestReserved = -32768
)

// ResourceNotFound is the code for a resource that does not exist.
func ResourceNotFound() ByRevision[int] {
	return ByRevision[int]{{Since: first, Value: -32002}, {Since: modern, Value: InvalidParams}}
}

// ErrorKindsTold says whether the page tells what distinguishes an error of the
// protocol, such as an unknown tool, from a result that is marked as an error.
func ErrorKindsTold() ByRevision[bool] {
	return ByRevision[bool]{{Since: november, Value: true}}
}

// InvalidArguments is the code that examples of the schema show for arguments
// that do not fit, where the page wants a result with isError; 0 where none does.
func InvalidArguments() ByRevision[int] {
	return ByRevision[int]{{Since: modern, Value: InvalidParams}}
}

// UndeclaredUnknown says whether the method of a capability that a server does not
// declare is an unknown one; before, an empty list will do.
func UndeclaredUnknown() ByRevision[bool] {
	return ByRevision[bool]{{Since: modern, Value: true}}
}
