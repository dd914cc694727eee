package icons

import (
	"encoding/base64"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// shape leaves the theme to a case of its own, and the icons of a handshake to
// lifecycle/server-info-fields.
func shape(m probe.Message, at string) probe.Opinion {
	if strings.HasPrefix(at, opening) {
		return probe.Nothing()
	}
	icons, ok := m.Value(at).([]any)
	if !ok {
		return probe.Breaks("%s is %s, want an array of icons", m.Where(at), probe.Show(m.Value(at)))
	}
	for i, each := range icons {
		at := at + "/" + strconv.Itoa(i)
		icon, ok := each.(map[string]any)
		if !ok {
			return probe.Breaks("%s is %s, want an object", m.Where(at), probe.Show(each))
		}
		if _, ok := icon["src"]; !ok {
			return probe.Breaks("%s is missing, want a string", m.Where(at+"/src"))
		}
		for _, name := range []string{"src", "mimeType"} {
			if v, ok := icon[name]; ok && !isString(v) {
				return probe.Breaks("%s is %s, want a string", m.Where(at+"/"+name), probe.Show(v))
			}
		}
		if v, ok := icon["sizes"]; ok && !areStrings(v) {
			return probe.Breaks("%s is %s, want an array of strings", m.Where(at+"/sizes"), probe.Show(v))
		}
	}
	return probe.Kept()
}

func isString(v any) bool { _, ok := v.(string); return ok }

func areStrings(v any) bool {
	all, ok := v.([]any)
	return ok && len(probe.Strings(v)) == len(all)
}

var schemeForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)

// scheme is the scheme of a URI in small letters; empty where there is none.
func scheme(src any) string {
	text, _ := src.(string)
	before, _, found := strings.Cut(text, ":")
	if !found || !schemeForm.MatchString(before) {
		return ""
	}
	return strings.ToLower(before)
}

func https(src any) bool { return scheme(src) == "https" }

func knownScheme(src any) bool {
	return slices.Contains([]string{"https", "http", "data"}, scheme(src))
}

// A server that runs on the user's own machine has no certificate.
func onTheWeb(src any) bool {
	text, _ := src.(string)
	return https(src) || scheme(src) == "http" && !loopback(text)
}

func loopback(src string) bool {
	u, err := url.Parse(src)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// Many write the padding or not, and either alphabet; a client that decodes base64
// reads all of them.
func dataURI(m probe.Message, at string) probe.Opinion {
	if scheme(m.Value(at+"/src")) != "data" {
		return probe.Nothing()
	}
	src, _ := m.Value(at + "/src").(string)
	kind, data, found := strings.Cut(src[len("data:"):], ",")
	switch {
	case !found:
		return probe.Breaks("%s is %s, want a comma before the data", m.Where(at+"/src"), probe.Show(src))
	case !strings.HasSuffix(strings.ToLower(kind), ";base64"):
		return probe.Breaks("%s begins with data:%s, want ;base64 and the picture in base64", m.Where(at+"/src"), kind)
	}
	data, err := url.PathUnescape(data)
	data = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(data, "="))
	if _, undecoded := base64.RawStdEncoding.DecodeString(data); err != nil || undecoded != nil || data == "" {
		return probe.Breaks("%s is %s, whose data is no base64, want the picture in base64", m.Where(at+"/src"), probe.Show(src))
	}
	return probe.Kept()
}

var sizeForm = regexp.MustCompile(`^([0-9]+[xX][0-9]+|any)$`)

func sizes(m probe.Message, at string) probe.Opinion {
	said := probe.Nothing()
	for _, size := range probe.Strings(m.Value(at + "/sizes")) {
		said = said.And(probe.Kept())
		if !sizeForm.MatchString(size) {
			said = said.And(probe.Breaks("%s has %s, want a size like 48x48, or any", m.Where(at+"/sizes"), probe.Show(size)))
		}
	}
	return said
}
