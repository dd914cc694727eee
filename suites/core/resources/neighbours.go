package resources

import (
	"regexp"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// Only a template that gives contents for a known value is judged. It may have contents for
// any value, and may refuse a value with an error of its own. It may stand for a search in
// other words than those of collects, too, that finds nothing: so this warns at most.
func notFoundInTemplate(c *probe.Client) error {
	judged := 0
	for _, item := range probe.List(c, protocol.Templates()).ByKey() {
		text, _ := item.Get("uriTemplate").(string)
		pair, ok := neighbours(c, text)
		if !ok {
			continue
		}
		if judged++; judged > c.Waits().Reads {
			break
		}
		reply := readAt(c, pair.unknown)
		empty := reply.Served() && len(contentsOf(reply)) == 0 && !pair.collects
		if empty || reply.HasCode(protocol.InternalError) {
			return reply.Violation("%s for %s, while %s, of the same template, has contents; want the error for an unknown resource",
				reply.AnswerTo(read), probe.Show(pair.unknown), probe.Show(pair.known)).AtMostWarn().
				Under("resources-not-found-not-empty", "resources-not-found-modern-code", "resources-not-found-legacy-code")
		}
	}
	c.NotSeenIf(judged == 0, "no resource that can be read is one of a template")
	return nil
}

// A pair is the URI of a resource that a template covers and that has contents, and one that
// differs in the last value. A template that collects may have nothing to collect.
type pair struct {
	known, unknown string
	collects       bool
}

func neighbours(c *probe.Client, text string) (pair, bool) {
	template, err := uritemplate.New(text)
	if err != nil || len(template.Varnames()) == 0 {
		return pair{}, false
	}
	p := pair{collects: collecting.MatchString(text)}
	var values uritemplate.Values
	take := func(uri string, reply *probe.Reply) {
		found, contents := template.Match(uri), contentsOf(reply)
		if len(found) > 0 && len(contents) > 0 {
			p.known, values = uri, found
			p.collects = p.collects || len(contents) > 1 || probe.ObjectOf(contents[0])["uri"] != uri
		}
	}
	for _, r := range readings(c) {
		if take(r.uri, r.reply); p.known != "" {
			break
		}
	}
	if p.known == "" && c.Survey().Declares("completions") {
		if uri, suggested := expanded(c, text); suggested {
			take(uri, readAt(c, uri))
		}
	}
	names := naming(text, values)
	if p.known == "" || len(names) == 0 {
		return pair{}, false
	}
	last := names[len(names)-1]
	values.Set(last, uritemplate.String(another(c, values.Get(last).String())))
	p.unknown, err = template.Expand(values)
	scheme, _, _ := strings.Cut(p.known, ":")
	return p, err == nil && strings.HasPrefix(p.unknown, scheme+":")
}

// The words of a template that stands for what is found, or what there was at a time: where
// there is none of it, the resource is there and has no contents.
var collecting = regexp.MustCompile(`(?i)(^|[^a-z])(search(es)?|quer(y|ies)|q|find|filters?|match(es)?|terms?|keywords?|tags?|` +
	`pages?|offset|limit|from|to|since|until|before|after|start|end|dates?|days?|weeks?|months?|years?|time)([^a-z]|$)`)

var expression = regexp.MustCompile(`\{([^?&#{}][^{}]*)\}`)

// naming are the variables of a template that have a value, without those of the query and
// the fragment: these narrow down what is read, and need not name anything.
func naming(text string, values uritemplate.Values) []string {
	if at := strings.IndexAny(text, "?#"); at >= 0 {
		text = text[:at]
	}
	var names []string
	for _, found := range expression.FindAllStringSubmatch(text, -1) {
		for name := range strings.SplitSeq(strings.TrimLeft(found[1], "+./;"), ",") {
			name, _, _ = strings.Cut(name, ":")
			if name = strings.TrimRight(name, "*"); values.Get(name).String() != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// another is a value of the same form: a number stays one, for the server may read it as such,
// and as a length, so that it is not much longer. A path stays in its directory, and a file
// keeps its type.
func another(c *probe.Client, value string) string {
	const digits = "9876543210"
	if strings.Trim(value, digits) == "" {
		return digits[:min(len(value)+3, len(digits)-1)]
	}
	start := strings.LastIndex(value, "/") + 1
	end := ""
	if at := strings.LastIndex(value[start:], "."); at > 0 {
		end = value[start+at:]
	}
	return value[:start] + "no-such-" + c.Nonce() + end
}
