package datareferences

import (
	"maps"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func addresses() []suite.Case {
	const tamper = "ext-dataref-tamper-refused"
	const sign = "sign the id and the end of the reference together, and check the signature before anything else"
	return []suite.Case{
		exporting("fetched", "a live address delivers the data", "ext-dataref-fetch",
			"serve the data at access_url to whoever has the address, without credentials, until it ends", fetched),
		exporting("size-delivered", "the data has as many bytes as the reference says", "ext-dataref-size",
			"count the bytes that are served, not those of a JSON string", sizeDelivered),
		exporting("checksum-matches", "the checksum of the reference is that of the data", "ext-dataref-checksum",
			"compute the checksum over the bytes that are served", checksumMatches),
		exporting("altered-url-refused", "an address with a changed signature or id, or without its signature, delivers nothing",
			tamper, sign, alteredURL),
		exporting("raised-expiry-refused", "an address whose end was raised delivers nothing", tamper, sign, raisedExpiry),
		bench.In(suite.Waits, bench.Case("ext-data-references/expired-refused", "an address delivers nothing beyond expires_at",
			"ext-dataref-expired-refused", "compare the end with the clock when the data is asked for", expiredRefused,
			suite.Role(roles.DataReference, "export-short"))),
	}
}

// visit asks an address as another server would.
func (r *reference) visit(at string) probe.Document {
	return r.Visit(probe.Visit{At: at, Header: http.Header{"Accept": {"*/*"}}})
}

// address is access_url where it can be asked; the case ends otherwise.
func (r *reference) address() string {
	at := probe.TextOf(r.value("access_url"))
	parsed, err := url.Parse(at)
	r.NotSeenIf(err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "",
		"access_url is not an address that can be asked, which ext-data-references/url-absolute judges")
	return at
}

// data is what the address delivers; the case ends where it does not, which fetched judges.
func (r *reference) data() (at string, got probe.Document) {
	at, got, there := r.look()
	r.UndecideIf(!there, undelivered)
	return at, got
}

const undelivered = "access_url does not deliver the data, which ext-data-references/fetched judges"

// look asks the address, and reports whether it delivers the data.
func (r *reference) look() (at string, got probe.Document, there bool) {
	at = r.address()
	got = r.visit(at)
	there = got.Status == http.StatusOK && !r.isPage(got)
	r.UndecideIf(there && !got.Whole, "the data is larger than the kit reads")
	return at, got, there
}

// isPage reports whether an HTML page came in place of other data.
func (r *reference) isPage(got probe.Document) bool {
	kind, _, _ := mime.ParseMediaType(got.Header.Get("Content-Type"))
	return kind == "text/html" && !strings.HasPrefix(probe.TextOf(r.fields["mime_type"]), kind)
}

func fetched(r *reference) error {
	got := r.visit(r.address())
	shown := probe.Shown(r.reply, got)
	declared, _, _ := mime.ParseMediaType(probe.TextOf(r.fields["mime_type"]))
	kind, _, _ := mime.ParseMediaType(got.Header.Get("Content-Type"))
	switch {
	case got.Status == 0:
		return shown.Violation("access_url of a live reference is not answered, want the data")
	case got.Status != http.StatusOK:
		return shown.Violation("access_url of a live reference is answered with status %d, want 200 and the data", got.Status)
	case r.isPage(got):
		return shown.Violation("access_url of a live reference is answered with an HTML page, want data of the type %s", declared)
	case declared != "" && kind != "" && !strings.EqualFold(kind, declared):
		return shown.Violation("the Content-Type of the data is %q, want %q as in the reference", kind, declared).AtMostWarn()
	}
	return nil
}

func sizeDelivered(r *reference) error {
	size, ok := probe.NumberOf(r.value("size_bytes"))
	r.NotSeenIf(!ok || size < 0, "size_bytes is not a size, which ext-data-references/size-declared judges")
	_, got := r.data()
	if float64(len(got.Body)) != size {
		return probe.Shown(r.reply, got).Violation("%s.size_bytes is %.0f, and %d bytes are delivered, want the same", r.place, size,
			len(got.Body))
	}
	return nil
}

func checksumMatches(r *reference) error {
	checksum := probe.ObjectOf(r.value("checksum"))
	value, want := probe.TextOf(checksum["value"]), sum(checksum["algorithm"], nil)
	r.NotSeenIf(len(value) != len(want) || want == "" || regexp.MustCompile(`[^0-9A-Fa-f]`).MatchString(value),
		"checksum cannot be compared, which ext-data-references/checksum-shape judges")
	_, got := r.data()
	if is := sum(checksum["algorithm"], got.Body); !strings.EqualFold(is, value) {
		return probe.Shown(r.reply, got).Violation("%s.checksum.value is %s, and that of the delivered data is %s, want the same", r.place, value,
			is)
	}
	return nil
}

// delivers reports whether an altered address still gives the data away.
func delivers(got, whole probe.Document) bool {
	return got.Status < http.StatusBadRequest && got.Status >= http.StatusOK && len(whole.Body) > 0 && string(got.Body) == string(whole.Body)
}

// expiry reports whether a parameter of an address holds its end.
func expiry(name string) bool {
	return regexp.MustCompile(`^(exp|se|until|valid_until)$|(^|[-_])expir(y|ation|es)|^exp(ires)?[-_]?(at|on|in|ts)$`).
		MatchString(strings.ToLower(name))
}

// signs reports whether a parameter looks like a signature: by its name, or by a long value
// without words. Others may change what comes, such as the name of a file, and need not be
// signed.
func signs(name, value string) bool {
	if namedSignature(name) || strings.Contains(strings.ToLower(name), "token") || strings.Contains(strings.ToLower(name), "credential") {
		return true
	}
	const long = 24
	return len(value) >= long && strings.ContainsAny(value, "0123456789") && !strings.ContainsAny(value, " ./")
}

// namedSignature reports whether a parameter is a signature by its name. Others that look like
// one may be missing, such as the version of a file: then the newest comes. So may what only
// tells how the address is signed, such as sig_alg.
func namedSignature(name string) bool {
	return regexp.MustCompile(`(^|[-_])(sign?|hmac)([-_]?(v|sha)?[0-9]+)?$|signature$`).MatchString(strings.ToLower(name))
}

// alteredURL changes a character of each signature, and of the last step of the path. It also
// empties signatures, and leaves them out.
func alteredURL(r *reference) error {
	at, whole := r.data()
	parsed, err := url.Parse(at)
	r.Require(err, "access_url cannot be parsed")
	query, signed := parsed.Query(), false
	var tries []url.URL
	for name, values := range query {
		if expiry(name) || !signs(name, values[0]) {
			continue
		}
		signed = true
		other := parsed.Query()
		other.Set(name, altered(values[0]))
		tries = append(tries, withQuery(*parsed, other))
		if namedSignature(name) {
			without := parsed.Query()
			without.Set(name, "")
			tries = append(tries, withQuery(*parsed, without))
			without.Del(name)
			tries = append(tries, withQuery(*parsed, without))
		}
	}
	r.NotSeenIf(!signed, "access_url has no parameter that looks like a signature")
	if step := strings.LastIndexByte(parsed.Path, '/') + 1; step < len(parsed.Path) {
		tried := *parsed
		tried.Path, tried.RawPath = parsed.Path[:step]+altered(parsed.Path[step:]), ""
		tries = append(tries, tried)
	}
	for _, tried := range tries {
		if got := r.visit(tried.String()); delivers(got, whole) {
			return probe.Shown(r.reply, got).Violation("the address with %s delivers the data, want status 403 or 404", change(parsed, &tried))
		}
	}
	return r.otherID(parsed, whole)
}

func withQuery(at url.URL, query url.Values) url.URL {
	at.RawQuery = query.Encode()
	return at
}

// change says in words what was done to an address.
func change(was, is *url.URL) string {
	now := is.Query()
	for _, name := range slices.Sorted(maps.Keys(was.Query())) {
		switch {
		case !now.Has(name):
			return "no " + name
		case now.Get(name) == "":
			return "an empty " + name
		}
	}
	return "a changed character"
}

// otherID puts the id of another live reference into the address: that tells a signature
// that leaves the id out from an id that nobody knows. No other reference is no breach.
func (r *reference) otherID(at *url.URL, whole probe.Document) error {
	own, tried := probe.TextOf(r.fields["ref_id"]), ""
	var other *reference
	const tick = 1100 * time.Millisecond // many ends are whole seconds
	_ = r.Try(func() {
		for range 2 {
			other = export(r.Client, "export")
			address, found := withID(*at, own, probe.TextOf(other.fields["ref_id"]))
			switch handedOut, err := url.Parse(probe.TextOf(other.fields["access_url"])); {
			case !found || err != nil:
				return
			case !sameAddress(handedOut, address):
				tried = address.String()
				return
			}
			proposal.Pause(r.Client, tick) // both end at once, so that another end is needed
		}
	})
	if tried == "" {
		return nil
	}
	if got := r.visit(tried); delivers(got, whole) {
		return probe.Shown(r.reply, other.reply, got).Violation(
			"the address with the id of another reference delivers the data, want status 403 or 404")
	}
	return nil
}

// withID is an address with another id, where its own is a step of the path, without the
// ending, or a value of the query.
func withID(at url.URL, own, other string) (address *url.URL, found bool) {
	if own == "" || other == "" || own == other {
		return nil, false
	}
	steps := strings.Split(at.Path, "/")
	for i, step := range steps {
		if step == own || strings.HasPrefix(step, own+".") {
			steps[i], found = other+step[len(own):], true
		}
	}
	query := at.Query()
	for name, values := range query {
		if values[0] == own {
			query.Set(name, other)
			found = true
		}
	}
	at.Path, at.RawPath, at.RawQuery = strings.Join(steps, "/"), "", query.Encode()
	return &at, found
}

func sameAddress(one, other *url.URL) bool {
	return one.Host == other.Host && one.Path == other.Path && one.Query().Encode() == other.Query().Encode()
}

// altered changes one character in the middle: a letter to a digit and a digit to a letter
// of hexadecimal numbers.
func altered(text string) string {
	i := len(text) / 2
	other := byte('a')
	if c := text[i]; c < '0' || c > '9' {
		other = '7'
	}
	return text[:i] + string(other) + text[i+1:]
}

func raisedExpiry(r *reference) error {
	at, whole := r.data()
	parsed, err := url.Parse(at)
	r.Require(err, "access_url cannot be parsed")
	query, raised := parsed.Query(), false
	for name, values := range query {
		if n, err := strconv.ParseInt(values[0], 10, 64); err == nil && expiry(name) {
			const later = 3600
			query.Set(name, strconv.FormatInt(n+later, 10))
			raised = true
		}
	}
	r.NotSeenIf(!raised, "access_url has no parameter with a number for its end")
	parsed.RawQuery = query.Encode()
	if got := r.visit(parsed.String()); delivers(got, whole) {
		return probe.Shown(r.reply, got).Violation("the address with a later end delivers the data, want status 403 or 404")
	}
	return nil
}

// mostLooks is how many short references are looked at: on a busy machine the life of some
// may be over before the first look.
const mostLooks = 8

// over reports whether a reference has ended, by a clock that may show whole seconds.
func (r *reference) over() bool {
	end, dated := proposal.Moment(r.fields["expires_at"])
	left := end.Sub(proposal.Clock(r.reply, r.asked))
	return dated && r.Now().Sub(r.asked)+time.Second > left
}

func expiredRefused(c *probe.Client) error {
	r := export(c, "export-short")
	at, whole, there := r.look()
	for looks := 1; !there && looks < mostLooks && r.over(); looks++ {
		r = export(c, "export-short")
		at, whole, there = r.look()
	}
	r.UndecideIf(!there && r.over(), "the reference of roles.data-reference.export-short had ended before its data could be asked for")
	r.UndecideIf(!there, undelivered)
	end, dated := proposal.Moment(r.fields["expires_at"])
	r.NotSeenIf(!dated, "the reference has no end, which ext-data-references/expiry-ahead judges")
	const further = 2 * time.Second
	proposal.Pause(c, max(0, end.Sub(proposal.Clock(r.reply, r.asked)))+further)
	if got := r.visit(at); delivers(got, whole) {
		return probe.Shown(r.reply, got).Violation(
			"the address delivers the data after %s, the end of the reference, want status 403, 404 or 410",
			probe.TextOf(r.fields["expires_at"]))
	}
	return nil
}
