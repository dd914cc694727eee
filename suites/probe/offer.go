package probe

import "context"

// An Offered thing is data that the kit has ready for the target to fetch.
type Offered struct {
	Status int // of the answer; 0: 200
	Type   string
	Body   []byte
	Below  string // the first part of the path
}

// A Served thing is Offered data at its address, until it is closed.
type Served struct {
	URL     string
	Fetches func() int // how often the target has asked for it so far
	Close   func()     // may be called several times
}

// An Offer serves data for the target at an address that nobody else knows.
type Offer func(ctx context.Context, o Offered, nonce string) (*Served, error)

// Serve offers data to the target until the case ends: on loopback, or where the
// configuration says that the target reaches the kit.
func (e *environment) Serve(o Offered) *Served {
	if e.column.setup.Offer == nil {
		e.within.Undecide("the kit serves no data here")
	}
	served, err := e.column.setup.Offer(e.within.live(), o, e.column.Nonce())
	if err != nil {
		e.within.live()
		e.within.Undecide("the kit cannot serve data for the server: " + err.Error())
	}
	e.within.Cleanup(served.Close)
	return served
}
