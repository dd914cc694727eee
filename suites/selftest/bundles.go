package selftest

import (
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A bundle is the trials of one subject: they share its server over HTTP, so one worker judges
// them one after the other.
type bundle []int

// queues are the bundles that wait for long, those that let time pass first, and the others.
func queues(trials []trial, all []suite.Suite) (long, short []bundle) {
	bundles := map[string]bundle{}
	var names []string
	for i, each := range trials {
		if bundles[each.Name] == nil {
			names = append(names, each.Name)
		}
		bundles[each.Name] = append(bundles[each.Name], i)
	}
	var hanging, looking []bundle
	for _, name := range names {
		each := trials[bundles[name][0]]
		switch {
		case each.names(all, func(c suite.Case) bool { return c.Lane == suite.Waits }):
			long = append(long, bundles[name])
		case each.Hangs:
			hanging = append(hanging, bundles[name])
		case each.names(all, func(c suite.Case) bool { return c.Long || c.Observes != "" }):
			looking = append(looking, bundles[name]) // for effects that may come late
		default:
			short = append(short, bundles[name])
		}
	}
	return slices.Concat(long, hanging, looking), short
}

// next takes the first bundle of the first queue that has one.
func next(taking *sync.Mutex, queues []*[]bundle) bundle {
	taking.Lock()
	defer taking.Unlock()
	for _, queue := range queues {
		if len(*queue) > 0 {
			first := (*queue)[0]
			*queue = (*queue)[1:]
			return first
		}
	}
	return nil
}
