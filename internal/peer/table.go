package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

//go:embed parity.json
var parityText []byte

// The files that -write keeps, from the root of the project.
const (
	resultsFile  = "internal/peer/results.json"
	documentFile = "docs/parity.md"
)

// A parity maps checks of the official suite to our cases.
type parity struct {
	Rows []row `json:"rows"`
	// Scenarios lists the scenarios about pages that we judge.
	Scenarios []string `json:"scenarios"`
}

// A row is one check of the official suite.
type row struct {
	Check string   `json:"check"`
	About string   `json:"about"`
	Cases []string `json:"cases,omitempty"`
	// Note says where the suite and the specification differ.
	Note string `json:"note,omitempty"`
	// Later names the page that will get the cases.
	Later string `json:"later,omitempty"`
}

func readParity() (parity, error) {
	var p parity
	decoder := json.NewDecoder(bytes.NewReader(parityText))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		return p, fmt.Errorf("parity.json: %w", err)
	}
	return p, nil
}

func (p parity) row(check string) (row, bool) {
	for _, r := range p.Rows {
		if r.Check == check {
			return r, true
		}
	}
	return row{}, false
}

// unknown lists the checks of the suite that the table lacks.
func (p parity) unknown(s seen) []error {
	var all []error
	for check := range s.Official {
		if _, listed := p.row(check); !listed {
			all = append(all, fmt.Errorf("parity.json has no row for the check %s, seen on the %s", check, s.Server))
		}
	}
	return all
}

// keep writes the results of the rows, and the document.
func keep(p parity, all []seen) error {
	for i, s := range all {
		all[i].Judged = p.judged(s)
		official, ours := map[string]string{}, map[string]string{}
		for _, r := range p.Rows {
			if status, made := s.Official[r.Check]; made {
				official[r.Check] = status
			}
			for _, name := range r.Cases {
				if status, ran := s.Ours[name]; ran {
					ours[name] = status
				}
			}
		}
		all[i].Official, all[i].Ours = official, ours
	}
	text, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(resultsFile, append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.WriteFile(documentFile, []byte(document(p, all)), 0o600)
}

// judged counts the results on pages that have a row. A page is the suite of our cases.
func (p parity) judged(s seen) judged {
	pages, checks := map[string]bool{}, map[string]bool{}
	for _, r := range p.Rows {
		checks[r.Check] = true
		for _, name := range r.Cases {
			pages[page(name)] = true
		}
	}
	var n judged
	for check, status := range s.Official {
		if checks[check] && said(status) != "-" {
			n.Official++
		}
	}
	for name, status := range s.Ours {
		if pages[page(name)] && said(status) != "-" {
			n.Ours++
		}
	}
	return n
}

func page(id string) string {
	name, _, _ := strings.Cut(id, "/")
	return name
}

const preface = `# Beside the official suite

What the official conformance suite checks (` + "`@modelcontextprotocol/conformance` " + suiteVersion + `) and which cases of
mcp-conform check it: the pages on lifecycle, HTTP, headers, DNS rebinding, caching, schemas, tools, resources, prompts,
completion, logging and progress, what a server asks its client, and tasks. It has no check of cancellation.
` + "`make peer`" + ` fetches the suite, runs both on three servers and writes this page; it needs npm and a network.

Each server has two words: what the official suite says, then the worst that our cases of the row say. A dash means that there
was nothing to judge. The official suite expects tools with fixed names; without them it says "failure", where we say nothing.

`

// document makes docs/parity.md.
func document(p parity, all []seen) string {
	var b strings.Builder
	b.WriteString(preface)
	b.WriteString("| official check | our cases |")
	for _, s := range all {
		b.WriteString(" " + s.Server + " |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(all)) + "\n")
	var notes []string
	for _, r := range p.Rows {
		cases := "`" + strings.Join(r.Cases, "` `") + "`"
		if len(r.Cases) == 0 {
			cases = "with the page on " + r.Later
		}
		if r.Note != "" {
			notes = append(notes, r.Note)
			cases += fmt.Sprintf(" [%d]", len(notes))
		}
		fmt.Fprintf(&b, "| `%s`: %s | %s |", r.Check, r.About, cases)
		for _, s := range all {
			fmt.Fprintf(&b, " %s, %s |", said(s.Official[r.Check]), said(s.worst(r.Cases)))
		}
		b.WriteString("\n")
	}
	b.WriteString("\nSo much each kit had to say about these pages (passed, warned or failed):\n\n" +
		"| server | checks of the official suite | cases of mcp-conform |\n|---|---|---|\n")
	for _, s := range all {
		fmt.Fprintf(&b, "| %s | %d | %d |\n", s.Server, s.Judged.Official, s.Judged.Ours)
	}
	if len(notes) > 0 {
		b.WriteString("\nWhere the suite and the specification differ:\n\n")
	}
	for i, note := range notes {
		fmt.Fprintf(&b, "%d. %s\n", i+1, note)
	}
	return b.String()
}

func (s seen) worst(cases []string) string {
	var status string
	for _, name := range cases {
		if ran := s.Ours[name]; ran != "" {
			status = worse(status, ran, "skip", "pass", "warn", "fail", "error")
		}
	}
	return status
}

func said(status string) string {
	switch status {
	case "", "skip", "SKIPPED":
		return "-"
	case "SUCCESS":
		return "pass"
	case "FAILURE":
		return "failure"
	case "WARNING":
		return "warning"
	default:
		return status
	}
}
