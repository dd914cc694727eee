package main

import "strings"

// A term is a word of the reports that explain knows.
type term struct {
	kind, name string
	about      string
	next       string // what the reader can do
}

// vocabulary lists the words of a report, from the verdict to the level of a rule.
func vocabulary() []term {
	return []term{
		{"verdict", "PASS", "Nothing failed, and every case of a MUST that applies was judged. Exit code 0.", ""},
		{
			"verdict", "PARTIAL",
			"Nothing failed, but a MUST that applies was not judged, or a failure is accepted as known. Exit code 0; " +
				"3 if a case ended in an error, or if a login or the limit of the run kept it from judging more; " +
				"with --fail-on-partial 1 if a MUST was not judged.",
			"The end of the report lists what was not judged, with the key of mcp-conform.yaml that would enable it. " +
				"What the server does not have at all is said with none; docs/none.md shows it.",
		},
		{
			"verdict", "FAIL", "At least one MUST is broken, or with --strict a SHOULD. Exit code 1.",
			"Each finding names the rule, the bytes and the fix, and a command that judges this case again.",
		},
		{
			"verdict", "NOT JUDGED",
			"Nothing can be said about the server: it did not start, could not be reached, or supports no known revision. Exit code 3.",
			"The text beside it says what was tried, and shows the last lines that the server wrote to stderr.",
		},
		{"verdict", "INTERRUPTED", "Somebody stopped the run. The report holds the findings so far, without a grade. Exit code 130.", ""},

		{"exit code", "exit code 0", "Nothing failed: the verdict is PASS or PARTIAL.", ""},
		{
			"exit code", "exit code 1",
			"The server failed. With --strict also a warning fails it, with --fail-on-partial a MUST that was not judged, " +
				"with --strict-baseline an entry of the baseline that is out of date; and go run turns every code except 0 into 1.",
			"The end of the report names the worst findings, and the command that judges the first of them again.",
		},
		{
			"exit code", "exit code 2", "A flag or the configuration is wrong, and nothing was judged.",
			"The message names the flag, or the file, the line and the column, and what is meant.",
		},
		{
			"exit code", "exit code 3",
			"The server could not be judged, or not to the end: it did not start, wants a login, speaks no known revision, " +
				"or ended during a case; or --limit ended the run.",
			"The text below the verdict says which. docs/troubleshooting.md lists what it may say.",
		},
		{"exit code", "exit code 130", "Somebody stopped the run.", ""},

		{"status", "pass", "The server follows the rule.", ""},
		{"status", "fail", "The server breaks a MUST.", ""},
		{
			"status", "warn",
			"The server breaks a SHOULD; or a rule that the specification implies without the word MUST and without a schema; " +
				"or a rule of a proposal that only the kit settled, or that the server does not claim by name. " +
				"It counts against the server with --strict.", "",
		},
		{"status", "skip", "The case was not judged, or does not apply. The reason says which. It never counts as passed.", ""},
		{
			"status", "error",
			"The case could not be judged: the server disappeared, or mcp-conform itself failed. The message says which. Exit code 3.", "",
		},

		{"reason", "judged", "The case passed, failed or warned.", ""},
		{
			"reason", "not judged",
			"The case applies, and something is missing that would let it be judged. A MUST case that is not judged makes the verdict PARTIAL.",
			"The reason names what is missing, mostly a role or a key of mcp-conform.yaml.",
		},
		{
			"reason", "not applicable",
			"The server has nothing that the case is about, or the rule does not hold at this revision or transport. It costs nothing.", "",
		},
		{
			"reason", "no role", "The case has to know something of the server by name, such as a tool that takes long, and nothing names it.",
			"explain ROLE shows the fields; fill them in, or write none for what the server does not have.",
		},
		{
			"reason", "opt in", "The case does something that has to be allowed first, such as reaching other hosts.",
			"The reason names the key or the flag.",
		},
		{
			"reason", "blocked", "Another case did not pass on which this one builds; the line names it.",
			"Fix what the named case shows.",
		},
		{"reason", "undecided", "What the server answered allowed no verdict. The reason is beside it.", ""},
		{"reason", "not seen", "The server sent no message that the case is about. It costs nothing.", ""},
		{"reason", "not declared", "The server does not declare the capability that the case is about. It costs nothing.", ""},
		{
			"reason", "not claimed", "The server does not say that it has the extension. It costs nothing.",
			"If the server has it, declare it, or write it under claims.",
		},
		{"reason", "expected failure", "The case was not run, since the baseline accepts its failure.", ""},
		{"reason", "deselected", "The flags of the run chose other cases.", ""},

		{"word", "case", "A conversation with the server that judges one rule. Its name is suite/slug, the same whether it passes or fails.", ""},
		{"word", "column", "A revision over a transport, such as 2025-11-25 over stdio. Each is judged by itself.", ""},
		{"word", "finding", "What came of one case in one column.", ""},
		{
			"word", "block", "The findings of one rule as the report shows them: the evidence of the first one, and behind also the others.",
			"--verbose shows each by itself.",
		},
		{"word", "role", "Something of the server that a case has to know by name, as mcp-conform.yaml names it.", "list roles shows all."},
		{
			"word", "baseline", "Known failures that do not fail the run, each with a reason, and mostly with an end.",
			"--write-baseline FILE writes them, --baseline FILE accepts them.",
		},
		{"word", "grade", "How far a column without a failure came: Core, Extended or Full; partial where a case of it was not judged.", ""},
		{
			"word", "also",
			"In a finding: the other places where the same rule is broken. Below the verdict: the revisions that were not judged.", "",
		},
		{"word", "worst", "The heaviest findings, one line each.", ""},
		{"word", "next", "What to do first.", ""},
		{"word", "again", "The command that judges this case alone.", "Change the server, and paste the command."},

		{"grade", "Core", "The pages that every server needs were judged, and nothing failed.", ""},
		{"grade", "Extended", "Core, and the pages on resources, prompts and the utilities.", ""},
		{"grade", "Full", "Extended, and every other page of the protocol.", ""},
		{"grade", "partial", "A case of the grade applies and was not judged.", "The line below the column names the first one."},

		{"level", "MUST", "The specification requires it. Breaking it fails.", ""},
		{"level", "MUST (prose)", "A page says it without a keyword, and no schema does. Breaking it warns.", ""},
		{"level", "SHOULD", "The specification recommends it. Breaking it warns.", ""},
		{"level", "MAY", "The specification permits it. No case checks it.", ""},

		{
			"claim", "explicit claim",
			"The server names the extension: under capabilities.extensions, in its manifest, or the operator does with claims. A broken MUST fails.",
			"",
		},
		{
			"claim", "strong claim",
			"The server does not name the extension, but offers what only the extension has. A broken MUST of its text or schema fails.", "",
		},
		{"claim", "weak claim", "Something in the server looks like the extension. Whatever is broken warns.", ""},
	}
}

// explainTerms explains the terms with a name, or all of a kind. A number is an exit code.
func explainTerms(name string) []page {
	var pages []page
	name = strings.ReplaceAll(name, "-", " ")
	for _, t := range vocabulary() {
		if !strings.EqualFold(t.name, name) && !strings.EqualFold(t.kind, name) && t.name != "exit code "+name {
			continue
		}
		var p page
		p.title(t.kind, strings.TrimPrefix(t.name, t.kind+" "), t.about)
		if t.next != "" {
			p.part("what to do", t.next)
		}
		pages = append(pages, p)
	}
	return pages
}
