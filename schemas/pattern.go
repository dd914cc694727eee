package schemas

import (
	"time"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// Time limits of one match, and of all matches of one validation together.
	matchLimit    = 50 * time.Millisecond
	matchingLimit = time.Second
)

// patterns is the regular expression engine of one published schema. It speaks the
// ECMAScript dialect that JSON Schema names. It never returns an error: the library
// would call the whole schema invalid for a pattern that only we cannot read.
type patterns struct {
	known    map[string]*pattern // the library asks for each pattern twice
	matches  bool                // the answer of an undecided pattern
	doubtful bool                // whether an undecided pattern was asked since begin
	spent    time.Duration
}

func (p *patterns) begin(matches bool) {
	p.matches, p.doubtful, p.spent = matches, false, 0
}

func (p *patterns) compile(source string) (jsonschema.Regexp, error) {
	if found, ok := p.known[source]; ok {
		return found, nil
	}
	// On failure the expression stays nil, and the pattern undecided.
	expression, err := regexp2.Compile(source, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		expression = nil
	} else {
		expression.MatchTimeout = matchLimit
	}
	found := &pattern{source: source, expression: expression, engine: p}
	p.known[source] = found
	return found, nil
}

type pattern struct {
	source     string
	expression *regexp2.Regexp
	engine     *patterns
}

func (p *pattern) String() string { return p.source }

func (p *pattern) MatchString(text string) bool {
	if p.expression == nil || p.engine.spent > matchingLimit {
		return p.undecided()
	}
	begun := time.Now()
	matched, err := p.expression.MatchString(text)
	p.engine.spent += time.Since(begun)
	if err != nil {
		return p.undecided()
	}
	return matched
}

func (p *pattern) undecided() bool {
	p.engine.doubtful = true
	return p.engine.matches
}
