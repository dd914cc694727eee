package samples

import (
	"fmt"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// EveryStatus holds each status, each reason for a skip, one problem in three
// columns, one requirement that several cases find broken, a watcher's finding,
// silence and a crash as answers, and more frames than a reader wants.
func EveryStatus() reports.Report {
	findings := []reports.Finding{
		passed(newest(), "lifecycle", "initialize-answered", "initialize is answered with the revision asked for"),
		passed(older(), "lifecycle", "initialize-answered", "initialize is answered with the revision asked for"),
		cursor(newest()), cursor(web()), cursor(older()),
		silence(), impure(), chatty(), broken(),
	}
	findings = append(findings, crashes()...)
	findings = append(findings, skips()...)
	r := judged(report(findings...), "", "resources/read-answered failed")
	r.Verdict.Status, r.Verdict.ExitCode = reports.Failed, reports.ExitFailed
	r.Target.Extensions = []reports.Extension{
		{Name: "idempotency", Claim: "explicit", Where: "capabilities.experimental of the answer to initialize"},
		{Name: "progress", Claim: "weak", Where: "the name of tool export_log"},
	}
	return r
}

// silence is a request without an answer.
func silence() reports.Finding {
	f := passed(newest(), "ping", "answered", "ping is answered with an empty result")
	f.Status = reports.Fail
	f.Problem = "nothing was received within 5 s, want a response with id 2"
	f.Fix = "answer ping from the same loop that reads the input"
	f.Again = "mcp-conform run --case ping/answered -- node dist/index.js"
	f.Link = "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping"
	f.Frames = []reports.Frame{{Dir: "sent", AtMs: 5, Text: `{"jsonrpc":"2.0","id":2,"method":"ping"}`}}
	return f
}

// impure is a watcher's finding with many sightings.
func impure() reports.Finding {
	f := passed(newest(), "stdio", "stdout-pure", "stdout carries messages and nothing else")
	f.Status, f.Count = reports.Fail, 1204
	f.Problem = "the line is no JSON, want a JSON-RPC message"
	f.Fix = "write logs to stderr"
	f.Again = "mcp-conform run --case stdio/stdout-pure -- node dist/index.js"
	f.Notes = []string{"the line came before initialize was answered", "a banner of a package manager does this too"}
	f.Frames = []reports.Frame{{Dir: "received", AtMs: 1, Text: "listening on stdin", Truncated: true}}
	return f
}

// chatty has more frames than a writer shows.
func chatty() reports.Finding {
	f := passed(web(), "progress", "increases", "progress never goes backwards")
	f.Status = reports.Fail
	f.Problem = "$.params.progress is 0.25, want more than 0.75"
	f.Rule = "each progress notification of a request carries a greater value than the one before it, " +
		"even where the total is not known or changes on the way"
	for i := range 9 {
		f.Frames = append(f.Frames, reports.Frame{
			Dir: "received", AtMs: int64(10 * i),
			Text: fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":%d}}`, i%4),
		})
	}
	f.Frames = append(f.Frames, reports.Frame{Dir: "received", AtMs: 99,
		Text: "HTTP/1.1 200 OK\nContent-Type: text/event-stream\nMcp-Session-Id: [redacted]"})
	return f
}

// crashes are four findings of one requirement: three lines that end the process, one of
// them over HTTP as well, and a wrong answer, which makes its own block.
func crashes() []reports.Finding {
	of := func(at reports.Place, slug, line string) reports.Finding {
		f := passed(at, "stdio", slug, "the next request still works after "+line)
		f.Status, f.Requirements = reports.Fail, []requirements.ID{"stdio-survives"}
		f.Problem = "the process ended after the line, want the next request answered"
		f.Fix = "catch the parse error of each line on its own"
		f.Again = "mcp-conform run --case stdio/" + slug + " -- node dist/index.js"
		f.Notes = []string{"what the process wrote to stderr is in mcp-conform-report/stderr.txt"}
		f.Frames = []reports.Frame{
			{Dir: "sent", AtMs: 3, Kind: "message", Text: "POST /mcp\nAccept: application/json, text/event-stream\n" +
				"Content-Type: application/json\nMcp-Protocol-Version: 2025-11-25\n\n" + line},
			{Dir: "received", AtMs: 9, Kind: reports.EndFrame, Text: "exited with code 1\nstderr, the last lines:\n" +
				"/srv/dist/index.js:1\n" + strings.Repeat("var minified=1;", 20) + "\n" +
				"SyntaxError: Unexpected token\n    at JSON.parse (<anonymous>)\n    ... 8 more lines\nNode.js v22.1.0"},
		}
		return f
	}
	text := of(newest(), "survives-text", "a line that is not JSON")
	half := of(newest(), "survives-half", `{"jsonrpc":"2.0","id":900,"method":"pi`)
	half.Fix = "answer -32700 and continue with the next line"
	odd := of(newest(), "survives-odd", "a line of invalid UTF-8")
	odd.Problem, odd.Notes = "the process ended before the line, want the next request answered", nil
	web := of(web(), "survives-odd", "a line of invalid UTF-8")
	web.Problem = odd.Problem
	wrong := of(newest(), "survives-empty", "an empty line")
	wrong.Problem = "$.result is present, want nothing"
	wrong.Frames[1] = reports.Frame{Dir: "received", AtMs: 9, Kind: "message", Text: `{"jsonrpc":"2.0","id":null,"result":{}}`}
	return []reports.Finding{text, half, odd, web, wrong}
}

// broken is a case in which the kit itself crashed.
func broken() reports.Finding {
	f := passed(newest(), "tools", "schema-valid", "the schema of every tool is a valid schema")
	f.Status = reports.Error
	f.Problem = "the case panicked: index out of range [3] with length 3"
	f.Again = "mcp-conform run --case tools/schema-valid -- node dist/index.js"
	return f
}

func skips() []reports.Finding {
	why := func(kind reports.ReasonKind, text string) reports.Reason {
		return reports.Reason{Kind: kind, Text: text}
	}
	state := reports.Reason{Kind: reports.NoRole, Role: "roles.state-change.observe",
		Text: "how the effect is seen"}
	slow := reports.Reason{Kind: reports.NoRole, Role: "roles.slow-tool", Text: "a tool that runs for some time"}
	blocked := reports.Reason{Kind: reports.Blocked, BlockedBy: "resources/list-answered", Text: "resources/list-answered did not pass"}
	var all []reports.Finding
	skip := func(suite, slug string, r reports.Reason) {
		all = append(all, skipped(passed(newest(), suite, slug, slug+" is kept"), r))
	}
	for i := range 19 {
		skip("ext-idempotency", fmt.Sprintf("replay-%02d", i), state)
	}
	all = append(all, skipped(passed(older(), "ext-idempotency", "replay-00", "replay-00 is kept"), state))
	skip("cancellation", "request-stops", slow)
	skip("resources", "read-answered", blocked)
	skip("resources", "templates-listed", blocked)
	skip("prompts", "list-answered", why(reports.NotDeclared, "prompts are not declared"))
	skip("ext-permissions", "denied", why(reports.NotClaimed, "permissions is not claimed"))
	skip("http", "origin-checked", why(reports.OtherTransport, "holds over http only"))
	skip("mrtr", "input-required", why(reports.OtherRevision, "holds from 2026-07-28"))
	skip("logging", "level-kept", why(reports.NotSeen, "a log message"))
	skip("authorization", "challenge", why(reports.NotApplicable, "the server asks for no credentials"))
	skip("schema", "unknown-dialect", why(reports.SaidNone,
		"mcp-conform.yaml:9 says roles.schema-tool: none (a tool that takes a JSON Schema as an argument and uses it)"))
	skip("caching", "ttl-kept", why(reports.Undecided, "the state changed while nobody touched it"))
	skip("tools", "annotations-true", reports.Reason{
		Kind: reports.OptIn, Role: "--allow-side-effects", Text: "a tool with effects would be called"})
	skip("ping", "while-busy", why(reports.Deselected, "left out by --suite"))
	skip("completion", "answered", why(reports.Interrupted, "the run was stopped"))
	expected := skipped(cursor(newest()), why(reports.ExpectedFailure, "upstream issue 41, until 2027-03-01"))
	expected.Case, expected.Suite = "errors/data-object", "errors"
	return append(all, expected)
}

// NonASCII is a server whose author writes in other scripts.
func NonASCII() reports.Report {
	f := cursor(newest())
	f.Status, f.Level = reports.Fail, requirements.Must
	f.Problem = "$.result.tools[0].name is \"Καΐκι-予約\", want only letters, digits and _ - . /"
	f.Frames[1].Text = `{"jsonrpc":"2.0","id":4,"result":{"tools":[{"name":"Καΐκι-予約","description":` +
		`"Réserve un poste à quai 🚢 et l'annonce: 予約が完了しました。予約が完了しました。予約が完了しました。` +
		`予約が完了しました。予約が完了しました。"}]}}`
	f.Notes = []string{"les caractères combinés e\u0301 comptent pour une colonne"}
	r := judged(report(f), "", "")
	r.Target.Name, r.Target.Given = "Λιμάνι 港", "node διακομιστής.js"
	r.Verdict.Status, r.Verdict.ExitCode = reports.Failed, reports.ExitFailed
	return r
}
