package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/fleet"
	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
)

// childFlag marks a run that a fleet has started: it ends together with the fleet.
const childFlag = "with-fleet"

// A run ends within ten seconds after its limit; a fleet gives it endGrace. It ends at
// once when its input ends; a fleet gives it killGrace.
const (
	endGrace  = 30 * time.Second
	killGrace = 10 * time.Second
)

// endWithInput ends the process at once when its input ends, as it does when the fleet
// that started it goes away in whatever way.
func endWithInput(w world, last func()) {
	_, _ = io.Copy(io.Discard, w.in) // an error is the end, too
	last()
	w.exit(reports.ExitInterrupted)
}

// openFolder opens the folder of the report. A run of a fleet that was killed may hold the
// folder for a moment longer than the fleet.
func (f *runFlags) openFolder() (*folder, error) {
	var patience time.Duration
	if f.child {
		patience = killGrace
	}
	return openFolderWithin(patience, f.output.dir, f.output.wanted())
}

// inParallel judges the servers, so many at once, and tells of each row when it is there.
// A panic in one is the row of that server.
func inParallel(all []member, most int, judge func(member) fleet.Row, tell func(fleet.Row)) []fleet.Row {
	rows := make([]fleet.Row, len(all))
	var telling sync.Mutex
	var working sync.WaitGroup
	room := make(chan struct{}, most)
	for i, s := range all {
		room <- struct{}{}
		working.Go(func() {
			defer func() { <-room }()
			rows[i] = s.guarded(judge)
			telling.Lock()
			defer telling.Unlock()
			tell(rows[i])
		})
	}
	working.Wait()
	return rows
}

func (s member) guarded(judge func(member) fleet.Row) (row fleet.Row) {
	defer func() {
		if p := recover(); p != nil {
			row = fleet.Lost(s.name, reports.ExitUnjudged, fmt.Sprintf("mcp-conform failed: %v", p))
		}
		row.Position, row.Folder, row.Plan = s.position, s.folder, s.plan
	}()
	return judge(s)
}

// rowFile holds the row of a server beside its report. It is written last: a server with
// one has been judged in full.
const rowFile = "server.json"

// pageFile is the page of a server, to which the index leads.
const pageFile = "report.html"

// judged has the server judged by a process of its own, and returns its row.
func (s member) judged(ctx context.Context, w world, below string) fleet.Row {
	if ctx.Err() != nil {
		return fleet.Lost(s.name, reports.ExitInterrupted, reports.Interruption(false))
	}
	dir := filepath.Join(below, filepath.FromSlash(s.folder))
	if err := cleared(dir); err != nil {
		return fleet.Lost(s.name, reports.ExitUsage, "the report folder cannot be written: "+err.Error())
	}
	code, said, overdue := s.run(ctx, w, dir)
	switch {
	case ctx.Err() != nil:
		return fleet.Lost(s.name, reports.ExitInterrupted, reports.Interruption(false))
	case overdue:
		why := fmt.Sprintf("the run did not end within %s after its limit of %s, and was ended", endGrace, s.limit)
		return fleet.Lost(s.name, reports.ExitUnjudged, why)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		return fleet.Lost(s.name, lostCode(code), lastWords(said, code))
	}
	r, err := jsonfile.Read(bytes.NewReader(text))
	if err != nil || r.Verdict.ExitCode != code {
		return fleet.Lost(s.name, lostCode(code), lastWords(said, code))
	}
	row := fleet.RowOf(s.name, r)
	row.Position, row.Folder, row.Plan = s.position, s.folder, s.plan
	row.Page = isFile(filepath.Join(dir, pageFile))
	if code != reports.ExitInterrupted {
		if err := keep(dir, kept{digest(string(text)), row}); err != nil {
			w.say("%s: %s; --resume judges it again", s.name, err)
		}
	}
	return row
}

// cleared removes what an earlier run wrote into the folder of a server: it must not pass for
// what this run found, if the run comes to no report. Files of others stay, but none may
// stand in the place of the report or the row.
func cleared(dir string) error {
	for _, file := range append(outputs(), rowOutput()) {
		err := file.replaceable(dir)
		if err != nil && (file.file == rowFile || file.file == outputs()[0].file) {
			return err
		}
		if err == nil {
			_ = os.Remove(filepath.Join(dir, file.file)) // the digest shows that a file that stays is not of this run
		}
	}
	return nil
}

// kept is a row with a digest of the report that it sums up.
type kept struct {
	Report string `json:"report"`
	fleet.Row
}

func keep(dir string, row kept) error {
	var b bytes.Buffer
	if err := jsonfile.Encode(&b, row); err != nil {
		return err
	}
	return replace(filepath.Join(dir, rowFile), b.Bytes())
}

// earlier is the row of a server that an earlier run of the same plan judged in full. What
// kept the kit from judging a server may be gone, such as an old token.
func (s member) earlier(below string) (fleet.Row, bool) {
	dir := filepath.Join(below, filepath.FromSlash(s.folder))
	var row kept
	text, err := os.ReadFile(filepath.Join(dir, rowFile))
	if err != nil || json.Unmarshal(text, &row) != nil || row.Name != s.name || row.Plan != s.plan || row.Status == reports.Unjudged {
		return row.Row, false
	}
	text, err = os.ReadFile(filepath.Join(dir, "report.json"))
	row.Position, row.Folder = s.position, s.folder
	return row.Row, err == nil && digest(string(text)) == row.Report && row.Page == isFile(filepath.Join(dir, pageFile))
}

// run starts the command that judges the server and waits for its end.
func (s member) run(ctx context.Context, w world, dir string) (code int, said string, overdue bool) {
	self, err := w.self()
	if err != nil {
		return reports.ExitUnjudged, err.Error(), false
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), self, append(s.args, "--out", dir)...)
	last := &tail{}
	cmd.Stderr, cmd.WaitDelay = last, time.Second
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { // the summary of the job is the fleet's
		return strings.HasPrefix(v, "GITHUB_STEP_SUMMARY=")
	})
	input, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return reports.ExitUnjudged, err.Error(), false
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the state says the same
	}()
	late := time.NewTimer(s.limit + endGrace)
	defer late.Stop()
	select {
	case <-ended:
	case <-ctx.Done():
	case <-late.C:
		overdue = true
	}
	_ = input.Close() // the process ends with its input, if it has not ended
	killing := time.AfterFunc(killGrace, func() { _ = cmd.Process.Kill() })
	defer killing.Stop()
	<-ended
	return cmd.ProcessState.ExitCode(), last.String(), overdue
}

// lostCode is the exit code of a server without a report.
func lostCode(code int) int {
	if code == reports.ExitUsage || code == reports.ExitInterrupted {
		return code
	}
	return reports.ExitUnjudged
}

// lastWords is why a run made no report: the message of its mistake, or of its crash. The
// lines of a file that follow a mistake may hold a secret, and are left out.
func lastWords(said string, code int) string {
	for _, crash := range []string{"panic: ", "fatal error: "} {
		if _, after, found := strings.Cut("\n"+said, "\n"+crash); found {
			line, _, _ := strings.Cut(after, "\n")
			return "mcp-conform failed: " + crash + line
		}
	}
	parts := strings.Split("\n"+strings.TrimSpace(said), "\n"+program+": ")
	if last, _, _ := strings.Cut(strings.TrimSpace(parts[len(parts)-1]), "\n"); last != "" {
		return last
	}
	return fmt.Sprintf("the run ended with exit code %d and without a report", code)
}

// A tail keeps the begin and the end of what is written to it.
type tail struct{ begin, end []byte }

const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if room := tailSize - len(t.begin); room > 0 {
		taken := min(room, len(p))
		t.begin, p = append(t.begin, p[:taken]...), p[taken:]
	}
	t.end = append(t.end, p[max(0, len(p)-tailSize):]...)
	t.end = t.end[max(0, len(t.end)-tailSize):]
	return n, nil
}

func (t *tail) String() string { return string(t.begin) + string(t.end) }
