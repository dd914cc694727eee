package connect

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
)

// start runs the command that serves the URL and waits until it answers there.
// It tells in words what keeps it from answering.
func (t *Target) start(ctx context.Context, of config.Target, command target.Command, way Way) {
	if way.Listens(ctx) {
		t.Trouble = "something listens at " + way.URL + " before the start command has run: stop it, or leave the command out to judge that"
		return
	}
	process, err := command.Launch(ctx)
	if err != nil {
		t.Trouble = err.Error() + "\n  does the command exist, and may it be run?"
		return
	}
	t.started = process
	t.stops = append(t.stops, func() {
		_ = process.Terminate() // the end of stdin means nothing to an HTTP server
		_ = process.Stop(context.WithoutCancel(ctx), time.Second, nil)
	})
	go func() { _, _ = io.Copy(io.Discard, process.Stdout) }() // Stop ends it
	t.Trouble = strings.TrimSpace(await(ctx, of.Wait, process, way))
}

// Ended says how the server started for the run ended too early, and what it
// wrote to stderr; it waits some time for that. It is empty where the server
// still runs, or where none was started.
func (t *Target) Ended(within time.Duration) (text, stderr string) {
	if t.started == nil {
		return "", ""
	}
	if text = ended(t.started, within); text != "" {
		stderr = t.started.Stderr()
	}
	return text, stderr
}

// ended says how a process ended, if it ended badly: a command may leave the
// serving to others and exit. Its connections may break before its end shows.
func ended(p *target.Process, within time.Duration) string {
	select {
	case <-p.Exited():
	default:
		select {
		case <-p.Exited():
		case <-time.After(within):
			return ""
		}
	}
	how := fmt.Sprintf("with exit code %d", p.ExitCode())
	switch {
	case p.Signal() != "":
		how = "by signal " + p.Signal()
	case p.ExitCode() == 0:
		return ""
	}
	return "the start command ended " + how + " while the run was under way\n" + lastLines(p)
}

// lastLines are the last lines of a process on stderr: they mostly say why it
// ended.
func lastLines(p *target.Process) string {
	const most = 20
	lines := strings.Split(strings.TrimSpace(p.Stderr()), "\n")
	if len(lines) > most {
		lines = append([]string{"..."}, lines[len(lines)-most:]...)
	}
	return strings.Join(lines, "\n")
}

// enough is how long a server may refuse TLS while it starts: after that it would go on with it.
const enough = 3 * time.Second

// await polls until the URL answers anything: discovery finds out whether that
// is MCP. A gateway listens before the servers that it starts, and is given the same time.
func await(ctx context.Context, limit time.Duration, process *target.Process, way Way) (trouble string) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var last error
	var refusing time.Time
	for {
		knocked := way.Knock(ctx)
		if knocked == nil {
			return ""
		}
		switch text := refusesTLS(knocked); {
		case text == "":
			refusing = time.Time{}
		case refusing.IsZero():
			refusing = time.Now()
		case time.Since(refusing) >= enough:
			return fmt.Sprintf("%s answers, and TLS keeps the kit from it: %v\n  %s\n%s", way.URL, knocked, text, lastLines(process))
		}
		if last == nil || !errors.Is(knocked, context.DeadlineExceeded) { // which says only that time is over
			last = knocked
		}
		select {
		case <-tick.C:
		case <-process.Exited():
			return fmt.Sprintf("the start command ended with exit code %d before %s answered\n  %s\n%s", process.ExitCode(), way.URL,
				adviceAtEnd(process.ExitCode()), lastLines(process))
		case <-ctx.Done():
			if _, answers := errors.AsType[notReady](last); answers {
				return "" // discovery shows the answer
			}
			return fmt.Sprintf("%s did not answer within %s after its start command: %v\n  %s\n%s", way.URL, limit, last, advice(last),
				lastLines(process))
		}
	}
}

// adviceAtEnd says what the operator can do about a command that ends before it serves.
func adviceAtEnd(code int) string {
	if code == 0 {
		return "the command has to run as long as it serves: start one that goes to the background yourself, and leave it out here"
	}
	return "run it by hand and see what it says. --env NAME=VALUE gives it a variable that it misses, --cwd the folder that it expects"
}

// advice says what the operator can do about a server that was started and does not answer.
func advice(last error) string {
	if text := refusesTLS(last); text != "" {
		return text
	}
	if errors.Is(last, io.EOF) || errors.Is(last, syscall.ECONNRESET) {
		return "does the command serve this address, and does it speak TLS? Then the address begins with https://"
	}
	return "does the command serve this address? target.wait is how long the kit waits for it"
}

// refusesTLS says what the operator can do where TLS keeps the kit from talking to the server, which would refuse
// it however long the kit waits; nothing for other errors.
func refusesTLS(err error) string {
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case untrusted:
		return "if the certificate is the right one, name its file in target.ca of mcp-conform.yaml"
	case plain:
		return "nothing speaks TLS at this address: use http:// in the place of https://"
	default:
		return ""
	}
}
