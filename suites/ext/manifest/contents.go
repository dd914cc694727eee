package manifest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func vendorNamespaced(d *document) error {
	problems := d.bare(d.Document, ownProperties())
	for i, tool := range probe.ArrayOf(d.Document["tools"]) {
		known := proposal.ToolProperties()
		for _, s := range misspelt(probe.ObjectOf(tool)) { // a matter of ext-manifest/tool-required
			known = append(known, s.written)
		}
		problems = append(problems, d.bare(probe.ObjectOf(tool), known, "tools", i)...)
	}
	return d.none(problems)
}

// bare are the properties of an object that nobody defines, and that have no prefix.
func (d *document) bare(o map[string]any, known []string, path ...any) []string {
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if slices.Contains(known, name) || strings.Contains(name, "/") || strings.HasPrefix(strings.ToLower(name), "x-") {
			continue
		}
		problems = append(problems, fmt.Sprintf("%s is a property without a prefix, want prefix/name or x-name",
			d.Where(append(slices.Clone(path), name)...)))
	}
	return problems
}

// ownProperties are those of the document, and of an answer of the protocol.
func ownProperties() []string {
	return []string{
		"manifest_version", "server", "tools", "auth", list, "rate_limits", "recommendations", "manifest_ttl",
		"ttlMs", "cacheScope", "resultType", "_meta", "dashdash",
	}
}

func contentComplete(d *document) error {
	var lacking []string
	for _, name := range []string{"auth", "rate_limits", list} {
		if _, ok := d.Document[name]; !ok {
			lacking = append(lacking, name)
		}
	}
	if len(lacking) > 0 {
		return d.violation("the manifest lacks %s, want them beside server and tools", strings.Join(lacking, ", "))
	}
	auth, object := d.Document["auth"].(map[string]any)
	if !object {
		return d.violation("%s is %s, want an object", d.Where("auth"), probe.Show(d.Document["auth"]))
	}
	if auth["methods"] == nil || auth["scopes"] == nil {
		d.client.Note("auth of the manifest lacks methods or scopes; both help clients to ask for the right token")
	}
	d.noteHints()
	d.noteFlags()
	return nil
}

// noteHints looks at how long the document may be kept. A client that cannot use what
// stands there asks again, which costs it a request.
func (d *document) noteHints() {
	for _, hint := range []struct {
		name, wanted string
		in           map[string]any
		usable       func(any) bool
	}{
		{"manifest_ttl", "a number of seconds, at least 0", d.Document, positive},
		{"ttlMs", "a number of milliseconds, at least 0", d.Whole, positive},
		{"cacheScope", `"public" or "private"`, d.Whole, func(v any) bool { return v == "public" || v == "private" }},
	} {
		if value, given := hint.in[hint.name]; given && !hint.usable(value) {
			d.client.Note(fmt.Sprintf("%s of the manifest is %s, want %s", hint.name, probe.Show(value), hint.wanted))
		}
	}
}

func positive(value any) bool {
	n, ok := probe.NumberOf(value)
	return ok && n >= 0
}

// paging is part of any usual name for an argument that chooses a page.
var paging = regexp.MustCompile(`(?i)page|cursor|offset|limit|skip|start|after|before|from|next|token|size|count`)

// noteFlags looks at what tools say of pages and batches.
func (d *document) noteFlags() {
	for i, tool := range probe.ArrayOf(d.Document["tools"]) {
		flags := probe.ObjectOf(tool)
		if batch, given := flags["supports_batch"]; given && batch != true && batch != false {
			d.client.Note(fmt.Sprintf("%s is %s, want a boolean", d.Where("tools", i, "supports_batch"), probe.Show(batch)))
		}
		arguments := slices.Collect(maps.Keys(probe.ObjectOf(probe.ObjectOf(flags["input_schema"])["properties"])))
		if flags["supports_pagination"] == true && !slices.ContainsFunc(arguments, paging.MatchString) {
			d.client.Note(d.Where("tools", i, "supports_pagination") + " is true, and no argument of input_schema seems to choose a page")
		}
	}
}

// noSecrets shows the beginning of what was found, and never the whole of it.
func noSecrets(scanner *proposal.Scanner) func(*document) error {
	return func(d *document) error {
		for _, text := range probe.Texts(d.Document) {
			if hits := scanner.Secrets(text, d.client.Survey().Given.Secrets, d.client.Survey().Tokens.All()); len(hits) > 0 {
				return d.violation("a string of the manifest holds %s, %q, want no credentials", hits[0].What, hits[0].Text)
			}
		}
		return nil
	}
}

func limits() []suite.Case {
	return []suite.Case{
		handed("rate-limits-shape", "the figures of rate_limits are integers and resets_at is a date-time", "ext-manifest-rate-limits-shape",
			"send the figures as integers, and resets_at in RFC 3339 format", fitting("RateLimits", "rate_limits")),
		handed("rate-limits-sane", "the figures of rate_limits fit together", "ext-manifest-rate-limits-sane",
			"count down from the limit to zero, and name the next reset that is to come", of(rateLimitsSane)),
		handed("no-secrets", "the manifest holds no credentials", "ext-manifest-no-secrets",
			"take credentials out of the manifest, and replace those that stood in it", of(noSecrets(proposal.NewScanner()))),
		handed("vendor-namespaced", "properties that no proposal defines have a prefix", "ext-manifest-vendor-namespaced",
			"write properties of your own as prefix/name, or with the prefix x-; docs/ext-manifest.md lists those that need none",
			of(vendorNamespaced)),
		handed("content-complete", "the manifest says how callers authenticate, what is limited and what is supported",
			"ext-manifest-content-complete",
			"add auth, rate_limits and supported_extensions", of(contentComplete)),
	}
}

func rateLimitsSane(d *document) error {
	given := probe.ObjectOf(d.needed("rate_limits"))
	if len(given) == 0 {
		d.absent("rate_limits")
	}
	d.client.Require(d.fits("RateLimits", given, "rate_limits"), "the figures are not integers; ext-manifest/rate-limits-shape says so")
	d.client.Must(d.fits("StrictRateLimits", given, "rate_limits"))
	remaining, counts := probe.NumberOf(given["remaining"])
	minute, perMinute := probe.NumberOf(given["requests_per_minute"])
	day, perDay := probe.NumberOf(given["requests_per_day"])
	if largest := max(minute, day); counts && (perMinute || perDay) && remaining > largest {
		return d.violation("%s is %s, want at most %v, the largest limit",
			d.Where("rate_limits", "remaining"), probe.Show(given["remaining"]), largest)
	}
	resets, ok := proposal.Moment(given["resets_at"])
	if ok && !d.At.IsZero() && resets.Before(d.At.Add(-proposal.Tolerance)) {
		return d.violation("%s is %q, want a moment that is not over; the answer came at %s",
			d.Where("rate_limits", "resets_at"), given["resets_at"], d.At.UTC().Format(time.RFC3339))
	}
	return nil
}
