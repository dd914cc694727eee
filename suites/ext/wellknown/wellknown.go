// Package wellknown holds the cases of the well-known document: what a server over HTTP
// says of itself to everybody who asks its origin.
package wellknown

import (
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the document.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-well-known",
		Title:     "a document at the origin describes the server to everybody",
		Extension: proposal.Extension("well-known"),
		Cases:     suite.Needing([]suite.Need{suite.Claim("well-known")}, cases(), features(), visits()),
	}
}

func cases() []suite.Case {
	return []suite.Case{
		access(page("served", "the document is served at /.well-known/mcp.json of the origin", "ext-wk-served",
			"answer GET /.well-known/mcp.json at the origin with the document as application/json, to everybody", served)),
		page("required", "the document has its seven required properties", "ext-wk-required",
			"send name, description and language as strings that are not empty, features as an array, and schemaVersion, transport and git beside "+
				"them",
			of(required)),
		page("schema-version", "schemaVersion is the date of a revision of MCP", "ext-wk-schema-version",
			"send the date of the revision that the document is written for, such as 2025-11-25", of(schemaVersion)),
		page("transport", "transport is an array that has the transport in use", "ext-wk-transport",
			"list each transport that the server is offered by, streamable-http among them", of(transport)),
		access(page("authentication", "authentication is an array of names, and has one where the endpoint demands a login",
			"ext-wk-authentication",
			"list what callers authenticate with, such as oauth2, or leave the property out", of(authentication))),
		page("git", "git has the URL of a repository and the hash of a commit", "ext-wk-git",
			"send repository as a URL and commitSHA as the 40 or 64 hexadecimal digits of the commit that is running", of(git)),
		page("no-secrets", "the document holds no credentials and no internal addresses", "ext-wk-no-secrets",
			"take credentials and internal addresses out of the document, and replace the credentials", of(noSecrets(proposal.NewScanner()))),
	}
}

func page(slug, title string, rule requirements.ID, fix string, run func(*probe.Client) error, needs ...suite.Need) suite.Case {
	return bench.Case("ext-well-known/"+slug, title, rule, fix, run, needs...)
}

// access is a case in which a refusal for lack of credentials is an answer.
func access(c suite.Case) suite.Case {
	c.Access = true
	return c
}

// A document is what a case judges.
type document struct {
	proposal.WellKnown
	client *probe.Client
}

// of makes a case of a judgement of the document.
func of(judge func(d *document) error) func(*probe.Client) error {
	return func(c *probe.Client) error {
		w := proposal.ReadWellKnown(c)
		named := proposal.Explicit(c, "well-known") && w.Status == http.StatusOK && w.Object != nil && !w.Card()
		c.UndecideIf(!w.Described() && !named, "the server serves no such document; ext-well-known/served says so")
		return judge(&document{w, c})
	}
}

// violation is shown by the document.
func (d *document) violation(format string, args ...any) *probe.Violation {
	return probe.Shown(d).Violation(format, args...)
}

// fits expects a value of the document to fit a definition of the schema.
func (d *document) fits(definition, pointer string, value any) error {
	if problem := d.client.ExtensionProblem("well-known", definition, pointer, value); problem != "" {
		return d.violation("%s", problem)
	}
	return nil
}

// given is a property of the document. The case ends where there is none.
func (d *document) given(name string) any {
	value, ok := d.Object[name]
	d.client.NotSeenIf(!ok, "the document has no "+name)
	return value
}

func served(c *probe.Client) error {
	w := proposal.ReadWellKnown(c)
	answer := probe.Shown(w)
	passing := []int{http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout}
	switch {
	case w.Status == 0 || slices.Contains(passing, w.Status):
		c.Undecide("the answer to GET " + w.At + " does not say whether there is a document")
	case w.Status/100 == 3:
		c.Undecide("GET " + w.At + " is answered with another address; target.well-known-url says where the document is")
	case w.Card():
		c.Undecide("a server card is served at " + w.At + ", which is another document")
	case w.Status == http.StatusUnauthorized || w.Status == http.StatusForbidden:
		v := answer.Violation("GET %s without credentials is answered with status %d, want 200 and the document", w.At, w.Status)
		if !c.Survey().Claims["well-known"].Configured {
			v = v.AtMostWarn()
		}
		return v
	case w.Status != http.StatusOK:
		return answer.Violation("GET %s is answered with status %d, want 200 and the document", w.At, w.Status)
	case w.Object == nil:
		return answer.Violation("the document is %s, want a JSON object", show(w))
	}
	if kind, _, err := mime.ParseMediaType(w.Header.Get("Content-Type")); err != nil || !isJSON(kind) {
		return answer.Violation("the Content-Type of the document is %q, want application/json", w.Header.Get("Content-Type"))
	}
	return nil
}

func isJSON(kind string) bool {
	return kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json")
}

func show(w proposal.WellKnown) string {
	if w.Value == nil {
		return fmt.Sprintf("%d bytes that hold no JSON", len(w.Body))
	}
	return probe.Show(w.Value)
}

func required(d *document) error {
	info := d.client.Survey().ServerInfo
	name := probe.TextOf(d.Object["name"])
	if own, title := probe.TextOf(info["name"]), probe.TextOf(info["title"]); own != "" && name != own && name != title {
		d.client.Note(fmt.Sprintf("the document calls the server %q, and serverInfo calls it %q", name, own))
	}
	return d.fits("Outline", "", d.Object)
}

func schemaVersion(d *document) error {
	value := d.given("schemaVersion")
	d.client.Must(d.fits("Text", "/schemaVersion", value))
	version := probe.TextOf(value)
	switch digits := strings.Split(version, "-"); {
	case len(digits) != 3 || len(version) != len("2025-11-25"):
		return d.violation("$.schemaVersion is %q, want the date of a revision of MCP", version).AtMostWarn()
	case !requirements.Revision(version).Known():
		d.client.Note(fmt.Sprintf("$.schemaVersion is %q, a revision that the kit does not know", version))
	}
	return nil
}

func transport(d *document) error {
	value := d.given("transport")
	d.client.Must(d.fits("Transport", "/transport", value))
	inUse := false
	for _, name := range probe.Strings(value) {
		plain := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
		known := slices.Contains([]string{"streamablehttp", "sse", "httpsse", "http+sse"}, plain)
		inUse = inUse || known
		if !known && plain != "stdio" {
			d.client.Note(fmt.Sprintf("$.transport has %q, which is not among stdio, sse and streamable-http", name))
		}
	}
	if !inUse {
		return d.violation("$.transport is %s, want streamable-http in it, by which the server was reached", probe.Show(value)).AtMostWarn()
	}
	return nil
}

func authentication(d *document) error {
	value := d.given("authentication")
	d.client.NotSeenIf(value == nil, "authentication of the document is null, which counts as absent")
	d.client.Must(d.fits("Authentication", "/authentication", value))
	if len(probe.ArrayOf(value)) > 0 {
		return nil
	}
	reply := d.client.Call(d.client.PlainMethod(), nil, probe.Anonymous())
	if reply.Status() != http.StatusUnauthorized {
		return nil
	}
	return probe.Shown(d, reply).Violation("$.authentication is %s, and the endpoint demands a login, want the name of a mechanism",
		probe.Show(value))
}

func git(d *document) error {
	value := d.given("git")
	d.client.Must(d.fits("Git", "/git", value))
	at := probe.ObjectOf(value)
	if repository := probe.TextOf(at["repository"]); !strings.Contains(repository, "://") {
		d.client.Note(fmt.Sprintf("$.git.repository is %q, which only ssh understands", repository))
	}
	return probe.AtMostWarn(d.fits("StrictCommit", "/git/commitSHA", at["commitSHA"]))
}

// noSecrets shows the beginning of what was found, and never the whole of it.
func noSecrets(scanner *proposal.Scanner) func(*document) error {
	return func(d *document) error {
		s := d.client.Survey()
		for _, text := range probe.Texts(d.Object) {
			if hits := scanner.Secrets(text, s.Given.Secrets, s.Tokens.All()); len(hits) > 0 {
				return d.violation("a string of the document holds %s, %q, want no credentials", hits[0].What, hits[0].Text)
			}
		}
		for _, text := range probe.Texts(d.Object) {
			if hits := scanner.Addresses(text, s.Given.Host); len(hits) > 0 {
				return d.violation("a string of the document holds %s, %q, want none", hits[0].What, hits[0].Text).AtMostWarn()
			}
		}
		return nil
	}
}
