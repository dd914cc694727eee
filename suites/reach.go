package suites

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/reach"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/internal/within"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// reach finds the ways to the target, starts what has to be started for them,
// and returns what stops it again.
func (p Plan) reach(ctx context.Context, plan *prepared) (stop func(), err error) {
	var stops []func()
	stop = func() {
		for _, each := range slices.Backward(stops) {
			each()
		}
	}
	t, cfg := p.Config.AsFirst(), p.Config
	wants := func(tr requirements.Transport) bool {
		return cfg.Transport == config.Auto || string(cfg.Transport) == string(tr)
	}
	switch {
	case p.Local != nil && p.Local.Serve != nil && wants(requirements.Stdio):
		plan.Reach = append(plan.Reach, reach.Way{Transport: requirements.Stdio, Launcher: target.Memory{Serve: p.Local.Serve}})
	case len(t.Command) > 0 && wants(requirements.Stdio):
		plan.Reach = append(plan.Reach, reach.Way{Transport: requirements.Stdio,
			Launcher: target.Command{Argv: t.Argv(), Dir: t.Cwd, Env: environment(t.Env), Family: p.Processes.of()}})
	}
	pool, err := pooled(t)
	if err != nil {
		return stop, err
	}
	remote := overHTTP(t, wants, pool)
	if over, path := p.Local.over(cfg.Transport); path != "" {
		url, unserve, err := serve(ctx, p.Local, path, pool)
		if err != nil {
			return stop, err
		}
		stops = append(stops, unserve)
		if err := p.enter(url, plan); err != nil {
			stop()
			return nil, err
		}
		way := reach.Way{Transport: over, URL: url, Pool: pool, Own: true}
		if p.Local.Login != nil {
			t = plan.Config.AsFirst()
			way.Headers, way.Login = header(t.Headers), t.HasLogin()
		}
		remote = []reach.Way{way}
	} else if argv := t.StartArgv(); argv != nil && len(remote) > 0 {
		ends, trouble := start(ctx, t, argv, remote[0], plan)
		stops = append(stops, ends)
		plan.unreached = trouble
	}
	if len(remote) > 0 && !remote[0].Own {
		remote[0].Settle(ctx)
	}
	plan.Reach = append(plan.Reach, remote...)
	stops = append(stops, pool.CloseIdleConnections)
	if len(plan.Reach) == 0 {
		stop()
		return nil, errors.New(nothing(cfg))
	}
	return stop, nil
}

// over says how and at which path a local handler is judged; the path is empty when
// it is not. HTTP+SSE is judged when it is asked for.
func (l *Local) over(wanted config.Transport) (tr requirements.Transport, path string) {
	switch {
	case l == nil || l.Handler == nil || wanted == config.Stdio:
		return "", ""
	case wanted == config.SSE:
		return requirements.SSE, l.SSE
	default:
		return requirements.HTTP, cmp.Or(l.Path, "/")
	}
}

// pooled makes the connections to a target over the network.
func pooled(t config.Target) (*http.Transport, error) {
	pool := wire.NewTransport(wire.Limits{})
	if t.HTTP2 {
		wire.SpeakHTTP2(pool)
	}
	if t.CA == "" {
		return pool, nil
	}
	text, err := os.ReadFile(t.CA)
	if err != nil {
		return nil, fmt.Errorf("target.ca: %w", err)
	}
	trusted, err := x509.SystemCertPool()
	if err != nil {
		trusted = x509.NewCertPool()
	}
	if !trusted.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("target.ca: %s holds no certificate in the PEM format", t.CA)
	}
	pool.TLSClientConfig = &tls.Config{RootCAs: trusted}
	return pool, nil
}

// overHTTP are the ways to a target over the network. One URL may be that of either
// transport: unless one of them was asked for, the newer is tried first, as clients do.
func overHTTP(t config.Target, wants func(requirements.Transport) bool, pool *http.Transport) []reach.Way {
	var ways []reach.Way
	add := func(tr requirements.Transport, url string, older bool) {
		ways = append(ways, reach.Way{Transport: tr, URL: url, Headers: header(t.Headers), Login: t.HasLogin(), Pool: pool, Older: older})
	}
	if t.URL != "" && wants(requirements.HTTP) {
		add(requirements.HTTP, t.URL, t.SSEURL == "" && wants(requirements.SSE))
	}
	switch {
	case t.SSEURL != "" && wants(requirements.SSE):
		add(requirements.SSE, t.SSEURL, false)
	case t.URL != "" && wants(requirements.SSE) && !wants(requirements.HTTP):
		add(requirements.SSE, t.URL, false)
	}
	return ways
}

// enter gives the plan what a local server at a URL lets clients in with.
func (p Plan) enter(url string, plan *prepared) error {
	if p.Local.Login == nil {
		return nil
	}
	login, err := p.Local.Login(url)
	if err != nil {
		return err
	}
	plan.Config = plan.Config.With(login...)
	if mint := p.Local.Mint; mint != nil {
		plan.Mint = func(ctx context.Context, scope, resource string) (string, error) {
			return mint(ctx, url, scope, resource)
		}
	}
	return nil
}

// nothing says why a target has no way that was asked for.
func nothing(cfg config.Config) string {
	switch cfg.Transport {
	case config.Auto:
		return "the target has neither a command nor a URL"
	case config.Stdio, config.HTTP, config.SSE:
		fallthrough
	default:
		return "the target offers nothing to judge over " + string(cfg.Transport)
	}
}

func environment(env map[string]string) []string {
	var all []string
	for name, value := range env {
		all = append(all, name+"="+value)
	}
	slices.Sort(all)
	return all
}

func header(of map[string]string) http.Header {
	h := http.Header{}
	for name, value := range of {
		h.Set(name, value)
	}
	return h
}

const loopback = "127.0.0.1"

// serve puts a local handler where it is to be.
func serve(ctx context.Context, l *Local, path string, pool *http.Transport) (url string, stop func(), err error) {
	listener, err := listen(ctx, l, pool)
	if err != nil {
		return "", nil, fmt.Errorf("listen on loopback: %w", err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return "", nil, fmt.Errorf("listen on loopback: %w", err)
	}
	if l.Conn != nil {
		listener = between{listener, l.Conn}
	}
	server := &http.Server{Handler: l.Handler, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // ends with Close
	}()
	return "http://" + net.JoinHostPort(loopback, port) + path, func() {
		_ = server.Close()
		<-done
	}, nil
}

// listen has a local handler listen on loopback, on all addresses, or for nobody but the
// pool.
func listen(ctx context.Context, l *Local, pool *http.Transport) (net.Listener, error) {
	host := loopback
	switch {
	case l.Within && !l.Everywhere:
		own := within.Listen(netip.AddrPortFrom(netip.MustParseAddr(loopback), 8080))
		pool.DialContext = own.Dial(pool.DialContext)
		return own, nil
	case l.Everywhere:
		host = ""
	}
	var lc net.ListenConfig
	return lc.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
}

// between puts something between connections and who accepts them.
type between struct {
	net.Listener
	conn func(net.Conn) net.Conn
}

func (b between) Accept() (net.Conn, error) {
	conn, err := b.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return b.conn(conn), nil
}

// start runs the command that serves the URL and waits until something answers
// there. What keeps it from answering is told in words.
func start(ctx context.Context, t config.Target, argv []string, r reach.Way, plan *prepared) (stop func(), trouble string) {
	if r.Listens(ctx) {
		return func() {}, "something listens at " + r.URL + " before the start command has run: stop it, or leave the command out to judge that"
	}
	process, err := target.Command{Argv: argv, Dir: t.Cwd, Env: environment(t.Env), Family: plan.Family}.Launch(ctx)
	if err != nil {
		return func() {}, err.Error()
	}
	stop = func() {
		_ = process.Terminate() // it serves HTTP: the end of its input means nothing to it
		_ = process.Stop(context.WithoutCancel(ctx), time.Second)
	}
	plan.ended = func(within time.Duration) (text, stderr string) {
		if text = ended(process, within); text != "" {
			stderr = process.Stderr()
		}
		return text, stderr
	}
	go func() {
		buffer := make([]byte, 4096)
		for {
			if _, err := process.Stdout.Read(buffer); err != nil {
				return // Stop ends it
			}
		}
	}()
	return stop, await(ctx, t.Wait, process, r)
}

// ended says how a process ended, if it did and not well: a command may leave
// the serving to others and go. Its connections may break before it is seen to end.
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

// lastLines are what a process wrote to stderr last: mostly they say why it
// ended.
func lastLines(p *target.Process) string {
	const most = 20
	lines := strings.Split(strings.TrimSpace(p.Stderr()), "\n")
	if len(lines) > most {
		lines = append([]string{"..."}, lines[len(lines)-most:]...)
	}
	return strings.Join(lines, "\n")
}

// await polls until something is at the URL: whether that is MCP is for
// discovery to say.
func await(ctx context.Context, limit time.Duration, process *target.Process, r reach.Way) (trouble string) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		last := r.Knock(ctx)
		if last == nil {
			return ""
		}
		select {
		case <-tick.C:
		case <-process.Exited():
			return fmt.Sprintf("the start command ended with exit code %d before %s answered\n%s", process.ExitCode(), r.URL, lastLines(process))
		case <-ctx.Done():
			return fmt.Sprintf("%s did not answer within %s after its start command: %v\n%s", r.URL, limit, last, lastLines(process))
		}
	}
}
