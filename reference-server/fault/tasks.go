package fault

// Tasks let the server break rules about tasks. The zero Tasks break none.
type Tasks struct {
	// Negotiation.
	NoTasks          bool // a call that asks for a task is served as any other
	PlainAnyway      bool // a tool that runs as a task only is called without one
	ForbiddenAnyway  bool // every tool runs as a task
	ForbiddenPlain   bool // a tool that does not run as a task is served without one
	ListsToAnybody   bool // tasks are listed to clients without an identity
	HandsToAnybody   bool // a client that does not declare the extension is given tasks
	ServesUndeclared bool // methods of the extension serve clients that do not declare it
	FormerDeclares   bool // the capability of 2025-11-25 counts as the extension

	// Creation.
	ID            func(number int) string
	ClientID      bool // the id that a client wishes for is used
	CreatesLate   bool // a call is answered when its task is over
	StartsAs      string
	HandsTooEarly bool // a tool that asks first is a task before it asks
	KeepsLate     bool // a handle is given out before the task can be found
	AnyLife       bool // a client may wish for any lifetime

	// States and results.
	NoMessage            bool
	CompletesOnToolError bool
	WorksOnToolError     bool // a task whose tool fails works on
	FailsOnToolError     bool
	NoWait               bool // tasks/result does not wait
	TrustsMetadata       bool // the metadata of a request names the task
	LostCode             int  // of the error for a record that cannot be read
	StreamsGet           bool // tasks/get is answered by a stream
	AnyRate              bool // a task may be looked at without a limit
	Hides                func(status string) bool
	OnePage              bool // tasks/list has one page

	// Cancellation.
	CancelsFinished  bool
	CancelsNothing   bool
	CancelFades      bool // a cancelled task takes the state that its tool ends with
	WorksOnCancelled bool
	// NotificationCancels: a notification for the call of a task cancels the task.
	NotificationCancels bool
	CancelWakesNobody   bool // tasks/result that waits is not answered when the task is cancelled
	ShowsCancelled      bool // cancelling a task that is over is answered with its record
	AnyCursor           bool // tasks/list takes any cursor for that of the first page
	ListsAll            bool // tasks/list shows the tasks of all clients

	// Questions.
	WorksOn            bool // a task that waits for its client is shown as working
	StaysAsking        bool // a task that was answered is still shown as asking
	AsksUnrelated      bool
	NoProgress         bool // a task reports no progress
	ProgressAfterwards bool // progress of a task is reported when it is over
	TellsUndeclared    bool // any client may listen for tasks
	Keys               func(number int) string
	RefusesUnknownKeys bool
	AnyKeyAnswers      bool // an answer under any key counts for the question that is open

	// Others.
	AnyOwner         bool
	AnyListener      bool // whoever listens is told of any task
	TalksToListeners bool // progress and log messages of a task go to its subscribers
}
