// Package datareferences holds the cases of the data-references proposal: large data goes
// from one server to another by a reference with a signed address.
package datareferences

import (
	"crypto/md5" //nolint:gosec // one of the algorithms of the proposal
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const name = "data-references"

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-data-references",
		Title:     "data goes from server to server by reference",
		Extension: proposal.Extension(name),
		Cases:     slices.Concat(references(), addresses(), imports(), refusals()),
	}
}

// exporting is a case about a reference that the server hands out.
func exporting(slug, title string, rule requirements.ID, fix string, run func(*reference) error) suite.Case {
	return bench.Case("ext-data-references/"+slug, title, rule, fix,
		bench.After(func(c *probe.Client) *reference { return export(c, "export") }, run), suite.Role(roles.DataReference, "export"))
}

func references() []suite.Case {
	const size = "ext-dataref-size"
	return []suite.Case{
		exporting("reference-required", "a reference has ref_id, origin_server and mime_type", "ext-dataref-required",
			"send an object with ref_id, origin_server and mime_type, all strings", required),
		exporting("size-declared", "size_bytes is an integer from 0 on", size,
			"count the bytes of the data, in an integer", func(r *reference) error { return r.wants("SizeBytes", "size_bytes") }),
		exporting("expiry-ahead", "a reference has an end that leaves time for the transfer", "ext-dataref-expiry-ahead",
			"write expires_at as RFC 3339 text, some minutes ahead", expiryAhead),
		exporting("url-absolute", "access_url is an absolute URI", "ext-dataref-url",
			"send the whole address, with https outside of this machine", urlAbsolute),
		exporting("checksum-shape", "checksum has an algorithm, and its value in hexadecimal digits", "ext-dataref-checksum",
			"send an object with algorithm (sha256 or md5) and value, in hexadecimal digits", checksumShape),
		exporting("id-unique", "each reference has an id that nobody can guess", "ext-dataref-unique",
			"make ref_id of random letters and digits, anew for each export", idUnique),
		exporting("not-inline", "a reference comes without its data", "ext-dataref-not-inline",
			"leave the data out of the answer: the reference leads to it", notInline),
		exporting("origin-self", "origin_server is the name that the server bears", "ext-dataref-origin-self",
			"use the name of serverInfo in origin_server", originSelf),
	}
}

// A reference is one that the server handed out.
type reference struct {
	*probe.Client
	reply  *probe.Reply
	fields map[string]any // empty where something else than an object stands there
	place  string
	others []any // what stands there beside or in place of an object
	found  proposal.Located
	asked  time.Time // when it was asked for
}

func exportMethod() proposal.Method {
	return proposal.Method{Extension: name, Name: "export_result_ref", Tools: []string{"export_result_ref"}}
}

// export asks for a reference as the role says: by a tool, or by the method with params.
func export(c *probe.Client, field string) *reference {
	role := c.Role(roles.DataReference)
	r := &reference{Client: c, asked: c.Now()}
	if params, ok := role.Fields().At(field).Arguments("params"); ok {
		call, err := roles.Call{Arguments: params}.Expand(roles.Vars{Nonce: c.Nonce()})
		c.Require(err, "the params of roles.data-reference cannot be filled in")
		answer := exportMethod().Ask(c, probe.Object(call.Arguments))
		if answer.Unknown {
			c.Unfilled(roles.DataReference, exportMethod().Tried(c))
		}
		r.reply, r.fields, r.place = answer.Reply, answer.Object, "$.result"
	} else {
		r.reply = c.CallTool(role.Field(field), nil)
		r.locate()
	}
	if !proposal.Done(r.reply) {
		c.Unfilled(roles.DataReference, "the export of roles.data-reference had no result: "+r.reply.Outcome())
	}
	if r.fields == nil {
		c.Unfilled(roles.DataReference, "the export of roles.data-reference gave no reference")
	}
	return r
}

// locate finds the reference in a tool's answer: beside it, or as the answer itself.
func (r *reference) locate() {
	result, _ := r.reply.Result()
	const key = "data_reference"
	has := func(v any) bool { return probe.ObjectOf(v)["ref_id"] != nil }
	found, ok := proposal.Locate(result, key, key, func(holder map[string]any) bool { return has(holder[key]) })
	all, several := found.Value.([]any)
	if !several && found.Value != nil {
		all = []any{found.Value}
	}
	switch own := probe.Payload(result); {
	case ok && len(all) > 0:
		r.place, r.found = found.Place, found
		if r.fields = probe.ObjectOf(all[0]); r.fields != nil {
			all = all[1:]
		} else {
			r.fields = map[string]any{}
		}
		r.others = all
	case has(own):
		r.fields, r.place = probe.ObjectOf(own), "the answer"
	}
}

// value is a property of the reference; the case ends where it is absent.
func (r *reference) value(property string) any {
	value, there := r.fields[property]
	r.NotSeenIf(!there, "the reference has no "+property)
	return value
}

// wants expects a property, or the whole reference, to fit a definition.
func (r *reference) wants(definition, property string) error {
	var value any = r.fields
	place := ""
	if property != "" {
		value, place = r.value(property), "/"+property
	}
	if problem := r.ExtensionProblem(name, definition, place, value); problem != "" {
		return r.reply.Violation("%s, in %s", problem, r.place)
	}
	return nil
}

// required judges each of several references, and what stands in place of one.
func required(r *reference) error {
	for _, other := range r.others {
		if probe.ObjectOf(other) == nil {
			return r.reply.Violation("%s says %s, want an object with ref_id, origin_server and mime_type", r.place, probe.Show(other))
		}
	}
	r.Must(r.wants("Required", ""))
	for _, other := range r.others {
		if problem := r.ExtensionProblem(name, "Required", "", other); problem != "" {
			return r.reply.Violation("%s, in another reference of %s", problem, r.place)
		}
	}
	return proposal.Agree(r.reply, "data_reference", r.found)
}

func expiryAhead(r *reference) error {
	if _, given := r.fields["expires_at"]; !given && r.fields["access_url"] != nil {
		return r.reply.Violation("%s.expires_at is missing beside access_url, want the end of the address", r.place).AtMostWarn()
	}
	r.Must(r.wants("DateTime", "expires_at"))
	const room = time.Second
	end, _ := proposal.Moment(r.fields["expires_at"])
	if issued := proposal.Clock(r.reply, r.asked); end.Before(issued.Add(room)) {
		return r.reply.Violation("%s.expires_at is %s and the reference was issued at %s, want time for the transfer", r.place,
			probe.Show(r.fields["expires_at"]), issued.UTC().Format(time.RFC3339))
	}
	return nil
}

func urlAbsolute(r *reference) error {
	r.Must(r.wants("AccessUrl", "access_url"))
	at, err := url.Parse(probe.TextOf(r.fields["access_url"]))
	switch {
	case err != nil:
		return r.reply.Violation("%s.access_url is %s, which is not a URI: %v", r.place, probe.Show(r.fields["access_url"]), err)
	case at.Scheme == "https", at.Scheme == "http" && probe.Loopback(at.Hostname()):
		return nil
	}
	return r.reply.Violation("%s.access_url is %s, want https", r.place, probe.Show(r.fields["access_url"])).AtMostWarn()
}

func checksumShape(r *reference) error {
	err := r.wants("Checksum", "checksum")
	if _, text := r.fields["checksum"].(string); text {
		return probe.AtMostWarn(err)
	}
	if err != nil {
		return err
	}
	checksum := probe.ObjectOf(r.fields["checksum"])
	if digits := len(probe.TextOf(checksum["value"])); (checksum["algorithm"] == "md5") != (digits == 2*md5.Size) {
		return r.reply.Violation("%s.checksum.value has %d digits, which is not the length of %v", r.place, digits, checksum["algorithm"])
	}
	return nil
}

// idUnique lets data have one id that is made of the data itself: nobody guesses that
// either.
func idUnique(r *reference) error {
	other := export(r.Client, "export")
	first, second := probe.TextOf(r.fields["ref_id"]), probe.TextOf(other.fields["ref_id"])
	r.NotSeenIf(first == "" || second == "", "the reference has no ref_id, which ext-data-references/reference-required judges")
	const guessable = 16
	shown := probe.Shown(r.reply, other.reply)
	switch {
	case first == second && len(first) >= guessable && strings.ContainsAny(first, "0123456789"):
		r.Note("two exports of the same result have the same ref_id")
		return nil
	case first == second:
		return shown.Violation("two references have the ref_id %q, want one of its own for each", first)
	case counted(first, second):
		return shown.Violation("the ref_id %s follows %s, want ids that nobody can guess", second, first)
	}
	return nil
}

// counted reports whether two ids are numbers in a row, but for what both have in common.
func counted(first, second string) bool {
	digits := regexp.MustCompile(`\d+`)
	if digits.ReplaceAllString(first, "") != digits.ReplaceAllString(second, "") {
		return false
	}
	a, b := digits.FindAllString(first, -1), digits.FindAllString(second, -1)
	if len(a) != len(b) {
		return false
	}
	differ, near := 0, false
	for i := range a {
		if a[i] != b[i] {
			m, _ := strconv.ParseUint(a[i], 10, 64)
			n, _ := strconv.ParseUint(b[i], 10, 64)
			const further = 1000
			differ, near = differ+1, n > m && n-m < further
		}
	}
	return differ == 1 && near
}

// notInline only looks at data that is large enough to tell.
func notInline(r *reference) error {
	const large = 10_000
	size, ok := probe.NumberOf(r.fields["size_bytes"])
	r.NotSeenIf(!ok || size < large, fmt.Sprintf("the exported data has fewer than %d bytes, as far as the reference says", large))
	result, _ := r.reply.Result()
	if whole := len(probe.JSON(result)); float64(whole) > size/2 {
		return r.reply.Violation("the answer with the reference has %d bytes, and the data %.0f, want the reference alone", whole, size)
	}
	return nil
}

func originSelf(r *reference) error {
	origin := probe.TextOf(r.fields["origin_server"])
	r.NotSeenIf(origin == "", "the reference has no origin_server, which ext-data-references/reference-required judges")
	info, own := r.Survey().ServerInfo, probe.ObjectOf(proposal.Manifest(r.Client)["server"])
	var known []string
	for _, name := range []any{info["name"], info["title"], own["name"]} {
		if text := probe.TextOf(name); text != "" {
			known = append(known, text)
		}
	}
	r.NotSeenIf(info["name"] == nil && own["name"] == nil, "the server does not say its name")
	if slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, origin) }) {
		return nil
	}
	return r.reply.Violation("%s.origin_server is %q, want the name of the server, %q", r.place, origin, known[0])
}

// sum is the checksum of data by an algorithm of the proposal.
func sum(algorithm any, data []byte) string {
	switch algorithm {
	case "sha256":
		whole := sha256.Sum256(data)
		return hex.EncodeToString(whole[:])
	case "md5":
		whole := md5.Sum(data) //nolint:gosec // see above
		return hex.EncodeToString(whole[:])
	}
	return ""
}
