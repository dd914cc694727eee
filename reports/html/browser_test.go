package html_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/browser"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
)

// saved writes a page to disk and returns its address.
func saved(t testing.TB, r reports.Report) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(written(t, r)), 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + file
}

// visible counts the shown elements among those that a selector finds.
func visible(p *browser.Page, selector string) int {
	var n int
	p.Run(`[...document.querySelectorAll(`+quoted(selector)+`)].filter(e => e.checkVisibility()).length`, &n)
	return n
}

func quoted(s string) string {
	text, _ := json.Marshal(s) // a string can always be written
	return string(text)
}

// calm fails the test if the page complained, requested any other address, or showed a
// dialog.
func calm(t *testing.T, p *browser.Page) {
	t.Helper()
	for _, line := range p.Console {
		t.Errorf("console: %s", line)
	}
	for _, text := range p.Dialogs {
		t.Errorf("dialog: %s", text)
	}
	for _, address := range p.Requests {
		if !strings.HasPrefix(address, "file://") && !strings.HasPrefix(address, "data:") && address != "about:blank" {
			t.Errorf("the page asked for %s", address)
		}
	}
	p.Console, p.Dialogs, p.Requests = nil, nil, nil
}

func TestInBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: no browser is started")
	}
	p := browser.Open(t)
	p.Size(1280, 900)
	for name, test := range map[string]func(*testing.T, *browser.Page){
		"filters": testFilters, "matrix": testMatrix, "deep link": testDeepLink, "copy": testCopy, "keys": testKeys, "theme": testTheme,
		"without script": testWithoutScript, "hostile": testHostile, "opened": testOpened, "print": testPrint, "heads": testHeads,
	} {
		t.Run(name, func(t *testing.T) {
			test(t, p)
			calm(t, p)
		})
	}
}

// The head of an HTTP message stays plain above JSON with colors.
func testHeads(t *testing.T, p *browser.Page) {
	r := samples.EveryStatus()
	first := slices.IndexFunc(r.Findings, func(f reports.Finding) bool { return f.Status == reports.Fail })
	r.Findings[first].Frames = []reports.Frame{{
		Dir: "sent", Kind: "message", Text: "POST /mcp\nMcp-Protocol-Version: 2025-11-25\n\n" + `{"jsonrpc":"2.0","id":4711,"method":"ping"}`,
	}}
	p.Go(saved(t, r) + "#" + r.Findings[first].Case)
	p.Run(`new Promise(done => setTimeout(done, 50))`, nil)
	var colored []string
	p.Run(`[...document.querySelectorAll(".frame .k, .frame .s, .frame .v")].map(e => e.textContent)`, &colored)
	if !slices.Contains(colored, "4711") || slices.ContainsFunc(colored, func(text string) bool { return strings.HasPrefix(text, "2025") }) {
		t.Errorf("colors are on %q, want them on the JSON alone", colored)
	}
}

// On paper stand the findings with their frames, and the reasons of skips without the
// single cases.
func testPrint(t *testing.T, p *browser.Page) {
	p.Go(saved(t, samples.EveryStatus()))
	p.Run(`dispatchEvent(new Event("beforeprint"))`, nil)
	for selector, want := range map[string]bool{".block details:not(.column):not([open])": false, "details.rest:not([open])": false, "details.reason[open]": false,
		"details.rest[open] details.reason > summary": true} {
		var n int
		p.Run(`document.querySelectorAll("`+selector+`").length`, &n)
		if (n > 0) != want {
			t.Errorf("%s: %d are printed", selector, n)
		}
	}
	p.Run(`dispatchEvent(new Event("afterprint"))`, nil)
	if n := visible(p, "details.rest[open]"); n > 0 {
		t.Error("what print opened stays open")
	}
}

func testFilters(t *testing.T, p *browser.Page) {
	p.Go(saved(t, samples.EveryStatus()))
	set := func(id, value, event string) {
		p.Run(`new Promise(done => { const e = document.getElementById(`+quoted(id)+`); e.value = `+quoted(value)+
			`; e.dispatchEvent(new Event(`+quoted(event)+`)); setTimeout(done, 200) })`, nil)
	}
	press := func(status string) {
		p.Run(`document.querySelector('.tabs [data-status="`+status+`"]').click()`, nil)
	}
	found := func(want string, sections ...string) {
		t.Helper()
		var got, address string
		p.Run(`document.querySelector("#found").textContent`, &got)
		p.Run(`location.hash`, &address)
		if got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
		shown := 0
		for _, s := range sections {
			shown += visible(p, ".group[data-section="+s+"]")
		}
		if all := visible(p, ".group"); shown != len(sections) || all != shown {
			t.Errorf("%s: %d sections are shown, %d of those wanted, want %d", address, all, shown, len(sections))
		}
	}
	found("49 findings", "fail", "warn", "error", "skip", "pass")
	press("warn")
	found("3 of 49 findings", "warn")
	press("skip")
	found("26 of 49 findings", "skip")
	press("known")
	found("1 of 49 findings", "skip")
	press("skip")
	set("suite", "ext-idempotency", "change")
	found("20 of 49 findings", "skip")
	if n := visible(p, ".row"); n != 19 {
		t.Errorf("%d rows are shown, want the 19 cases of the suite, opened", n)
	}
	set("column", "1", "change")
	found("1 of 49 findings", "skip")
	p.Run(`document.querySelector("#clear").click()`, nil)
	found("49 findings", "fail", "warn", "error", "skip", "pass")
	set("level", "SHOULD", "change")
	found("4 of 49 findings", "warn", "skip")
	set("q", "never-issued berth_11", "input") // the filter searches frames too
	found("3 of 49 findings", "warn")
	set("q", "no such text", "input")
	found("0 of 49 findings")
	if visible(p, "#nothing") != 1 {
		t.Error("nothing is shown, and nobody says why")
	}
	p.Run(`location.hash = "#?status=fail&q=survives"`, nil)
	p.Run(`new Promise(done => setTimeout(done, 50))`, nil)
	found("5 of 49 findings", "fail")
}

func testMatrix(t *testing.T, p *browser.Page) {
	p.Go(saved(t, samples.EveryStatus()))
	p.Run(`[...document.querySelectorAll("td.fail a")].find(a => a.hash.includes("suite=stdio")).click()`, nil)
	p.Run(`new Promise(done => setTimeout(done, 50))`, nil)
	var got string
	p.Run(`document.querySelector("#found").textContent`, &got)
	if got != "5 of 49 findings" {
		t.Errorf("the cell leads to %s, want those it counts", got)
	}
}

func testDeepLink(t *testing.T, p *browser.Page) {
	page := saved(t, samples.EveryStatus())
	for _, id := range []string{"progress/increases", "stdio/survives-half", "ext-idempotency/replay-07", "http/origin-checked"} {
		p.Go("about:blank")
		p.Go(page + "#" + id)
		var got struct {
			Shown, Focused bool
			Top            float64
		}
		p.Run(`(() => { const e = document.getElementById(`+quoted(id)+`);
			return {Shown: e.checkVisibility(), Focused: e.contains(document.activeElement), Top: e.getBoundingClientRect().top} })()`, &got)
		if !got.Shown || !got.Focused || got.Top < 0 || got.Top > 900 {
			t.Errorf("#%s: %+v, want it shown, with the focus, in the window", id, got)
		}
	}
}

func testCopy(t *testing.T, p *browser.Page) {
	p.Allow("clipboardReadWrite", "clipboardSanitizedWrite")
	r := samples.EveryStatus()
	r.Target.Given = "http://127.0.0.1:3000/mcp"
	p.Go(saved(t, r))
	p.Run(`document.querySelector("[data-command]").closest("details").open = true; new Promise(done => setTimeout(done, 100))`, nil)
	for selector, want := range map[string]string{
		"[data-command] .copy": "curl -i -N -g --path-as-is -X POST 'http://127.0.0.1:3000/mcp' -H 'Accept: application/json, text/event-stream' -H 'Content-Type: application/json' " +
			"-H 'Mcp-Protocol-Version: 2025-11-25' --data-raw 'a line that is not JSON'",
		".block details[open] .copyable .copy": "mcp-conform run --case ping/answered -- node dist/index.js",
		".block details[open] .frame .copy":    "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 2,\n  \"method\": \"ping\"\n}",
	} {
		var got, said string
		p.Run(`document.querySelector(`+quoted(selector)+`).click(); new Promise(done => setTimeout(() => done(navigator.clipboard.readText()), 100))`, &got)
		p.Run(`document.querySelector("#said").textContent`, &said)
		if got != want || said != "Copied" {
			t.Errorf("%s: copied %q and said %q, want %q", selector, got, said, want)
		}
	}
}

func testKeys(t *testing.T, p *browser.Page) {
	p.Go(saved(t, samples.EveryStatus()))
	focused := func() (id string) {
		p.Run(`document.activeElement.id || document.activeElement.parentElement.id`, &id)
		return id
	}
	p.Type("j")
	p.Type("j")
	if got := focused(); got != "stdio/stdout-pure" {
		t.Errorf("the second finding is %q", got)
	}
	p.Type("k")
	if got := focused(); got != "ping/answered" {
		t.Errorf("the one before it is %q", got)
	}
	p.Type("/")
	if got := focused(); got != "q" {
		t.Errorf("the focus is on %q, want the search", got)
	}
}

func testTheme(t *testing.T, p *browser.Page) {
	p.Go(saved(t, samples.EveryStatus()))
	background := func() (color string) {
		p.Run(`getComputedStyle(document.body).backgroundColor`, &color)
		return color
	}
	p.Theme("light")
	light := background()
	p.Theme("dark")
	dark := background()
	p.Run(`document.querySelector("#theme").click()`, nil)
	if chosen := background(); light == dark || chosen != light {
		t.Errorf("light is %s, dark is %s, and light when chosen is %s", light, dark, chosen)
	}
	p.Run(`document.querySelector("#theme").click(); document.querySelector("#theme").click()`, nil)
	p.Theme("light")
}

// Without its script the page shows everything, and no dead control.
func testWithoutScript(t *testing.T, p *browser.Page) {
	p.Scripts(false)
	defer p.Scripts(true)
	p.Go(saved(t, samples.EveryStatus()))
	if n := visible(p, "form, button, .keys"); n > 0 {
		t.Errorf("%d controls are shown that do nothing", n)
	}
	if n := visible(p, ".block .problem, .block dd.strong"); n < 8 {
		t.Errorf("%d problems can be read", n)
	}
}

// The texts of the server have no effect: no dialog, no request, no change of the title.
func testHostile(t *testing.T, p *browser.Page) {
	r := samples.Hostile()
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Frames = append(f.Frames, reports.Frame{Dir: "received", Text: `{"x":"</pre><img src=x onerror=alert(1)><svg onload=alert(2)>"}`})
		f.Problem += `</dd><iframe src="https://example.com/"></iframe><meta http-equiv=refresh content="0;url=https://example.com/">`
		f.Title += `</span></summary></details><title>owned</title><style>*{display:none}</style><base href="https://example.com/">`
		f.Link = "javascript:document.title='owned'"
	}
	p.Go(saved(t, r))
	p.Run(`document.querySelector("#open-all").click(); for (const a of document.querySelectorAll("dd a")) a.click()`, nil)
	var got struct {
		Title          string
		Foreign, Words int
	}
	p.Run(`({Title: document.title, Foreign: document.querySelectorAll("iframe, img, base, object, embed, form:not(#filters)").length +
		document.querySelectorAll("title:not(head > title, svg title), script:not(body > script), style:not(head > style)").length,
		Words: document.body.textContent.split("onerror=alert").length - 1})`, &got)
	if !strings.HasPrefix(got.Title, "Fail: ") || got.Foreign != 0 || got.Words == 0 {
		t.Errorf("%+v, want our title, no element of the server, and its words as text", got)
	}
}

// testOpened looks at every page with all its parts open.
func testOpened(t *testing.T, p *browser.Page) {
	for _, s := range samples.All() {
		p.Go("about:blank")
		p.Go(saved(t, s.Report))
		p.Run(`for (const d of document.querySelectorAll("details")) d.open = true`, nil)
		t.Run("narrow "+s.Name, func(t *testing.T) { testNarrow(t, p) })
		t.Run("accessible "+s.Name, func(t *testing.T) { testAccessible(t, p, s.Name == "every-status") })
	}
}

// No page is wider than its window.
func testNarrow(t *testing.T, p *browser.Page) {
	defer p.Size(1280, 900)
	for _, width := range []int{320, 380, 800, 1280} {
		p.Size(width, 900)
		var wide int
		p.Run(`document.documentElement.scrollWidth`, &wide)
		if wide > width {
			var what string
			p.Run(`[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, .sr")).
				slice(0, 3).map(e => e.outerHTML.slice(0, 120)).join(" ")`, &what)
			t.Errorf("%d pixels wide in a window of %d: %s", wide, width, what)
		}
		tables := map[bool]string{true: ".extensions, .fleet", false: ".fleet"}[width < 500] // names of hostile extensions are wide
		if width < 500 || width > 1000 {                                                     // a phone shows no bar that says that there is more at the side, and a desk has room
			var hidden []string
			p.Run(`[...document.querySelectorAll("`+tables+`")].map(e => e.closest(".scroll")).
				filter(e => e && e.scrollWidth > e.clientWidth).
				map(e => e.getAttribute("aria-label"))`, &hidden)
			if len(hidden) > 0 {
				t.Errorf("columns are hidden in a window of %d: %v", width, hidden)
			}
		}
	}
}

// The accessibility rules of axe-core. The rule on the contrast of colors, the slowest
// by far, looks at one text in each combination of colors and fonts.
func testAccessible(t *testing.T, p *browser.Page, dark bool) {
	source, err := os.ReadFile(filepath.Join(fromNpm(t, "axe-core@4.10.3"), "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	const looks = `(() => {
		const looks = new Map();
		for (const e of document.body.querySelectorAll("*")) {
			if (![...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim())) continue;
			const { color, font } = getComputedStyle(e), look = [color, font];
			for (let a = e; a; a = a.parentElement) {
				const { backgroundColor, backgroundImage, opacity } = getComputedStyle(a);
				const paint = backgroundColor + backgroundImage + opacity;
				if (paint !== "rgba(0, 0, 0, 0)none1") look.push(paint);
			}
			looks.set(look.join(" "), e);
		}
		return { include: [...looks.values()] };
	})()`
	p.Run(string(source), nil)
	judge := func(theme, of, rules string) {
		t.Helper()
		defer p.Theme("light")
		p.Theme(theme)
		var broken []string
		p.Run(`axe.run(`+of+`, {resultTypes: ["violations"], `+rules+`}).then(r => r.violations.map(v => v.id + ": " + v.help + ": " +
			v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(" ")))`, &broken)
		for _, b := range broken {
			t.Errorf("%s: %s", theme, b)
		}
	}
	judge("light", "document", `rules: {"color-contrast": {enabled: false}}`)
	judge("light", looks, `runOnly: ["color-contrast"]`)
	if dark {
		judge("dark", looks, `runOnly: ["color-contrast"]`)
	}
}

// The time to open a report of 2,000 findings.
func BenchmarkOpen2000Findings(b *testing.B) {
	p := browser.Open(b)
	p.Size(1280, 900)
	page := saved(b, samples.Huge())
	for b.Loop() {
		p.Go("about:blank")
		p.Go(page)
		p.Run(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))`, nil)
	}
}
