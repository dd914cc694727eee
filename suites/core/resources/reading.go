package resources

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// readingCases read what is listed, up to limits.reads. The watchers judge the contents.
func readingCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "resources/listed-readable",
			Title:  "listed resources can be read",
			Checks: []requirements.ID{"resources-listed-are-readable", "jsonrpc-single-response"},
			Needs:  declared(),
			Fix:    "list the URIs that resources/read knows, in the same spelling, and take what is gone off the list",
			Run:    listedReadable,
		},
		{
			ID:     "resources/size-accurate",
			Title:  "the size of a listed resource is the number of its bytes",
			Checks: []requirements.ID{"resources-size-accurate"},
			Needs:  declared(),
			Fix:    "state the number of bytes before they are encoded in base64, or leave size out",
			Run:    sizeAccurate,
		},
		{
			ID:     "resources/binary-as-blob",
			Title:  "a resource that is not text is read as a blob",
			Checks: []requirements.ID{"resources-text-only-for-text"},
			Needs:  []suite.Need{suite.Either(suite.Role(roles.Resource, "binary"), suite.Capability("resources"))},
			Fix:    "write binary data in base64 as blob instead of text",
			Run:    binaryAsBlob,
		},
	}
}

// A reading is what a listed resource was answered with.
type reading struct {
	item  probe.Item
	uri   string
	reply *probe.Reply
}

// readings reads the listed resources once for the connection.
func readings(c *probe.Client) []reading {
	all := probe.Once(c, "resources:readings", func() ([]reading, bool) {
		var all []reading
		for _, item := range probe.List(c, protocol.Resources()).ByKey() {
			if len(all) == c.Waits().Reads {
				break
			}
			if uri, ok := uriOf(item); ok {
				all = append(all, reading{item, uri, readAt(c, uri)})
			}
			if len(all) > 0 && all[len(all)-1].reply.Died() {
				break
			}
			if len(all) == 3 && !slices.ContainsFunc(all, func(r reading) bool { return !r.reply.Silent() }) {
				break // the server answers none
			}
		}
		return all, true
	})
	if len(all) == c.Waits().Reads {
		c.Note(fmt.Sprintf("%d of the listed resources were read, as many as limits.reads allows", len(all)))
	}
	return all
}

// unreadable is the verdict on a listed resource that cannot be read. A process that ends breaks
// a rule of its own.
func (r reading) unreadable() error {
	broken := requirements.ID("resources-listed-are-readable")
	if r.reply.Died() {
		broken = "jsonrpc-single-response"
	}
	return probe.Shown(r.item.Page, r.reply).Violation("%s; %s is listed, want its contents",
		r.reply.AnswerTo(read), probe.Show(r.uri)).Unless(r.reply.NotObject()).Under(broken)
}

// An error from inside the server, or for lack of a right, does not say that the list is
// wrong. What left the list meanwhile need not be there any more.
func listedReadable(c *probe.Client) error {
	all := readings(c)
	if n := len(all); n > 0 && all[n-1].reply.Died() {
		return all[n-1].unreadable()
	}
	expanded := expansions(c)
	linked(c)
	c.NotSeenIf(len(all)+expanded == 0, "the server lists no resources, and no templates that it completes")
	failed := 0
	for _, r := range all {
		if r.reply.Served() {
			describe(c, r)
			continue
		}
		if !disowned(r.reply) {
			failed++
			continue
		}
		anew := probe.ListAnew(c, protocol.Resources())
		if _, still := anew.Find(r.uri); still {
			return r.unreadable()
		}
	}
	if failed > 0 && failed == len(all) {
		c.Undecide("no listed resource could be read: " + all[0].reply.AnswerTo(read))
	}
	if failed > 0 {
		c.Note(fmt.Sprintf("%d of %d listed resources could not be read", failed, len(all)))
	}
	return nil
}

// disowned reports whether an answer says that there is no such resource, or is none.
func disowned(r *probe.Reply) bool {
	switch code, _ := r.Code(); code {
	case protocol.FormerNotFound, protocol.InvalidParams, protocol.MethodNotFound, protocol.InvalidRequest:
		return true
	}
	return !r.Refused()
}

// describe notes what no rule forbids and clients may stumble over.
func describe(c *probe.Client, r reading) {
	contents := contentsOf(r.reply)
	for _, one := range contents {
		content := probe.ObjectOf(one)
		_, text := content["text"]
		_, blob := content["blob"]
		if text && blob {
			c.Note(fmt.Sprintf("what is read at %s has text and blob at once, and clients may take either", probe.Show(r.uri)))
		}
	}
	listed, _ := r.item.Get("mimeType").(string)
	if len(contents) != 1 || listed == "" {
		return
	}
	if said, ok := probe.ObjectOf(contents[0])["mimeType"].(string); ok && said != listed {
		c.Note(fmt.Sprintf("%s is listed as %s and read as %s", probe.Show(r.uri), listed, said))
	}
}

// expansions reads what the templates give for the values that the server suggests, for
// watchers to judge. A value may be the beginning of one, so an error is only told.
func expansions(c *probe.Client) (read int) {
	if !c.Survey().Declares("completions") {
		return 0
	}
	for _, item := range probe.List(c, protocol.Templates()).ByKey() {
		if read == c.Waits().Reads {
			break
		}
		text, _ := item.Get("uriTemplate").(string)
		uri, ok := expanded(c, text)
		if !ok {
			continue
		}
		read++
		reply := readAt(c, uri)
		if !reply.Succeeded() {
			c.Note(fmt.Sprintf("%s, made of %s with values that the server suggests, cannot be read: %s",
				probe.Show(uri), probe.Show(text), reply.Outcome()))
		}
		if reply.Silent() {
			break
		}
	}
	return read
}

// linked reads what tools link to and embed, for watchers to judge. No rule says that a link
// can be followed over the same server, so a link that cannot is only told.
func linked(c *probe.Client) {
	for _, field := range []string{"resource-link", "resource"} {
		if c.Role(roles.Content).Fields().At(field).Text("tool") == "" {
			continue
		}
		content, _ := c.CallTool(c.Role(roles.Content).Field(field), nil).At("/result/content")
		for _, block := range probe.ArrayOf(content) {
			b := probe.ObjectOf(block)
			uri, link := b["uri"].(string)
			if !link {
				uri = probe.TextOf(probe.ObjectOf(b["resource"])["uri"])
			}
			if uri == "" {
				continue
			}
			if reply := readAt(c, uri); link && !reply.Succeeded() {
				c.Note(fmt.Sprintf("%s, which a tool links to, cannot be read: %s", probe.Show(uri), reply.Outcome()))
			}
		}
	}
}

// expanded fills the variables of a template with the first value suggested for each.
func expanded(c *probe.Client, text string) (string, bool) {
	template, err := uritemplate.New(text)
	if err != nil {
		return "", false
	}
	values := uritemplate.Values{}
	for _, name := range template.Varnames() {
		reply := c.Call("completion/complete", probe.Object{
			"ref":      probe.Object{"type": "ref/resource", "uri": text},
			"argument": probe.Object{"name": name, "value": ""},
		})
		c.UndecideIf(reply.Died(), "the variable "+probe.Show(name)+" of "+probe.Show(text)+" was to be completed first: "+reply.Outcome())
		first, _ := reply.At("/result/completion/values/0")
		value, ok := first.(string)
		if !ok {
			return "", false
		}
		values.Set(name, uritemplate.String(value))
	}
	uri, err := template.Expand(values)
	return uri, err == nil && len(values) > 0
}

// sizeAccurate passes over text: a server may have another encoding of it in mind. No
// encoding has a negative number of bytes, or a part of one.
func sizeAccurate(c *probe.Client) error {
	c.Must(probe.List(c, protocol.Resources()).Judge(countable))
	stated := 0
	for _, r := range readings(c) {
		size, measured, ok := r.sizes()
		if !ok {
			continue
		}
		stated++
		if size == measured {
			continue
		}
		if again, ok := anew(c, r); ok && again {
			return probe.Shown(r.item.Page, r.reply).Violation("%s is %v and the blob of %s has %v bytes, want the number of bytes",
				r.item.Where("size"), size, probe.Show(r.uri), measured)
		}
	}
	c.NotSeenIf(stated == 0, "no resource that is read as one blob states its size")
	return nil
}

func countable(i probe.Item) probe.Opinion {
	size, given := probe.NumberOf(i.Get("size"))
	switch {
	case !given:
		return probe.Nothing()
	case size < 0, size != math.Trunc(size):
		return probe.Breaks("%s is %v, want the number of bytes, or no size where that is not known", i.Where("size"), size)
	}
	return probe.Kept()
}

// sizes are the stated size of a resource and the size of its blob; false where it does
// not have both.
func (r reading) sizes() (stated, measured float64, ok bool) {
	size, given := probe.NumberOf(r.item.Get("size"))
	contents := contentsOf(r.reply)
	if !given || len(contents) != 1 {
		return 0, 0, false
	}
	blob, held := probe.ObjectOf(contents[0])["blob"].(string)
	data, decoded := shapes.Bytes(blob)
	return size, float64(len(data)), held && decoded
}

// anew reports whether a resource still has another size than the list says: it may have
// changed after it was listed.
func anew(c *probe.Client, r reading) (differs, ok bool) {
	item, listed := probe.ListAnew(c, protocol.Resources()).Find(r.uri)
	if !listed {
		return false, false
	}
	stated, measured, ok := reading{item, r.uri, readAt(c, r.uri)}.sizes()
	return stated != measured, ok
}

// binaryAsBlob reads the resource of the role. Without one it looks at the listed resources: one
// whose type is that of a picture, a sound or a film has base64 as its text only if its bytes
// were put there.
func binaryAsBlob(c *probe.Client) error {
	uri := c.Role(roles.Resource).Fields().At("binary").Text("uri")
	if uri == "" {
		return listedAsBlobs(c)
	}
	reply := readAt(c, uri)
	c.Require(reply.WantResult(), "the resource of roles.resource.binary could not be read")
	for i, one := range contentsOf(reply) {
		if textAlone(one) != "" {
			return asText(reply, i)
		}
	}
	return nil
}

func listedAsBlobs(c *probe.Client) error {
	media := regexp.MustCompile(`^(image/(png|jpeg|gif|webp)|audio/|video/)`)
	encoded := regexp.MustCompile(`^[A-Za-z0-9+/\r\n]{24,}={0,2}\s*$`)
	seen := false
	for _, r := range readings(c) {
		listed, _ := r.item.Get("mimeType").(string)
		for i, one := range contentsOf(r.reply) {
			said, _ := probe.ObjectOf(one)["mimeType"].(string)
			if !media.MatchString(cmp.Or(said, listed)) {
				continue
			}
			if seen = true; encoded.MatchString(textAlone(one)) {
				return asText(r.reply, i)
			}
		}
	}
	c.NotSeenIf(!seen, "a picture, a sound or a film among the listed resources")
	return nil
}

// textAlone is the text of contents without a blob.
func textAlone(contents any) string {
	content := probe.ObjectOf(contents)
	text, _ := content["text"].(string)
	if _, blob := content["blob"]; blob {
		return ""
	}
	return text
}

func asText(reply *probe.Reply, at int) error {
	return reply.Violation("$.result.contents[%d] has text and no blob, want the bytes in base64 as blob", at)
}
