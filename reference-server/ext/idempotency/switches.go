package idempotency

import "github.com/mcp-conform/mcp-conform/reference-server/fault"

// Switches make the extension misbehave for a fault. The zero Switches keep every
// rule.
type Switches struct {
	NoClaim     bool // the extension is served and not declared
	IgnoreKey   bool // keys are ignored
	KeyRefused  bool // a call with a key is refused
	KeyDemanded bool // a booking without a key is refused
	KeylessOnce bool // equal bookings without a key are made once
	NoEffect    bool // a first call succeeds without its effect

	SecondEffect   bool // a repeat is run again, and answered like a replay
	LateEffect     bool // a repeat is run again some time after it was answered
	ThirdEffect    bool // the second repeat is run again, and answered like a replay
	RepeatInternal bool // a repeat is answered with -32603
	RepeatRefused  bool // a repeat is a tool error
	RepeatEmpty    bool // a replay has no content
	OtherResult    bool // a replay has another result than the first call
	RepeatTextless bool // a replay has no text
	RepeatTextOnly bool // a replay has no structuredContent
	ErrorFlagLost  bool // a replay has no isError
	ErrorForgotten bool // the result of a call that fails is not stored
	MalformedLate  bool // a call with a malformed key is refused, and runs some time later

	NoReplayFlag      bool // was_replay is false on a replay
	NoFailedFlag      bool // was_replay is false on the replay of a failure
	ReplayFlagMissing bool // no answer has was_replay
	ReplayFlagText    bool // was_replay is "true" on a replay
	ReplayFlagOnFirst bool // was_replay is true on a first call
	NoKeyEcho         bool // the key is not repeated in the answer
	ForeignKeyEcho    bool // the answer names another key
	LowerKeyEcho      bool // the answer repeats the key in lower case

	NoTimestamp     bool // replays carry no original_timestamp
	BadTimestamp    bool // original_timestamp is not an RFC 3339 time
	UnixTimestamp   bool // original_timestamp is a number of seconds
	FreshTimestamp  bool // original_timestamp is the time of the answer
	LateTimestamp   bool // original_timestamp is the time of the first replay, and no first answer has one
	SharedTimestamp bool // original_timestamp is the time of the last call with a new key
	FutureTimestamp bool // original_timestamp lies an hour ahead

	AnyKey        bool // malformed keys are accepted
	EmptyKey      bool // the empty key is accepted
	LongKeyCut    bool // a key that is too long is cut
	MalformedRuns bool // a call with a malformed key is refused after it was run
	NarrowKeys    bool // keys may hold letters and digits only
	ColonRefused  bool // keys may hold all allowed characters except the colon
	ShortKeys     bool // keys may have 64 characters at most
	LongKeys      bool // keys must have at least two characters
	CutKeys       bool // only the first 100 characters of a key count
	FoldCase      bool // keys that differ in letter case are the same
	ByArguments   bool // calls with equal arguments are the same under any keys

	InternalTTL      bool // a malformed ttl is answered with -32603
	MalformedTTLRuns bool // a call with a malformed ttl is refused after it was run
	EmptyTTL         bool // an entry with a ttl of zero or less expires at once
	NoTTL            bool // entries never expire
	IgnoreTTL        bool // entries have the default lifetime
	TTLForgets       bool // an entry with a ttl expires at once
	TTLHalved        bool // an entry with a ttl expires when half of it is over
	ShortDefault     bool // without a ttl an entry expires at once
	BriefDefault     bool // without a ttl an entry expires within a second

	ConflictRuns       bool // the same key with other arguments is run
	ConflictReplays    bool // the same key with another call is answered with the first result
	ArgumentsAsText    bool // arguments are compared as they are written
	MetaCompared       bool // a progress token is compared like an argument
	ConflictForgets    bool // a call with other arguments under a used key is refused, and the key is free again
	KeyPerTool         bool // each tool has its own keys
	NotConcurrent      bool // parallel calls with one key all run
	ConcurrentHangs    bool // of parallel calls with one key only the first is answered
	ConcurrentEmpty    bool // of parallel calls with one key all but the first get an empty replay
	ConcurrentInternal bool // of parallel calls with one key all but the first are answered with -32603

	NoHeader         bool // X-Idempotency-Key is not read
	HeaderStore      bool // keys in headers have a store of their own
	MismatchPasses   bool // header and _meta may contradict each other
	KeepRefused      bool // a refused call is stored, and replayed as a success
	StoreRefused     bool // the error of a refused call is stored under its key
	BlockRefused     bool // a refused call uses its key up: a valid call is a conflict
	PerConnection    bool // the store ends with the connection
	SharedPrincipals bool // all principals share one store
	Unbounded        bool // entries are never dropped
	LastKey          bool // only the key of the last call is kept
	FallsOver        bool // beyond a number of keys every key is answered with -32603
}

func switches(f *fault.Fault) Switches {
	if f == nil {
		return Switches{}
	}
	own, _ := f.Ext.(Switches) // zero if Ext holds another extension's switches
	return own
}
