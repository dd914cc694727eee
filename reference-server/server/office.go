package server

import (
	"slices"
	"time"

	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/dataref"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/push"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// maxKept is how many things of a kind the office remembers.
const maxKept = 20_000

// An office is the state of the harbour. All clients share it.
type office struct {
	bookings   bookings
	pilots     pilots
	gone       tally // by vessel: vessels scrapped or sunk
	lamps      lamps
	logbooks   logbooks
	stations   stations
	notices    noticeBoard
	exports    tally // by label: logs exported
	signals    tally // by mast: signals hoisted
	errands    errands
	cranes     tally // by vessel: cranes hired
	computed   tally // by label: computations finished
	events     *push.Desk
	references *dataref.Desk // of the data-references extension
}

func newOffice(now func() time.Time, f *fault.Fault) *office {
	return &office{
		bookings: bookings{free: map[string]int{}, byID: map[string]booking{}, byVessel: map[string][]booking{}},
		pilots:   pilots{ordered: newNumbered[pilot]("PL")},
		logbooks: logbooks{kept: newNumbered[logbook]("LB")},
		stations: stations{now: now, asked: map[string]window{}},
		notices:  noticeBoard{winter: map[string]bool{}},
		events:   push.New(push.Options{Now: now, Fault: f}),
	}
}

// serve hands the core to the parts of the office that send messages to clients.
func (o *office) serve(c *core.Core) {
	o.errands.core = c
	o.events.Serve(c)
}

// tools are the tools that the office offers at first.
func (o *office) tools(offered *offer) []tool {
	perConnection := offered.fault != nil && offered.fault.StatePerConnection
	return slices.Concat(berthTools(), o.bookings.tools(), o.pilots.tools(), yardTools(&o.gone, offered.fault), informingTools(),
		o.lamps.tools(), logTools(&o.exports), o.stations.tools(), signalTools(&o.signals), o.logbooks.tools(perConnection),
		radioLog(), draftTools(), pictureTools(), headerTools(), declarationTools(), fixtureTools(), askingTools(), modernTools(),
		o.errands.tools(), adviceTools(), chartTools(), craneTools(&o.cranes), jobTools(&o.computed), trafficTools(o.events),
		o.notices.tools(offered))
}

// offer registers everything that the office offers, except its tools.
func (o *office) offer(registry *mcpserver.MCPServer) {
	offerResources(registry, &o.notices)
	offerTemplates(registry)
	offerPrompts(registry)
}
