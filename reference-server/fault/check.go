package fault

// A Check is one strict decision of the server that a fault can leave out.
type Check string

// The checks of the envelope.
const (
	CheckVersionMember Check = "jsonrpc member"     // any jsonrpc value passes
	CheckIDType        Check = "id type"            // null, booleans, objects, arrays and fractions are served and echoed
	CheckParamsObject  Check = "params object"      // params of another type count as {}
	CheckDuplicates    Check = "duplicate members"  // the last one wins
	CheckBatchAllowed  Check = "batch allowed"      // arrays are served at every revision
	CheckBatchMembers  Check = "batch members"      // invalid entries are ignored
	CheckBatchEmpty    Check = "batch empty"        // an empty array is answered with an empty array
	CheckDuplicateID   Check = "duplicate id"       // an id in use is served a second time
	CheckCancelled     Check = "cancelled"          // a cancellation is not acted upon
	CheckCancelSilent  Check = "cancelled silent"   // work stops, but the answer is sent
	CheckNotification  Check = "notification quiet" // unknown notifications are answered with -32601
)

// The checks of the protocol.
const (
	CheckOpening         Check = "opening"           // requests are served before initialize
	CheckSecondOpening   Check = "second opening"    // initialize is served again
	CheckOpeningParams   Check = "opening params"    // initialize is served whatever its params
	CheckParams          Check = "params"            // a broken required parameter counts as its zero value
	CheckMethod          Check = "method"            // an unknown method gets an empty result
	CheckRemoved         Check = "removed methods"   // methods of the handshake era are served to modern requests
	CheckMeta            Check = "meta"              // a modern request without metadata is served
	CheckMetaVersion     Check = "meta version"      // the version in the metadata may be missing
	CheckMetaClient      Check = "meta capabilities" // the client capabilities may be missing
	CheckRevision        Check = "revision"          // a modern request is served at whatever revision it names
	CheckLogLevel        Check = "log level"         // any log level is taken
	CheckLogThreshold    Check = "log threshold"     // every log message is sent
	CheckLogOptIn        Check = "log opt-in"        // modern requests get logs unasked
	CheckProgressToken   Check = "progress token"    // progress is sent without a token, under the token "none"
	CheckCursor          Check = "cursor"            // an unreadable cursor gives the first page
	CheckTool            Check = "tool"              // an unknown tool is a tool result with isError
	CheckArguments       Check = "arguments"         // tools run with whatever arguments they get
	CheckResource        Check = "resource"          // a missing resource is an empty one
	CheckPrompt          Check = "prompt"            // an unknown prompt has no messages
	CheckPromptArguments Check = "prompt arguments"  // a prompt is rendered without its required arguments
	CheckReference       Check = "reference"         // an unknown completion reference has no values
	CheckShape           Check = "shape"             // results are not tailored to an older revision
	CheckDecoration      Check = "decoration"        // modern results lack resultType, identity and caching hints
)

// The checks of questions that the server asks a client.
const (
	CheckClientCapability Check = "client capability" // a client is asked whatever it declares
	CheckInputRequest     Check = "input request"     // a modern client is asked by a request of the server
)

// The checks of the HTTP front.
const (
	CheckOrigin         Check = "origin"
	CheckHost           Check = "host"
	CheckContentType    Check = "content type"
	CheckAccept         Check = "accept"
	CheckSessionPresent Check = "session present" // a request without a session id is served in one of its own
	CheckSessionKnown   Check = "session known"   // an unknown or ended session is served in one of its own
	CheckSessionOwner   Check = "session owner"   // a session serves whoever knows its id
	CheckVersionHeader  Check = "version header"  // handshake revisions: any MCP-Protocol-Version passes
	CheckVersionMatch   Check = "version match"   // modern: MCP-Protocol-Version is not compared with the body
	CheckMethodHeader   Check = "method header"   // modern: Mcp-Method is not looked at
	CheckNameHeader     Check = "name header"     // modern: Mcp-Name is not looked at
	CheckHeaderEncoding Check = "header encoding" // modern: a broken base64 form is taken literally
	CheckHeaderBytes    Check = "header bytes"    // modern: bytes outside the permitted set pass
	CheckParamHeader    Check = "param header"    // modern: Mcp-Param headers are not looked at
	CheckDisconnect     Check = "disconnect"      // modern: a dropped connection does not cancel
)

// The checks of the auth mode.
const (
	CheckToken         Check = "token"          // a token that cannot be read lets its bearer in
	CheckTokenCut      Check = "token length"   // a token without the end of its signature is taken
	CheckSignature     Check = "signature"      // who signed a token is not looked at
	CheckAlgorithm     Check = "algorithm"      // a token with alg none is taken as it is
	CheckIssuer        Check = "issuer"         // a token of an unknown issuer is not verified
	CheckTokenLife     Check = "token life"     // tokens are issued without an end
	CheckExpiry        Check = "expiry"         // a token may have expired
	CheckAudience      Check = "audience"       // a token may be meant for another server
	CheckAudienceCase  Check = "audience case"  // the audience is compared byte by byte
	CheckCredentials   Check = "credentials"    // an empty Bearer header counts as a login
	CheckTokenPlace    Check = "token place"    // a token in the query string is taken
	CheckTokenEach     Check = "token each"     // only the first request has to show a token
	CheckScope         Check = "scope"          // scopes are not looked at
	CheckScopeBroad    Check = "scope broad"    // a scope that implies another does not count for it
	CheckStreamToken   Check = "stream token"   // GET needs no token
	CheckDeleteToken   Check = "delete token"   // DELETE needs no token
	CheckEarly         Check = "early"          // a request is served before its token is looked at
	CheckRedirectURI   Check = "redirect uri"   // any redirect URI is taken
	CheckRedirectHTTPS Check = "redirect https" // plain HTTP on any host is registered
	CheckPKCE          Check = "pkce"           // no code challenge is asked for
	CheckResponseType  Check = "response type"  // any response type is taken for code
)
