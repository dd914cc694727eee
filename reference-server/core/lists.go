package core

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"sort"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// list answers one of the four lists. mcp-go gives the whole list, ordered by name;
// list cuts the pages itself, since mcp-go's cursors are any text in base64 and lose
// items with equal names.
func list(t *Turn) (fault.Message, *Error) {
	whole, failure := t.wholeList(t.in.Method)
	if failure != nil {
		return nil, failure
	}
	items, f := whole.items, t.core.Fault
	if f != nil && f.List != nil {
		items = f.List(t.x, copies(items))
	}
	start, failure := pageStart(t, items)
	if failure != nil {
		return nil, failure
	}
	end := min(start+t.core.pageOf(t.in.Method), len(items))
	page := items[start:end]
	if t.core.faultEditsMessages() {
		page = copies(page)
	}
	result := whole.result.Copy()
	if end < len(items) {
		result["nextCursor"] = seal(t.in.Method, key(items[end-1]))
	}
	result[listMember(t.in.Method)] = page
	return result, nil
}

// pageOf is the number of items on a page of a list. Longer lists have longer pages: all come in
// about as many.
func (c *Core) pageOf(method string) int {
	switch method {
	case "tools/list":
		return 5 * c.PageSize
	case "resources/list", "prompts/list":
		return c.PageSize + (c.PageSize+1)/3
	}
	return c.PageSize
}

func listMember(method string) string {
	switch method {
	case "resources/templates/list":
		return "resourceTemplates"
	default:
		return strings.TrimSuffix(method, "/list")
	}
}

// pageStart finds the first item of the page that the cursor names: the item after the one
// in the cursor, even if that item no longer exists.
func pageStart(t *Turn, items []fault.Message) (int, *Error) {
	raw, given := t.in.Param["cursor"]
	if !given {
		return 0, nil
	}
	cursor, _ := text(raw)
	last, ok := unseal(t.in.Method, cursor)
	switch {
	case !ok && t.core.Fault.Skips(fault.CheckCursor):
		return 0, nil
	case !ok:
		return 0, badParams("the cursor was not issued for this list")
	}
	return sort.Search(len(items), func(i int) bool { return key(items[i]) > last }), nil
}

func key(item fault.Message) string {
	name, _ := item["name"].(string)
	return name
}

// seal makes the cursor for the page after an item. The cursor has to outlive the
// process, because modern clients may turn pages on another connection; so the seal is
// no secret and only catches guesses and slips.
func seal(list, last string) string {
	return base64.RawURLEncoding.EncodeToString(append(tag(list, last), last...))
}

func unseal(list, cursor string) (last string, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) < tagSize {
		return "", false
	}
	last = string(raw[tagSize:])
	return last, hmac.Equal(raw[:tagSize], tag(list, last))
}

// SealCursor and OpenCursor serve lists that are not in the registry.
func SealCursor(list, last string) string                   { return seal(list, last) }
func OpenCursor(list, cursor string) (last string, ok bool) { return unseal(list, cursor) }

const tagSize = 16

func tag(list, last string) []byte {
	mac := hmac.New(sha256.New, []byte("harbour office, list of"))
	mac.Write([]byte(list + "\x00" + last))
	return mac.Sum(nil)[:tagSize]
}

// absolute says whether the text is a URI with a scheme.
func absolute(uri string) bool {
	if strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return false
	}
	parsed, err := url.Parse(uri)
	return err == nil && parsed.IsAbs()
}
