package fault

// A Check is a strict decision of the server that a fault can skip.
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
	CheckCancelled     Check = "cancelled"          // a cancellation is ignored
	CheckCancelText    Check = "cancelled text"     // a cancellation is ignored that names a string
	CheckCancelUnknown Check = "cancelled unknown"  // a cancellation of an unknown request cancels all requests
	CheckCancelUnnamed Check = "cancelled unnamed"  // a cancellation without a request id cancels all requests
	CheckCancelOthers  Check = "cancelled others"   // a cancellation of a running request cancels all requests
	CheckCancelForeign Check = "cancelled foreign"  // a cancellation cancels the requests of all sessions that have the id
	CheckCancelWork    Check = "cancelled work"     // the answer is left out, but the work goes on
	CheckCancelTalk    Check = "cancelled talk"     // progress and log messages are sent all the same
	CheckLateResponse  Check = "late response"      // a response without a question is answered with an error
	CheckCancelSilent  Check = "cancelled silent"   // the work stops, but the answer is sent
	CheckNotification  Check = "notification quiet" // unknown notifications are answered with -32601
)

// The checks of the protocol.
const (
	CheckOpening         Check = "opening"           // requests are served before initialize
	CheckSecondOpening   Check = "second opening"    // initialize is served again
	CheckOpeningParams   Check = "opening params"    // initialize is served with any params
	CheckParams          Check = "params"            // a broken required parameter counts as its zero value
	CheckMethod          Check = "method"            // an unknown method gets an empty result
	CheckRemoved         Check = "removed methods"   // methods of the handshake era are served to modern requests
	CheckMeta            Check = "meta"              // a modern request without metadata is served
	CheckMetaVersion     Check = "meta version"      // the version in the metadata may be missing
	CheckMetaClient      Check = "meta capabilities" // the client capabilities may be missing
	CheckRevision        Check = "revision"          // a modern request is served at any revision that it names
	CheckLogLevel        Check = "log level"         // any log level is accepted
	CheckLogThreshold    Check = "log threshold"     // every log message is sent
	CheckLogSession      Check = "log session"       // with a handshake, the level that any client sets is that of all
	CheckLogStream       Check = "log stream"        // log messages of modern requests come on all subscriptions too
	CheckLogOptIn        Check = "log opt-in"        // modern requests get logs without asking for them
	CheckProgressToken   Check = "progress token"    // progress is sent without a token, under the token "none"
	CheckCursor          Check = "cursor"            // an unreadable cursor gives the first page
	CheckTool            Check = "tool"              // an unknown tool gets a tool result with isError
	CheckArguments       Check = "arguments"         // tools run with any arguments
	CheckResource        Check = "resource"          // a missing resource gets an empty content
	CheckSubscriber      Check = "subscriber"        // with a handshake, every client is told of changed resources
	CheckFurtherChanges  Check = "further changes"   // a subscription to a resource ends with its first change
	CheckUnsubscribed    Check = "unsubscribed"      // resources/unsubscribe ends all subscriptions of the client
	CheckPrompt          Check = "prompt"            // an unknown prompt has no messages
	CheckPromptArguments Check = "prompt arguments"  // a prompt is rendered without its required arguments
	CheckReference       Check = "reference"         // an unknown completion reference has no values
	CheckShape           Check = "shape"             // results are not fitted to an older revision
	CheckDecoration      Check = "decoration"        // modern results lack resultType, identity and caching hints
)

// The checks of questions that the server asks a client.
const (
	CheckClientCapability Check = "client capability"  // a client is asked even if it does not declare the capability
	CheckClientMode       Check = "client mode"        // a client that can be asked is asked in any mode, and lent any tools
	CheckInputRequest     Check = "input request"      // a modern client is asked by a request of the server
	CheckAsked            Check = "asked"              // the end of an elicitation by URL is told to every client
	CheckForm             Check = "form"               // an answer of the client is not held against its schema and the form
	CheckAnswerer         Check = "answerer"           // a question is answered by whoever knows its id
	CheckAnswererSession  Check = "answerer session"   // a question of one session is answered in another, too
	CheckAnswerOldest     Check = "answer oldest"      // a response answers the oldest open question, whatever its id
	CheckAnswerNewest     Check = "answer newest"      // a response answers the newest open question, whatever its id
	CheckErrandOwner      Check = "errand owner"       // what a user did on a page counts for the session, whoever uses it
	CheckStateSeal        Check = "state seal"         // a state that the client has changed is taken
	CheckStateLife        Check = "state life"         // a state never expires
	CheckStatePrincipal   Check = "state principal"    // a state is taken from any caller
	CheckStateRequest     Check = "state request"      // a state is taken with any arguments of its tool
	CheckStateOnce        Check = "state once"         // a state has its effect each time it is brought
	CheckStateOnceAtOnce  Check = "state once at once" // two retries at the same time both have their effect
	CheckStateAnywhere    Check = "state anywhere"     // a state is taken on its own connection only
	CheckAction           Check = "action"             // an answer with an unknown action counts as accepted
	CheckRoot             Check = "root"               // a file is read whatever the roots of the client are
	CheckRootSteps        Check = "root steps"         // a path is compared with the roots as it is written
	CheckRootLinks        Check = "root links"         // links are followed out of a root
	CheckToolLoop         Check = "tool loop"          // a model may use tools without an end
)

// The checks of the HTTP front.
const (
	CheckOrigin         Check = "origin"
	CheckHost           Check = "host"
	CheckContentType    Check = "content type"
	CheckAccept         Check = "accept"
	CheckSessionPresent Check = "session present" // a request without a session id is served in a new session
	CheckSessionKnown   Check = "session known"   // a request with an unknown or ended session is served in a new session
	CheckSessionIssued  Check = "session issued"  // a request with an id that is none of the server's is served in a new session
	CheckSessionOwner   Check = "session owner"   // a session serves every principal that knows its id
	CheckStreamOwner    Check = "stream owner"    // GET opens the stream of a session for every principal that knows its id
	CheckEndOwner       Check = "end owner"       // DELETE ends a session for every principal that knows its id
	CheckVersionHeader  Check = "version header"  // handshake revisions: any MCP-Protocol-Version passes
	CheckVersionMatch   Check = "version match"   // modern: MCP-Protocol-Version is not compared with the body
	CheckMethodHeader   Check = "method header"   // modern: Mcp-Method is ignored
	CheckNameHeader     Check = "name header"     // modern: Mcp-Name is ignored
	CheckHeaderEncoding Check = "header encoding" // modern: a broken base64 form is taken literally
	CheckHeaderBytes    Check = "header bytes"    // modern: bytes outside the permitted set pass
	CheckParamHeader    Check = "param header"    // modern: Mcp-Param headers are ignored
	CheckDisconnect     Check = "disconnect"      // modern: a dropped connection does not cancel
)

// The checks of the auth mode.
const (
	CheckToken          Check = "token"            // an unreadable token is accepted
	CheckTokenStart     Check = "token start"      // a token is looked for within the text that is sent
	CheckTokenEnd       Check = "token end"        // what stands behind a token is ignored
	CheckTokenCut       Check = "token length"     // a token with a cut signature is accepted
	CheckSignature      Check = "signature"        // the signer of a token is not verified
	CheckAlgorithm      Check = "algorithm"        // a token with alg none is accepted without verification
	CheckIssuer         Check = "issuer"           // a token of an unknown issuer is not verified
	CheckTokenLife      Check = "token life"       // tokens are issued without an expiry
	CheckExpiry         Check = "expiry"           // an expired token is accepted
	CheckAudience       Check = "audience"         // a token for another server is accepted
	CheckAudienceCase   Check = "audience case"    // the audience is compared byte by byte
	CheckAudienceEnd    Check = "audience end"     // the audience has to begin with the URL of the endpoint
	CheckCredentials    Check = "credentials"      // an empty Bearer header counts as a login
	CheckTokenPlace     Check = "token place"      // a token in the query string is accepted
	CheckTokenEach      Check = "token each"       // only the first request needs a token
	CheckTokenInSession Check = "token in session" // with a session id, any token is accepted
	CheckScope          Check = "scope"            // scopes are ignored
	CheckScopeEarly     Check = "scope early"      // a call is served before its scopes are looked at
	CheckScopeEncoded   Check = "scope encoded"    // modern: a header Mcp-Name in base64 form names no tool that needs scopes
	CheckScopeBatch     Check = "scope batch"      // a batch calls no tool that needs scopes
	CheckScopeBroad     Check = "scope broad"      // the broad scope does not imply the others
	CheckStreamToken    Check = "stream token"     // GET needs no token
	CheckDeleteToken    Check = "delete token"     // DELETE needs no token
	CheckEarly          Check = "early"            // a request is served before its token is verified
	CheckRedirectURI    Check = "redirect uri"     // any redirect URI is accepted
	CheckRedirectHTTPS  Check = "redirect https"   // plain HTTP on any host is registered
	CheckPKCE           Check = "pkce"             // no code challenge is demanded
	CheckResponseType   Check = "response type"    // any response type counts as code
)

// CheckEarlierClients is the check of one list: with a handshake, only the client that came last
// is told that the list has changed.
func CheckEarlierClients(list string) Check { return Check("earlier clients of " + list) }
