package html_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	stdhtml "html"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/fleet"
	"github.com/mcp-conform/mcp-conform/reports/html"
	"github.com/mcp-conform/mcp-conform/reports/internal/browser"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
)

// manyServers is an index with a row for each sample, so many times over.
func manyServers(times int) fleet.Index {
	x := fleet.Index{
		Kit: reports.Kit{Name: "mcp-conform", Version: "1.0.0"}, File: "fleet.yaml", Seed: 1, Started: time.Date(2027, time.March, 1, 9, 30, 0, 0, time.UTC),
	}
	for i := range times {
		for _, s := range samples.All() {
			row := fleet.RowOf(fmt.Sprintf("%s-%d", s.Name, i), s.Report)
			row.Position, row.Folder, row.Page = len(x.Servers)+1, "servers/"+fmt.Sprintf("%s-%d", s.Name, i), true
			row.Counts.Warn += i
			x.Servers = append(x.Servers, row)
		}
	}
	lost := fleet.Lost("</td><script>alert(1)</script>\u202e", 2, "fleet.yaml:3:1: \x1b[31m<b>unknown</b> key\n   3 | x")
	lost.Position = len(x.Servers) + 1
	x.Servers = append(x.Servers, lost)
	x.Named = len(x.Servers)
	return x.Settled(false)
}

func fleetPage(t testing.TB, x fleet.Index) string {
	t.Helper()
	var out bytes.Buffer
	if err := html.WriteFleet(&out, x); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func savedFleet(t testing.TB, x fleet.Index) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "index.html")
	if err := os.WriteFile(file, []byte(fleetPage(t, x)), 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + file
}

// The page allows its own style and script only, links to reports alone, and shows the
// texts of servers as text.
func TestFleetPage(t *testing.T) {
	t.Parallel()
	page := fleetPage(t, manyServers(1))
	if page != fleetPage(t, manyServers(1)) {
		t.Error("two writings differ")
	}
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil || strings.Contains(policy[1], "unsafe") || strings.Contains(policy[1], "http") || !strings.Contains(policy[1], "default-src &#39;none&#39;") {
		t.Errorf("the policy is %s", policy)
	}
	body := ours.ReplaceAllString(page, "")
	if strings.Contains(body, "<script") {
		t.Error("a script of a server stands in the page")
	}
	for _, tag := range regexp.MustCompile(`<[a-z0-9]+ [^>]*>`).FindAllString(body, -1) {
		if regexp.MustCompile(`(?i) (on[a-z]+|style)=`).MatchString(tag) {
			t.Errorf("%s: an attribute that runs something", tag)
		}
	}
	for _, href := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		if !regexp.MustCompile(`^(#|servers/[a-z0-9_.-]+/report\.html$|data:image/svg)`).MatchString(href[1]) {
			t.Errorf("a link leads to %s", href[1])
		}
	}
	for _, c := range stdhtml.UnescapeString(body) {
		if c != '\n' && !unicode.IsPrint(c) {
			t.Fatalf("%U stands in the page", c)
		}
	}
	if !strings.Contains(page, `<a href="servers/pass-0/report.html">pass-0</a>`) || strings.Contains(body, `href="/report.html"`) {
		t.Error("a server with a report has no link to it, or one without has")
	}
}

func TestFleetInBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: no browser is started")
	}
	p := browser.Open(t)
	p.Size(1280, 900)
	for name, test := range map[string]func(*testing.T, *browser.Page){
		"filters": testFleetFilters, "order": testFleetOrder, "without script": testFleetWithoutScript, "print": testFleetPrint,
	} {
		t.Run(name, func(t *testing.T) {
			test(t, p)
			calm(t, p)
		})
	}
	p.Go("about:blank")
	p.Go(savedFleet(t, manyServers(1)))
	t.Run("narrow", func(t *testing.T) { testNarrow(t, p) })
	t.Run("accessible", func(t *testing.T) { testAccessible(t, p, true) })
}

func shownServers(p *browser.Page) []string {
	var names []string
	p.Run(`[...document.querySelectorAll(".fleet tbody tr")].filter(e => e.checkVisibility()).map(e => e.cells[0].firstChild.textContent)`, &names)
	return names
}

func testFleetFilters(t *testing.T, p *browser.Page) {
	x := manyServers(2)
	p.Go(savedFleet(t, x))
	want := func(what string, keep func(fleet.Row) bool) {
		t.Helper()
		n := 0
		for _, row := range x.Servers {
			if keep(row) {
				n++
			}
		}
		var found string
		p.Run(`document.querySelector("#found").textContent`, &found)
		told := fmt.Sprintf("%d of %d servers", n, len(x.Servers))
		if n == len(x.Servers) {
			told = fmt.Sprintf("%d servers", n)
		}
		if got := shownServers(p); len(got) != n || found != told {
			t.Errorf("%s: %d servers are shown and %q is said, want %d", what, len(got), found, n)
		}
	}
	all := func(fleet.Row) bool { return true }
	broken := x.Tolls()[0]
	breaks := func(row fleet.Row) bool {
		return slices.ContainsFunc(row.Broken, func(b fleet.Broken) bool { return b.Rule == broken.Rule })
	}
	want("at first", all)
	p.Run(`document.querySelector('.tabs [data-status="fail"]').click()`, nil)
	want("failed", func(r fleet.Row) bool { return r.Status == reports.Failed })
	p.Run(`document.querySelector("#clear").click()`, nil)
	want("cleared", all)
	p.Run(`new Promise(done => { document.querySelector('.rule[data-rule="0"] a').click(); setTimeout(done, 200) })`, nil)
	want("a rule of the top", breaks)
	var hash string
	p.Run(`location.hash`, &hash)
	if hash != "#?rule=0" {
		t.Errorf("the address ends with %s", hash)
	}
	p.Run(`document.querySelector("#clear").click()`, nil)
	p.Run(`new Promise(done => { const q = document.querySelector("#q"); q.value = "PASS-1"; q.dispatchEvent(new Event("input")); setTimeout(done, 300) })`, nil)
	want("searched", func(r fleet.Row) bool { return r.Name == "pass-1" })
	p.Run(`new Promise(done => { const q = document.querySelector("#q"); q.value = "no such"; q.dispatchEvent(new Event("input")); setTimeout(done, 300) })`, nil)
	want("nothing", func(fleet.Row) bool { return false })
	if visible(p, "#nothing") != 1 {
		t.Error("nothing is found, and nothing says so")
	}
}

func testFleetOrder(t *testing.T, p *browser.Page) {
	x := manyServers(2)
	p.Go("about:blank")
	p.Go(savedFleet(t, x))
	before := shownServers(p)
	press := func(head string) {
		p.Run(`[...document.querySelectorAll(".fleet thead button")].find(b => b.textContent === "`+head+`").click()`, nil)
	}
	press("Server")
	if got := shownServers(p); !slices.IsSorted(got) || len(got) != len(before) {
		t.Errorf("by name: %q", got)
	}
	press("Server")
	got := shownServers(p)
	slices.Reverse(got)
	if !slices.IsSorted(got) {
		t.Errorf("by name, downward: %q", got)
	}
	press("Warnings")
	var counts []int
	p.Run(`[...document.querySelectorAll(".fleet tbody tr")].map(e => Number(e.cells[5].textContent))`, &counts)
	slices.Reverse(counts)
	if !slices.IsSorted(counts) || counts[0] == counts[len(counts)-1] {
		t.Errorf("by warnings: %v, want the many first", counts)
	}
	var sorted []string
	p.Run(`[...document.querySelectorAll(".fleet [aria-sort]")].map(e => e.textContent + " " + e.getAttribute("aria-sort"))`, &sorted)
	if diff := cmp.Diff([]string{"Warnings descending"}, sorted); diff != "" {
		t.Error(diff)
	}
	press("Verdict")
	var verdicts []string
	p.Run(`[...document.querySelectorAll(".fleet tbody tr")].map(e => e.dataset.status)`, &verdicts)
	if verdicts[0] != "fail" || verdicts[len(verdicts)-1] != "pass" {
		t.Errorf("by verdict: %q", verdicts)
	}
	p.Run(`new Promise(done => { location.hash = ""; setTimeout(done, 200) })`, nil)
	if diff := cmp.Diff(before, shownServers(p)); diff != "" {
		t.Errorf("without an order the servers stand otherwise than in the file: %s", diff)
	}
}

func testFleetWithoutScript(t *testing.T, p *browser.Page) {
	p.Scripts(false)
	defer p.Scripts(true)
	x := manyServers(1)
	p.Go(savedFleet(t, x))
	if got := visible(p, ".fleet tbody tr"); got != len(x.Servers) {
		t.Errorf("%d servers are shown, want %d", got, len(x.Servers))
	}
	if visible(p, "#filters") != 0 {
		t.Error("filters are shown that do nothing")
	}
}

// On a sheet of paper stand all columns, and no text runs into the next one.
func testFleetPrint(t *testing.T, p *browser.Page) {
	x := manyServers(1)
	x.Servers[0].Name = strings.Repeat("a-long-name-", 10)
	x.Servers[0].Grade = strings.Repeat("Extended", 10)
	p.Go("about:blank")
	p.Go(savedFleet(t, x))
	p.Paper(true)
	defer p.Size(1280, 900)
	defer p.Paper(false)
	for _, width := range []int{718, 979, 1046} { // A4, and Letter and A4 on the side, without margins
		p.Size(width, 700)
		var wide int
		p.Run(`document.documentElement.scrollWidth - innerWidth`, &wide)
		if wide > 0 {
			t.Errorf("the page is %d pixels wider than a paper of %d", wide, width)
		}
		var cut []string
		p.Run(`[...document.querySelectorAll(".fleet th, .fleet td")].filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)`, &cut)
		if len(cut) > 0 {
			t.Errorf("on a paper of %d these run into the next column: %q", width, cut)
		}
	}
}

// The time to open a page of 1,000 servers, to sort them and to search in them.
func BenchmarkOpen1000Servers(b *testing.B) {
	p := browser.Open(b)
	p.Size(1280, 900)
	x := manyServers(143)
	page := savedFleet(b, x)
	b.ReportMetric(float64(len(fleetPage(b, x)))/1024, "KiB")
	for b.Loop() {
		p.Go("about:blank")
		p.Go(page)
		p.Run(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))`, nil)
	}
	var took float64
	p.Run(`new Promise(done => { const from = performance.now(); document.querySelectorAll(".fleet thead button")[5].click();
		requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - from))) })`, &took)
	b.ReportMetric(took, "ms/sort")
	p.Run(`new Promise(done => { const from = performance.now(); document.querySelector('.tabs [data-status="fail"]').click();
		requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - from))) })`, &took)
	b.ReportMetric(took, "ms/filter")
}
