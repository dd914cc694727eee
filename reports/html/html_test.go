package html_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"flag"
	stdhtml "html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/html"
	"github.com/mcp-conform/mcp-conform/reports/internal/golden"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func written(t testing.TB, r reports.Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := html.Write(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Long texts that are the same on every page and need not be read here.
var (
	policy = regexp.MustCompile(`sha256-.*?&#39;`)
	ours   = regexp.MustCompile(`(?s)<(style|script)>.*?</(?:style|script)>|<svg class="sprite".*?\n</svg>`)
	blank  = regexp.MustCompile(`\n\s*\n+`)
)

func TestGolden(t *testing.T) {
	for _, s := range samples.All() {
		if s.Name != "partial" && s.Name != "unjudged" {
			continue
		}
		page := ours.ReplaceAllString(policy.ReplaceAllString(written(t, s.Report), "sha256-...&#39;"), "<$1/>")
		golden.Compare(t, s.Name+".html", []byte(blank.ReplaceAllString(page, "\n")), *update)
	}
}

func TestSameReportSameBytes(t *testing.T) {
	one, two := written(t, samples.EveryStatus()), written(t, samples.EveryStatus())
	if one != two {
		t.Error("two writings differ")
	}
}

// The policy names the style and the script by their hashes, and nothing else may run or
// be fetched.
func TestPolicy(t *testing.T) {
	for _, s := range samples.All() {
		page := written(t, s.Report)
		found := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
		if found == nil {
			t.Fatalf("%s: the page has no policy", s.Name)
		}
		policy := stdhtml.UnescapeString(found[1])
		for _, name := range []string{"style", "script"} {
			var all []string
			for _, m := range regexp.MustCompile(`(?s)<`+name+`[ >].*?</`+name+`>`).FindAllString(page, -1) {
				all = append(all, strings.TrimSuffix(strings.TrimPrefix(m, "<"+name+">"), "</"+name+">"))
			}
			if len(all) != 1 {
				t.Fatalf("%s: %d %s elements, want ours alone", s.Name, len(all), name)
			}
			sum := sha256.Sum256([]byte(all[0]))
			if want := name + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"; !strings.Contains(policy, want) {
				t.Errorf("%s: the policy is %s, want %s in it", s.Name, policy, want)
			}
		}
		for _, never := range []string{"unsafe", "http:", "https:", "*"} {
			if strings.Contains(policy, never) {
				t.Errorf("%s: the policy allows %s", s.Name, never)
			}
		}
	}
}

// The texts of a server stand in the page as text: no element, no attribute that runs
// something, no link that is not the address of a page, and no invisible character.
func TestHostile(t *testing.T) {
	r := samples.Hostile()
	for i := range r.Findings {
		r.Findings[i].Link = "javascript:alert(1)"
	}
	page := written(t, r)
	body := ours.ReplaceAllString(page, "")
	if strings.Contains(strings.ToLower(body), "<script") {
		t.Error("a script of the server stands in the page")
	}
	for _, attribute := range regexp.MustCompile(`<[a-z0-9]+ [^>]*>`).FindAllString(body, -1) {
		if regexp.MustCompile(`(?i) (on[a-z]+|style)=`).MatchString(attribute) {
			t.Errorf("%s: an attribute that runs something", attribute)
		}
	}
	for _, href := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		if !regexp.MustCompile(`^(#|https://|data:image/svg)`).MatchString(href[1]) {
			t.Errorf("a link leads to %s", href[1])
		}
	}
	for _, c := range stdhtml.UnescapeString(body) {
		if c != '\n' && !unicode.IsPrint(c) {
			t.Fatalf("%U stands in the page", c)
		}
	}
}

// A text of two megabytes is cut, and the page says so.
func TestEnormous(t *testing.T) {
	const size = 2 << 20
	enormous := strings.Repeat("x", size)
	for name, raw := range map[string]string{
		"string": `{"jsonrpc":"2.0","id":1,"result":{"text":"` + enormous + `"}}`,
		"lines":  strings.Repeat("y\n", size/2),
		"nested": strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
		"deep":   "[" + strings.Repeat(strings.Repeat("[", 55)+strings.Repeat("]", 55)+",", 1000) + "1]",
	} {
		r := samples.EveryStatus()
		f := &r.Findings[2]
		f.Problem, f.Rule, f.Title, f.Fix = enormous, enormous, enormous, enormous
		f.Frames[1].Text = raw
		page := written(t, r)
		if len(page) > 1<<20 {
			t.Errorf("%s: the page has %d bytes", name, len(page))
		}
		if !strings.Contains(page, "left out") {
			t.Errorf("%s: the page does not say that something is left out", name)
		}
	}
}

// Every finding stands on the page once, with all its columns.
func TestComplete(t *testing.T) {
	for _, s := range append(samples.All(), samples.Sample{Name: "huge", Report: samples.Huge()}) {
		page := written(t, s.Report)
		items := regexp.MustCompile(`class="item[^"]*" id="([^"]*)" data-status="([a-z]+)"[^>]* data-columns="([0-9 ]*)"`).FindAllStringSubmatch(page, -1)
		got := map[string]int{}
		var ids []string
		for _, m := range items {
			got[m[2]] += len(strings.Fields(m[3]))
			ids = append(ids, m[1])
		}
		tally := reports.Tally(s.Report.Findings)
		for _, status := range reports.Statuses() {
			n := got[string(status)]
			if status == reports.Skip {
				n += got["inapplicable"] + got["known"]
				if open := tally.Open(); got[string(status)] != open {
					t.Errorf("%s: %d findings are not judged, want %d", s.Name, got[string(status)], open)
				}
			}
			if n != tally.Of(status) {
				t.Errorf("%s: %d findings with %s, want %d", s.Name, n, status, tally.Of(status))
			}
		}
		slices.Sort(ids)
		if n := len(slices.Compact(slices.Clone(ids))); n != len(ids) {
			t.Errorf("%s: %d ids for %d findings", s.Name, n, len(ids))
		}
	}
}

// The page marks the value that a problem names in the frame that was received.
func TestMark(t *testing.T) {
	for problem, want := range map[string]string{
		`$.error.code is -32603, want -32602`:               `"code": -32603,`,
		`$.result.tools[1].name is "a b", want no blanks`:   `"name": "a b"`,
		`$.result["odd key"] is present, want none`:         `"odd key": true`,
		`$.result.tools[0] is an object, want a string`:     "{\n        \"name\": \"x\"\n      },",
		`$.result.nothing is absent, want a string`:         "",
		`the process ended, want the next request answered`: "",
	} {
		r := samples.Partial()
		r.Findings[0].Status, r.Findings[0].Problem = reports.Fail, problem
		r.Findings[0].Frames = []reports.Frame{
			{Dir: "sent", Text: `{"error":{"code":-32603}}`},
			{Dir: "received", Text: `{"result":{"tools":[{"name":"x"},{"name":"a b"}],"odd key":true},"error":{"code":-32603,"message":"m"}}`},
		}
		got := ""
		if m := regexp.MustCompile(`(?s)<mark>(.*?)</mark>`).FindStringSubmatch(written(t, r)); m != nil {
			got = strings.TrimSpace(stdhtml.UnescapeString(m[1]))
		}
		if got != want {
			t.Errorf("%s: %q is marked, want %q", problem, got, want)
		}
	}
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteError(t *testing.T) {
	if err := html.Write(full{}, samples.Pass()); !errors.Is(err, errFull) {
		t.Errorf("got %v, want the error of the writer", err)
	}
}

func BenchmarkWrite2000Findings(b *testing.B) {
	r := samples.Huge()
	for b.Loop() {
		b.SetBytes(int64(len(written(b, r))))
	}
}

// A megabyte in every text of a server does not make the page too large to open.
func TestLargeStaysSmall(t *testing.T) {
	if page := written(t, samples.Large()); len(page) > 300<<10 {
		t.Errorf("the page has %d bytes", len(page))
	}
}

// Every verdict and status that the page shows has its picture.
func TestPictures(t *testing.T) {
	t.Parallel()
	for _, status := range reports.VerdictStatuses() {
		report := samples.EveryStatus()
		report.Verdict.Status = status
		page := written(t, report)
		for _, used := range regexp.MustCompile(`<use href="#(i-[a-z]+)"`).FindAllStringSubmatch(page, -1) {
			if !strings.Contains(page, `<symbol id="`+used[1]+`"`) {
				t.Errorf("%s: there is no picture %s", status, used[1])
			}
		}
	}
}
