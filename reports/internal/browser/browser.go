// Package browser shows a page to Chromium, for tests of what people see. It talks
// to the browser's own protocol over a pipe, so that it needs no library.
package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// A Page is one tab, and the events in it.
type Page struct {
	Console  []string // texts that the page or the browser wrote to the console
	Requests []string // addresses that the page asked for
	Dialogs  []string // texts of alert, confirm and prompt

	t       testing.TB
	in      *os.File
	out     *bufio.Reader
	last    int
	session string
	loaded  bool
}

// Open starts Chromium for a test and opens an empty tab. Where there is no
// Chromium the test is skipped, with a message that says so.
func Open(t testing.TB) *Page {
	t.Helper()
	p := &Page{t: t}
	p.start(find(t))
	var target struct{ TargetID string }
	p.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	p.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		p.call(domain+".enable", nil, nil)
	}
	return p
}

func find(t testing.TB) string {
	if runtime.GOOS == "windows" {
		t.Skip("Chromium is driven over a pipe, which this test cannot make on Windows")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("chromium is not installed, so the page was not opened in a browser (on Debian: apt-get install chromium)")
	return ""
}

func (p *Page) start(path string) {
	toBrowser, in, err := os.Pipe()
	p.must(err)
	out, fromBrowser, err := os.Pipe()
	p.must(err)
	args := []string{"--headless", "--remote-debugging-pipe", "--user-data-dir=" + p.t.TempDir(), "--no-first-run", "--disable-gpu",
		"--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
		"--disable-dev-shm-usage"}
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox") // Chromium refuses to start as root with a sandbox
	}
	// The context of a test ends before its cleanup, which lets the browser end by itself.
	cmd := exec.CommandContext(context.WithoutCancel(p.t.Context()), path, args...)
	cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser} // 3 and 4, as the flag says
	p.must(cmd.Start())
	p.must(errors.Join(toBrowser.Close(), fromBrowser.Close()))
	p.in, p.out = in, bufio.NewReaderSize(out, 1<<20)
	p.t.Cleanup(func() {
		p.session = ""
		p.send("Browser.close", nil)
		_ = cmd.Wait() // it was told to end
		_ = errors.Join(in.Close(), out.Close())
	})
}

func (p *Page) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("chromium: %v", err)
	}
}

type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

func (p *Page) send(method string, params map[string]any) int {
	p.last++
	m := map[string]any{"id": p.last, "method": method}
	if params != nil {
		m["params"] = params
	}
	if p.session != "" {
		m["sessionId"] = p.session
	}
	line, err := json.Marshal(m)
	if err == nil {
		_, err = p.in.Write(append(line, 0))
	}
	if err != nil {
		p.t.Errorf("chromium: %s: %v", method, err)
	}
	return p.last
}

// call sends a command and reads until the answer arrives.
func (p *Page) call(method string, params map[string]any, into any) {
	p.t.Helper()
	id := p.send(method, params)
	for {
		m := p.next()
		if m.ID != id {
			continue
		}
		if m.Error != nil {
			p.t.Fatalf("chromium: %s: %s", method, m.Error.Message)
		}
		if into != nil {
			p.must(json.Unmarshal(m.Result, into))
		}
		return
	}
}

// next reads one message, and notes events of the page.
func (p *Page) next() message {
	p.t.Helper()
	line, err := p.out.ReadBytes(0)
	p.must(err)
	var m message
	p.must(json.Unmarshal(line[:len(line)-1], &m))
	var of struct {
		Message          string
		Entry            struct{ Text, URL string }
		Request          struct{ URL string }
		Args             []struct{ Value any }
		ExceptionDetails struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	_ = json.Unmarshal(m.Params, &of) // a message of another shape is none of these events
	switch m.Method {
	case "Page.loadEventFired":
		p.loaded = true
	case "Page.javascriptDialogOpening":
		p.Dialogs = append(p.Dialogs, of.Message)
		p.send("Page.handleJavaScriptDialog", map[string]any{"accept": false})
	case "Runtime.consoleAPICalled":
		p.Console = append(p.Console, fmt.Sprint(of.Args))
	case "Runtime.exceptionThrown":
		p.Console = append(p.Console, of.ExceptionDetails.Text+" "+of.ExceptionDetails.Exception.Description)
	case "Log.entryAdded":
		p.Console = append(p.Console, strings.TrimSpace(of.Entry.Text+" "+of.Entry.URL))
	case "Network.requestWillBeSent":
		p.Requests = append(p.Requests, of.Request.URL)
	}
	return m
}

// Go opens an address and waits until it is loaded.
func (p *Page) Go(address string) {
	p.t.Helper()
	p.loaded = false
	var went struct{ ErrorText string }
	p.call("Page.navigate", map[string]any{"url": address}, &went)
	if went.ErrorText != "" {
		p.t.Fatalf("chromium: %s: %s", address, went.ErrorText)
	}
	for !p.loaded {
		p.next()
	}
}

// Run runs a script as in the console, and reads its value. It waits for a promise.
func (p *Page) Run(script string, into any) {
	p.t.Helper()
	var out struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	p.call("Runtime.evaluate", map[string]any{
		"expression": script, "awaitPromise": true, "returnByValue": true, "userGesture": true,
	}, &out)
	if out.ExceptionDetails != nil {
		p.t.Fatalf("chromium: %s: %s", script, out.ExceptionDetails.Exception.Description)
	}
	if into != nil {
		p.must(json.Unmarshal(out.Result.Value, into))
	}
}

// Size gives the tab a size, in pixels of the page.
func (p *Page) Size(width, height int) {
	p.call("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// Paper shows the page as it is printed, or on a screen again.
func (p *Page) Paper(on bool) {
	media := ""
	if on {
		media = "print"
	}
	p.call("Emulation.setEmulatedMedia", map[string]any{"media": media}, nil)
}

// Theme says which theme the system has: light or dark.
func (p *Page) Theme(name string) {
	p.call("Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": name}},
	}, nil)
}

// Scripts lets the page run scripts, or not.
func (p *Page) Scripts(on bool) {
	p.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": !on}, nil)
}

// Allow grants every page permissions that a browser would ask a person for.
func (p *Page) Allow(permissions ...string) {
	session := p.session
	p.session = ""
	p.call("Browser.grantPermissions", map[string]any{"permissions": permissions}, nil)
	p.session = session
}

// Type presses the key of a character.
func (p *Page) Type(key string) {
	for _, kind := range []string{"keyDown", "keyUp"} {
		params := map[string]any{"type": kind, "key": key}
		if kind == "keyDown" && len(key) == 1 {
			params["text"] = key
		}
		p.call("Input.dispatchKeyEvent", params, nil)
	}
}
