package discover

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const flooding = "the server sends more than is read before it answers: what does it repeat, and why?"

const (
	// notJSON is how package probe says that the body of an answer is no response, and no JSON.
	notJSON = "but with what is not JSON: "
	// unended begins a text about output that no line break ends: no client reads it.
	unended = "stdout, with no line break at its end: "
	// spread is how package probe says that a response takes up several lines.
	spread = "what came instead is a message over "
)

// addressed matches the address of this machine in what a server says of itself.
var addressed = regexp.MustCompile(`(?i)(?:https?://)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):\d+[\w/.-]*|` +
	`listening on (?:port )?:?\d+|address already in use(?: :+\d+)?`)

// endpoint matches an address that --url takes.
var endpoint = regexp.MustCompile(`(?i)^https?://[^/]+/[\w/.-]+$`)

// addressIn is the first address of an endpoint that a server says, or else the first address.
func addressIn(said ...string) string {
	var all []string
	for _, text := range said {
		for _, found := range addressed.FindAllString(text, -1) {
			all = append(all, strings.TrimRight(found, "."))
		}
	}
	if i := slices.IndexFunc(all, endpoint.MatchString); i >= 0 {
		return all[i]
	}
	return strings.Join(all[:min(1, len(all))], "")
}

// assigned matches a variable, and several matches words, where the name of a program stands.
var (
	assigned = regexp.MustCompile(`^start "[A-Za-z_][A-Za-z0-9_]*=`)
	several  = regexp.MustCompile(`^start "[^"]+ [^"]*": .*(not found|no such file)`)
)

// Advice says what the operator of an unreachable server can do. It recognizes the cause
// by the outcome of the requests and by what the process wrote to stderr.
func Advice(t requirements.Transport, tried, stderr string) string {
	if t == requirements.Stdio && strings.Contains(tried, "no answer within") {
		if says := addressIn(tried, stderr); says != "" {
			url := strings.Replace(says, "//0.0.0.0:", "//127.0.0.1:", 1)
			if !endpoint.MatchString(url) {
				url = "URL"
			}
			return fmt.Sprintf("the server does not answer on stdin and stdout, and says %q: if it serves HTTP, "+
				"start it for stdio, or judge it with --url %s -- COMMAND", says, url)
		}
	}
	switch {
	case t != requirements.Stdio:
	case assigned.MatchString(tried):
		return "a variable stands in the place of the command: give it with --env NAME=VALUE, before --"
	case several.MatchString(tried):
		return "does the command exist, and may it be run? If it has arguments, leave out the quotes around the whole of it"
	}
	const (
		unagreed = "the server answers, and agrees to no revision: " +
			"the result of initialize names one as protocolVersion, and that of server/discover names all in supportedVersions, an array"
		unspoken = "is this the address of an MCP endpoint? A server with TLS wants https://, " +
			"and one that speaks HTTP/2 only target.http2: true"
		mistyped = "the server answers by messages of another type: the Content-Type has to be application/json or text/event-stream"
		streamed = "the body is a stream of events: its Content-Type has to be text/event-stream"
		behind   = "a gateway answers there, and the server behind it does not: is that running, and where the gateway looks for it?"
		refused  = "the server answers with errors only: its messages may say what it wants"
		address  = "this is the address of a server, no command: judge it with --url URL"
		misnamed = "a response has the id of its request, a number as a number and a string as a string: look at how the server keeps the id"
		secure   = "this address wants https:// in the place of http://"
	)
	over := map[bool][]struct{ sign, advice string }{
		true: {
			{`start "http://`, address},
			{`start "https://`, address},
			{"the server offers", "the server speaks only revisions that this kit does not know"},
			{"flooded", flooding},
			{underString, "the server answers only requests whose id is a string: an id may be a number, too, and most clients send numbers; " +
				"look at how it reads the id"},
			{"end of the process", "the command ends before it serves: run it by hand and see what it says. " +
				"--env NAME=VALUE gives it a variable that it misses, --cwd the folder that it expects"},
			{"what came instead is {\x00", "stdout is UTF-16, as of a shell of Windows: messages are UTF-8"},
			{"what came instead is Content-Length",
				"MCP over stdio has no header such as Content-Length: a message is one line of JSON, with nothing before it"},
			{unended + "{", "a message ends with a line break: write one behind each message, and flush"},
			{unended, "stdout carries protocol messages only: send logs and banners to stderr"},
			{spread, "a message is written without line breaks, and one line break behind it: " +
				"serialize it without indentation, and escape line breaks in strings"},
			{"(it is not JSON", "a message is one line of strict JSON: no line breaks in it, no NaN, no trailing comma"},
			{"what came instead has the id", misnamed},
			{"what came instead has no id", misnamed},
			{"what came instead is {", "stdout carries JSON-RPC messages only: send logs to stderr, also those in JSON"},
			{"what came instead", "stdout carries protocol messages only: send logs and banners to stderr"},
			{"no answer within", "the server does not answer: does it read a line at a time, without Content-Length, and flush what it writes? " +
				"Is it an MCP server over stdio, and is --start-timeout long enough for it?"},
			{": result ", unagreed},
			{": error ", refused},
			{"longer than limits.frame", "a message of the server is longer than the kit reads: " +
				"limits.frame in mcp-conform.yaml says how much that is"},
			{`start "cd"`, "cd is a word of the shell: name the folder with --cwd, before --"},
			{"its working directory", "look at --cwd and target.cwd: commands run in the folder that they name"},
			{"", "does the command exist, and may it be run?"},
		},
		false: {
			{"the server offers", "the server speaks only revisions that this kit does not know"},
			{"flooded", flooding},
			{"no endpoint event came", "the server opens a stream of events and does not say where to post: " +
				"an event of type endpoint has to come first"},
			{"the endpoint event", "the endpoint event has to carry a path, or a URI of the host that serves the stream"},
			{"the GET that opens", "something answers HTTP there, but with no stream of events: is the path right (often /sse)?"},
			{"what came instead has the id", misnamed},
			{"what came instead has no id", misnamed},
			{"on the event stream, after", "the server takes what is posted and does not answer on its stream of events: " +
				"does the answer stand in the body of the POST?"},
			{"refused", "is the server running, and is this its address? --url URL -- COMMAND starts it first"},
			{"no such host", "is the host name right?"},
			{"certificate signed by unknown authority", "target.ca of mcp-conform.yaml names a file of certificates that the kit is to trust"},
			{"x509: ", "the certificate of the server is not accepted, for the reason above: another host name or a date that is over " +
				"has to be fixed there; to trust further certificates, name their file in target.ca"},
			{"server gave HTTP response to HTTPS client", "nothing speaks TLS at this address: use http:// in the place of https://"},
			{"HTTP request to an HTTPS server", secure},
			{"HTTP request was sent to HTTPS port", secure},
			{"malformed MIME header",
				"the server is at fault: a header of its answer is not valid HTTP, such as a session id with control characters"},
			{"already initialized", "the server lets one session begin as long as it runs, and there was one: " +
				"--url URL -- COMMAND starts it for each run"},
			{"HTTP status 429", "the server limits how often it is asked: try again later, raise its limit for this kit, " +
				"or set limits.rate in mcp-conform.yaml"},
			{"HTTP status 502", behind},
			{"HTTP status 504", behind},
			{"HTTP status 503", "the server, or what it is behind, is not ready: try again later"},
			{"but with the Content-Type", mistyped},
			{"but with no Content-Type", mistyped},
			{notJSON + "gzip", "the server compresses what it answers, and the kit does not ask for that: compress only for a client " +
				"that sends Accept-Encoding"},
			{"but with a part of an event", "an event stream holds each message as lines that begin with data:, and a blank line behind it"},
			{notJSON + "event:", streamed},
			{notJSON + "data:", streamed},
			{notJSON, "the body of an answer is one JSON object, and nothing else"},
			{"HTTP status 403", "the server is there and refuses: it may want another name in --url, localhost in place of 127.0.0.1 " +
				"or the reverse, or credentials by --header"},
			{"without a JSON-RPC response",
				"something answers HTTP there, but not MCP: is the path right (often /mcp), and are --header credentials missing?"},
			{"no answer within", "the server does not answer in time: raise --timeout, or look at what it waits for"},
			{": result ", unagreed},
			{": error ", refused},
			{"connection reset by peer", unspoken},
			{"malformed HTTP response", unspoken},
			{"the end of the connection: EOF", unspoken},
			{"", "is this the address of an MCP endpoint?"},
		},
	}
	for _, s := range over[t == requirements.Stdio] {
		if strings.Contains(tried, s.sign) {
			return s.advice
		}
	}
	return ""
}

// Unspoken says that the server agreed to no revision that the kit knows, and what came of
// each opening. The text begins with the cause where all openings met the same.
func (f *Found) Unspoken() string {
	text := fmt.Sprintf("over %s no known revision was agreed on", f.look.Transport)
	if len(f.versions.Offered) > 0 {
		text += "; the server offers " + strings.Join(f.versions.Offered, ", ")
	} else if cause := causeOf(f.Tried); cause != "" {
		text = cause
		if asked, all := strings.CutSuffix(f.Tried[0], ": "+cause); all && len(f.Tried) == 1 {
			return text + "\n  asked: " + asked
		}
	}
	text += "\n  " + strings.Join(f.Tried, "\n  ")
	if f.unended != "" {
		text += "\n  " + unended + f.unended
	}
	return text
}

// varies matches what differs between outcomes of one cause, such as times and ports.
var varies = regexp.MustCompile(`[0-9][0-9.]*`)

// causeOf is the outcome of the first opening, where the others differ from it in numbers at
// most; or that each was answered over several lines. Answers that can be read have no common
// cause: what they say is to be read one by one.
func causeOf(tried []string) string {
	if len(tried) == 0 {
		return ""
	}
	if !slices.ContainsFunc(tried, func(text string) bool { return !strings.Contains(text, spread) }) {
		return "the server writes a message over several lines, want it on one line"
	}
	_, first, _ := strings.Cut(tried[0], ": ")
	if strings.HasPrefix(first, "result ") || strings.HasPrefix(first, "error ") {
		return ""
	}
	for _, other := range tried[1:] {
		if _, outcome, _ := strings.Cut(other, ": "); varies.ReplaceAllString(outcome, "") != varies.ReplaceAllString(first, "") {
			return ""
		}
	}
	return first
}
