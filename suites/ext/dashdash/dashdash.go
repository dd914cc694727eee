// Package dashdash holds the cases of the four parts of dashdash: what a server says of
// itself when it is opened, of its tools, of its resources, and in a guide for models.
package dashdash

import (
	"net/url"
	"regexp"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// described makes cases about the objects of the items of a list.
type described struct {
	suite string
	list  func() protocol.List
}

// item is an item of a list with the object that describes it.
type item struct {
	probe.Item
	object   map[string]any
	property string
}

func (i item) get(name string) (any, bool) { v, ok := i.object[name]; return v, ok }

func (i item) at(path string) string { return i.Where(i.property, path) }

// breaks is a violation about a property of the object.
func (i item) breaks(name, want string) probe.Opinion {
	return probe.Breaks("%s is %s, want %s", i.at(name), probe.Show(probe.Member(i.object, name)), want)
}

// fits expects a property to fit a definition of the schema. An absent one is the business
// of another rule.
func (i item) fits(c *probe.Client, definition, name string) probe.Opinion {
	value, there := i.get(name)
	if !there {
		return probe.Nothing()
	}
	return probe.Fits(c.ExtensionProblem("dashdash", definition, i.Pointer+"/"+i.property+"/"+name, value), nil)
}

// each makes a case of a judgement of each object.
func (d described) each(slug, title string, rule requirements.ID, fix string, judge func(*probe.Client, item) probe.Opinion) suite.Case {
	run := probe.EachItem(d.list(), func(c *probe.Client, i probe.Item) probe.Opinion {
		value, property := proposal.ItemBlock(i.Value)
		if object := probe.ObjectOf(value); object != nil {
			return judge(c, item{i, object, property})
		}
		return probe.Nothing()
	})
	return bench.Case(d.suite+"/"+slug, title, rule, fix, run, suite.Capability(d.list().Capability))
}

// objects is the case that asks for an object at each item, once any item has one.
func (d described) objects(rule requirements.ID, fix string) suite.Case {
	noun := d.list().Noun
	return bench.Case(d.suite+"/object", "each "+noun+" has a dashdash object once any "+noun+" has one", rule, fix,
		func(c *probe.Client) error {
			items := probe.List(c, d.list())
			items.MustHaveSome()
			some := false
			for _, i := range items.All {
				value, _ := proposal.ItemBlock(i.Value)
				some = some || value != nil
			}
			c.NotSeenIf(!some, "no "+noun+" has a dashdash object")
			return items.Judge(func(i probe.Item) probe.Opinion {
				value, property := proposal.ItemBlock(i.Value)
				switch {
				case probe.ObjectOf(value) != nil:
					return probe.Kept()
				case value == nil:
					return probe.Breaks("%s is absent, want an object, as other %ss have", i.Where("dashdash"), noun)
				}
				return probe.Breaks("%s is %s, want an object", i.Where(property), probe.Show(value))
			})
		}, suite.Capability(d.list().Capability))
}

// isURL reports whether a value is an absolute address of the web.
func isURL(value any) bool {
	u, err := url.Parse(probe.TextOf(value))
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// patterns of this package, compiled once.
var patterns = sync.OnceValue(func() (p struct{ placeholder, code *regexp.Regexp }) {
	p.placeholder = regexp.MustCompile(`(^|[^$])\{([A-Za-z_][A-Za-z0-9_.-]*)\}`)
	p.code = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)
	return p
})

// endpoint judges apiEquivalent: a method and a path. A URL is noted.
func endpoint(c *probe.Client, i item) probe.Opinion {
	if value, _ := i.get("apiEquivalent"); isURL(value) {
		c.Note(i.at("apiEquivalent") + " is a URL; a method and a path are the usual form, as in POST /v1/berths")
	}
	return i.fits(c, "Endpoint", "apiEquivalent")
}
