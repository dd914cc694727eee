package server

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// The limits of the office's memory.
const (
	maxKept  = 20_000
	maxLamps = 1_000
)

// A berth is a place where a vessel can lie.
type berth struct {
	ID      string  `json:"id"`
	Length  float64 `json:"length"`
	Draught float64 `json:"draught"`
}

// A booking gives a vessel some nights at a berth.
type booking struct {
	ID     string `json:"id"`
	Vessel string `json:"vessel"`
	Berth  string `json:"berth"`
	Night  int    `json:"night"` // counted from the opening of the office
	Nights int    `json:"nights"`
}

// An office is the state of the harbour. All clients share it.
type office struct {
	now     func() time.Time
	exports tally // by label: logs exported
	signals tally // by mast: signals hoisted

	mu       sync.Mutex
	issued   int                  // number of bookings made
	free     map[string]int       // by berth: the first free night
	order    []string             // ids of the kept bookings, the oldest first
	byID     map[string]booking   //
	byVessel map[string][]booking // the oldest first
	lamps    []string             // lamps that are on
	scrapped []string             // vessels, the oldest first
	pilots   numbered[pilot]      // ordered pilots
	logbooks numbered[logbook]    //
	changes  int                  // number of changes of the watched notice
	winter   map[string]bool      // by list: whether the winter entry is on it
	stations map[string]window    // stations that were asked for their weather
	calls    []string             // names of asked stations, the oldest first

	scrapTokens numbered[string] // the vessel of each token
}

func newOffice(now func() time.Time) *office {
	return &office{
		now:      now,
		free:     map[string]int{},
		byID:     map[string]booking{},
		byVessel: map[string][]booking{},
		pilots:   newNumbered[pilot]("PL"),
		logbooks: newNumbered[logbook]("LB"),
		winter:   map[string]bool{},
		stations: map[string]window{},

		scrapTokens: newNumbered[string]("cf"),
	}
}

func berths() []berth {
	var all []berth
	for pier, draught := range map[string]float64{"A": 3.5, "B": 6} {
		for number := 1; number <= 6; number++ {
			all = append(all, berth{ID: fmt.Sprintf("%s%d", pier, number), Length: float64(8 + 4*number), Draught: draught})
		}
	}
	slices.SortFunc(all, func(a, b berth) int { return strings.Compare(a.ID, b.ID) })
	return all
}

func isBerth(id string) bool {
	return slices.ContainsFunc(berths(), func(b berth) bool { return b.ID == id })
}

// book gives a vessel the first free nights at a berth, so that there is always room.
func (o *office) book(vessel, berth string, nights int) booking {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.issued++
	made := booking{ID: fmt.Sprintf("BK-%d", o.issued), Vessel: vessel, Berth: berth, Night: o.free[berth] + 1, Nights: nights}
	o.free[berth] += nights
	o.byID[made.ID] = made
	o.byVessel[vessel] = append(o.byVessel[vessel], made)
	o.order = append(o.order, made.ID)
	if len(o.order) > maxKept {
		o.drop(o.order[0])
	}
	return made
}

func (o *office) release(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.drop(id)
}

func (o *office) drop(id string) bool {
	gone, known := o.byID[id]
	if !known {
		return false
	}
	delete(o.byID, id)
	kept := slices.DeleteFunc(o.byVessel[gone.Vessel], func(b booking) bool { return b.ID == id })
	if len(kept) == 0 {
		delete(o.byVessel, gone.Vessel)
	} else {
		o.byVessel[gone.Vessel] = kept
	}
	if i := slices.Index(o.order, id); i >= 0 {
		o.order = slices.Delete(o.order, i, i+1)
	}
	return true
}

// bookings lists and counts the bookings of a vessel, or the latest bookings of all
// vessels.
func (o *office) bookings(vessel string) ([]booking, int) {
	const most = 50
	o.mu.Lock()
	defer o.mu.Unlock()
	if vessel != "" {
		of := o.byVessel[vessel]
		return slices.Clone(of[max(len(of)-most, 0):]), len(of)
	}
	var latest []booking
	for _, id := range o.order[max(len(o.order)-most, 0):] {
		latest = append(latest, o.byID[id])
	}
	return latest, len(o.order)
}

// switchLamp switches a lamp. Beyond a maximum the office forgets the oldest lamp that
// is on.
func (o *office) switchLamp(lamp string, on bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := slices.Index(o.lamps, lamp); i >= 0 {
		o.lamps = slices.Delete(o.lamps, i, i+1)
	}
	if on {
		o.lamps = append(o.lamps, lamp)
	}
	if len(o.lamps) > maxLamps {
		o.lamps = o.lamps[1:]
	}
}

func (o *office) lampIsOn(lamp string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Contains(o.lamps, lamp)
}

// toggle adds the winter entry to a list or removes it, and says whether the entry is
// on the list now.
func (o *office) toggle(list string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.winter[list] = !o.winter[list]
	return o.winter[list]
}

// notice is the text of the watched notice.
func (o *office) notice(change bool) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if change {
		o.changes++
	}
	return fmt.Sprintf("The notice board has been changed %d times.", o.changes)
}
