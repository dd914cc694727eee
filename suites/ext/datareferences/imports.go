package datareferences

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// importing is a case about a reference that the kit hands to the server.
func importing(slug, title string, rule requirements.ID, fix string, run func(*probe.Client) error) suite.Case {
	return bench.Case("ext-data-references/"+slug, title, rule, fix, run)
}

func imports() []suite.Case {
	const failed = "ext-import-failure-structured"
	const say = "answer status failed with an error record, or with an error, where the data cannot be fetched"
	return []suite.Case{
		importing("imports", "an import fetches the data and says how much it was", "ext-import-works",
			"fetch access_url, count what came, and answer with status imported and rows_imported", importWorks),
		importing("status-known", "the status of an import is imported, pending or failed", "ext-import-status-enum",
			"answer with status imported, pending or failed", statusKnown),
		importing("unknown-not-imported", "a reference that its origin does not know is not imported", failed, say,
			notImported(probe.Offered{Status: http.StatusNotFound, Type: "text/plain", Body: []byte("no such reference")}, 0)),
		importing("expired-not-imported", "a reference that has ended is not imported", failed, say,
			notImported(probe.Offered{Status: http.StatusGone, Type: "text/plain", Body: []byte("it has ended")}, -time.Hour)),
		importing("unreachable-not-imported", "a reference whose origin cannot be reached is not imported", failed, say, unreachable),
		importing("failure-record", "the error of a failed import is a record", failed,
			"put code, message and category into error", failureRecord),
		importing("checksum-compared", "data with another checksum than its reference is not imported", "ext-import-checksum-checked",
			"compute the checksum of what was fetched, by sha256 or md5, and answer with status failed where it differs", checksumCompared),
	}
}

func refusals() []suite.Case {
	const rule = "ext-import-required-params"
	const fix = "check that ref_id and origin_server are there before anything is fetched"
	return []suite.Case{
		importing("import-empty-rejected", "an import without a reference is rejected", rule, fix, lacking("ref_id", "origin_server")),
		importing("import-without-origin", "an import without origin_server is rejected", rule, fix, lacking("origin_server")),
		importing("import-without-id", "an import without ref_id is rejected", rule, fix, lacking("ref_id")),
	}
}

// rows are what the kit offers.
const rows = 3

// table is data with so many rows.
func table() probe.Offered {
	return probe.Offered{Type: "application/json", Body: []byte(`[{"berth":"A1","fee":12},{"berth":"A2","fee":14},{"berth":"B1","fee":9}]`)}
}

func importMethod() proposal.Method {
	return proposal.Method{Extension: name, Name: "import_from_ref", Tools: []string{"import_from_ref"}}
}

// An imported thing is what came of a reference of the kit.
type imported struct {
	*probe.Client
	served *probe.Served
	reply  *probe.Reply
	answer map[string]any
}

func (i *imported) status() string { return probe.TextOf(i.answer["status"]) }

// declined reports whether the server says in any form that it did not import.
func (i *imported) declined() bool {
	return proposal.Declined(i.reply) || i.status() == "failed" && i.reply.Served()
}

// referenceTo is the kit's own reference to data that it serves.
func referenceTo(c *probe.Client, served *probe.Served, o probe.Offered, life time.Duration) probe.Object {
	return probe.Object{
		"ref_id": "ref-kit-" + c.Nonce(), "origin_server": "mcp-conform", "mime_type": o.Type, "size_bytes": len(o.Body),
		"expires_at": time.Now().Add(life).UTC().Format(time.RFC3339), "access_url": served.URL,
		"checksum": probe.Object{"algorithm": "sha256", "value": sum("sha256", o.Body)},
	}
}

const life = 10 * time.Minute // of the kit's references

// give hands a reference to the server: by the call of the role, or by the method.
func give(c *probe.Client, served *probe.Served, reference probe.Object) *imported {
	i := &imported{Client: c, served: served}
	if c.Role(roles.DataReference).Fields().At("import") != nil {
		call := c.Role(roles.DataReference).Part("import").Filled(map[string]any{"reference": map[string]any(reference)})
		i.reply = c.CallTool(call, nil)
		result, _ := i.reply.Result()
		i.answer = probe.ObjectOf(probe.Payload(result))
		return i
	}
	// What is imported stays, so that a claim alone does not permit it.
	permitted := len(c.Role(roles.DataReference).Fields()) > 0 || c.Survey().Given.SideEffects
	if !proposal.Explicit(c, name) || !permitted {
		c.Unfilled(roles.DataReference, "import_from_ref is called only where the server claims data references by name, and the configuration "+
			"fills some field of roles.data-reference")
	}
	answer := importMethod().Ask(c, reference)
	c.NotSeenIf(answer.Unknown, "the server takes no references in: "+importMethod().Tried(c))
	i.reply, i.answer = answer.Reply, answer.Object
	return i
}

// offered serves data and hands its reference to the server.
func offered(c *probe.Client, o probe.Offered) *imported {
	served := c.Serve(o)
	return give(c, served, referenceTo(c, served, o, life))
}

// guarded ends the case where the server fetches nothing from the kit's address, or imports
// no data of this type, which are guards of its own.
func (i *imported) guarded() {
	if !i.declined() {
		return
	}
	said := strings.ToLower(i.reply.Outcome() + " " + i.reply.TextContent() + " " + probe.JSON(i.answer["error"]))
	says := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(said, word) })
	}
	i.UndecideIf(says("application/json", "mime", "media type", "content type", "content-type", "data type", "csv"),
		"the server does not import application/json, the type of the kit's data: "+i.reply.Outcome())
	i.UndecideIf(i.served.Fetches() == 0,
		"the server does not fetch from "+i.served.URL+"; target.kit-url names an origin of the kit that it accepts: "+i.reply.Outcome())
}

func importWorks(c *probe.Client) error {
	i := offered(c, table())
	i.guarded()
	fetches := i.served.Fetches()
	rowCount, given := i.answer["rows_imported"]
	count, counted := probe.NumberOf(rowCount)
	other, renamed := probe.NumberOf(i.answer["records_imported"])
	id, named := i.answer["imported_resource_id"]
	_, text := id.(string)
	switch {
	case i.declined() || !proposal.Done(i.reply):
		return i.reply.Violation("%s, want status imported: the data is there, and was fetched %d times",
			i.reply.AnswerTo("the import"), fetches).Unless(i.reply.NotObject())
	case i.status() == "pending":
		c.Note("the import is pending; the proposal has no way to ask for its end")
		return nil
	case i.status() != "imported":
		c.NotSeen("the status is " + probe.Show(i.answer["status"]) + ", which ext-data-references/status-known judges")
	case fetches == 0:
		return i.reply.Violation(
			"status is imported, and nothing was fetched from the address of the reference, want the data to be fetched first")
	case given && !counted:
		return i.reply.Violation("rows_imported is %s, want the integer %d", probe.Show(rowCount), rows)
	case counted && count != rows:
		return i.reply.Violation("rows_imported is %.0f, want %d as there are in the data", count, rows)
	case named && !text:
		return i.reply.Violation("imported_resource_id is %s, want a string", probe.Show(id))
	case !counted && renamed && other != rows:
		return i.reply.Violation("records_imported is %.0f, want rows_imported with %d", other, rows)
	case !counted && renamed:
		return i.reply.Violation("records_imported is the name of the example servers, want rows_imported").AtMostWarn()
	case i.answer["checksum_verified"] == false:
		return i.reply.Violation("status is imported and checksum_verified is false, want data that was compared with its checksum").AtMostWarn()
	}
	return nil
}

func statusKnown(c *probe.Client) error {
	i := offered(c, table())
	c.NotSeenIf(!i.reply.Served() || i.reply.ErrorFlag(), "the import has no result, which ext-data-references/imports judges")
	status := probe.Member(i.answer, "status")
	if _, absent := status.(probe.Absent); absent {
		return i.reply.Violation("status is missing, want imported, pending or failed")
	}
	if problem := c.ExtensionProblem(name, "Status", "/status", status); problem != "" {
		return i.reply.Violation("%s", problem)
	}
	return nil
}

// notImported hands a reference over whose origin delivers nothing.
func notImported(o probe.Offered, left time.Duration) func(*probe.Client) error {
	return func(c *probe.Client) error {
		served := c.Serve(o)
		good := table()
		reference := referenceTo(c, served, good, life+left)
		if left < 0 {
			reference["expires_at"] = time.Now().Add(left).UTC().Format(time.RFC3339)
		}
		return give(c, served, reference).wantFailed(fmt.Sprintf("an import whose origin answers with status %d", o.Status))
	}
}

func (i *imported) wantFailed(what string) error {
	switch {
	case i.declined():
		return nil
	case i.status() == "pending" && i.reply.Served():
		i.NotSeen("the import is pending, and the proposal has no way to ask for its end")
	}
	return i.reply.Violation("%s, want status failed or a refusal", i.reply.AnswerTo(what)).Unless(i.reply.NotObject())
}

func unreachable(c *probe.Client) error {
	o := table()
	o.Below = "gone"
	served := c.Serve(o)
	reference := referenceTo(c, served, o, life)
	served.Close()
	return give(c, served, reference).wantFailed("an import whose origin cannot be reached")
}

func failureRecord(c *probe.Client) error {
	o := probe.Offered{Status: http.StatusNotFound, Type: "text/plain", Body: []byte("no such reference")}
	served := c.Serve(o)
	i := give(c, served, referenceTo(c, served, table(), life))
	c.NotSeenIf(!i.reply.Served() || i.status() != "failed", "a failed import is not told by status failed, but: "+i.reply.Outcome())
	failure, told := i.answer["error"]
	if _, object := failure.(map[string]any); !object {
		what := "missing"
		if told {
			what = probe.Show(failure)
		}
		return i.reply.Violation("error is %s beside the status failed, want an object with code, message and category", what).AtMostWarn()
	}
	if problem := c.ExtensionProblem(name, "Error", "/error", failure); problem != "" {
		return i.reply.Violation("%s", problem).Unless(proposal.Misrecorded(probe.ObjectOf(failure)))
	}
	category := probe.TextOf(probe.ObjectOf(failure)["category"])
	if known := proposal.Categories(); !slices.Contains(known, category) {
		return i.reply.Violation("category of error is %q, want one of %s", category, strings.Join(known, ", ")).AtMostWarn().
			Unless(proposal.Misrecorded(probe.ObjectOf(failure)))
	}
	return nil
}

func checksumCompared(c *probe.Client) error {
	i := mistaken(c, "sha256")
	c.NotSeenIf(i.served.Fetches() == 0, "the server did not fetch the data, which ext-data-references/imports judges")
	c.Must(i.wantCompared("sha256"))
	i = mistaken(c, "md5")
	if i.declined() || i.served.Fetches() == 0 {
		return nil // it may refuse an algorithm that is as weak
	}
	return i.wantCompared("md5")
}

// mistaken hands a reference over whose checksum is that of other data.
func mistaken(c *probe.Client, algorithm string) *imported {
	o := table()
	served := c.Serve(o)
	other := strings.Replace(string(o.Body), "12", "21", 1)
	return give(c, served, referenceTo(c, served, o, life).With("checksum",
		probe.Object{"algorithm": algorithm, "value": sum(algorithm, []byte(other))}))
}

func (i *imported) wantCompared(algorithm string) error {
	if i.status() == "imported" && i.answer["checksum_verified"] == false {
		return i.reply.Violation("status is imported and checksum_verified is false, want status failed").AtMostWarn()
	}
	return i.wantFailed("an import of data whose " + algorithm + " differs from the checksum of its reference")
}

// lacking hands a reference over without some of its properties.
func lacking(names ...string) func(*probe.Client) error {
	return func(c *probe.Client) error {
		o := table()
		served := c.Serve(o)
		reference := referenceTo(c, served, o, life)
		for _, name := range names {
			reference = reference.Without(name)
		}
		if len(names) > 1 {
			reference = probe.Object{}
		}
		i := give(c, served, reference)
		what := "an import without " + strings.Join(names, " and ")
		if n := served.Fetches(); n > 0 {
			return i.reply.Violation("%s was fetched, want a refusal before", what)
		}
		if !i.declined() {
			return i.reply.Violation("%s, want a refusal", i.reply.AnswerTo(what))
		}
		return nil
	}
}
