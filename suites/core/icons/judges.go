package icons

import (
	"encoding/base64"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// shape leaves the theme to a case of its own, and the icons of a handshake to
// lifecycle/server-info-fields.
func shape(m probe.Message, h holder) probe.Opinion {
	if h.opening {
		return probe.Nothing()
	}
	icons, ok := h.value.([]any)
	if !ok {
		return probe.Breaks("%s is %s, want an array of icons", m.Where(h.pointer), probe.Show(h.value))
	}
	for i, each := range icons {
		at := h.pointer + "/" + strconv.Itoa(i)
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

// eachIcon judges icons one by one; what is none is left to shape.
func eachIcon(judge func(m probe.Message, icon map[string]any, at string) probe.Opinion) func(probe.Message, holder) probe.Opinion {
	return func(m probe.Message, h holder) probe.Opinion {
		said := probe.Nothing()
		icons, _ := h.value.([]any)
		for i, each := range icons {
			if icon, ok := each.(map[string]any); ok {
				said = said.And(judge(m, icon, h.pointer+"/"+strconv.Itoa(i)))
			}
		}
		return said
	}
}

// source is the src of an icon and its scheme in small letters.
func source(icon map[string]any) (src, scheme string, ok bool) {
	src, ok = icon["src"].(string)
	scheme, _, found := strings.Cut(src, ":")
	if !found || !schemeForm.MatchString(scheme) {
		scheme = ""
	}
	return src, strings.ToLower(scheme), ok
}

var schemeForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)

func sourceScheme(m probe.Message, icon map[string]any, at string) probe.Opinion {
	src, scheme, ok := source(icon)
	switch {
	case !ok:
		return probe.Nothing()
	case scheme == "https", scheme == "http", scheme == "data":
		return probe.Kept()
	}
	return probe.Breaks("%s is %s, want an https, http or data URI", m.Where(at+"/src"), probe.Show(src))
}

// A server that runs on the user's own machine has no certificate.
func sourceHTTPS(m probe.Message, icon map[string]any, at string) probe.Opinion {
	src, scheme, _ := source(icon)
	switch {
	case scheme == "https":
		return probe.Kept()
	case scheme != "http" || loopback(src):
		return probe.Nothing()
	}
	return probe.Breaks("%s is %s, want an https URL", m.Where(at+"/src"), probe.Show(src))
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
func dataURI(m probe.Message, icon map[string]any, at string) probe.Opinion {
	src, scheme, _ := source(icon)
	if scheme != "data" {
		return probe.Nothing()
	}
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

func sizes(m probe.Message, icon map[string]any, at string) probe.Opinion {
	said := probe.Nothing()
	for _, size := range probe.Strings(icon["sizes"]) {
		said = said.And(probe.Kept())
		if !sizeForm.MatchString(size) {
			said = said.And(probe.Breaks("%s has %s, want a size like 48x48, or any", m.Where(at+"/sizes"), probe.Show(size)))
		}
	}
	return said
}

func theme(m probe.Message, icon map[string]any, at string) probe.Opinion {
	switch said, ok := icon["theme"]; {
	case !ok:
		return probe.Nothing()
	case said == "light", said == "dark":
		return probe.Kept()
	default:
		return probe.Breaks("%s is %s, want light or dark", m.Where(at+"/theme"), probe.Show(said))
	}
}
