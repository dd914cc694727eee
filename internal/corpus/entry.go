package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
)

// An entry is one server of the corpus: a file of fixtures/corpus.
type entry struct {
	Name string `json:"-"` // name of the file
	// Npm and Go list the packages of the server, with their versions.
	Npm []string `json:"npm,omitempty"`
	Go  string   `json:"go,omitempty"`
	// Platform is the only one that the packages have programs for, as in linux/amd64.
	Platform string `json:"platform,omitempty"`
	// Command and Environment may hold {modules}, {bin}, {port} and {scratch}.
	Command     []string `json:"command"`
	Environment []string `json:"environment,omitempty"`
	// Behind names one of proxies, which stands before the server.
	Behind string `json:"behind,omitempty"`
	// Stdio: the command serves standard input and output, and the kit starts it.
	Stdio bool `json:"stdio,omitempty"`
	// Config fills roles, as mcp-conform.yaml does: a tool that asks its client cannot be
	// found without one.
	Config    json.RawMessage `json:"config,omitempty"`
	Revisions []string        `json:"revisions"`
	Findings  []expected      `json:"findings"`
}

// An expected is a correct fail or warning, with the reason.
type expected struct {
	Case      string   `json:"case"`
	Status    string   `json:"status"`
	Revisions []string `json:"revisions"`
	Reason    string   `json:"reason"`
	// Sometimes: the server does it in some runs only, and a run without it is no difference.
	Sometimes bool `json:"sometimes,omitempty"`
}

// findings holds the statuses other than pass and skip, and undecided cases, by place.
type findings map[place]string

const undecided = "undecided"

type place struct{ name, revision string }

func (p place) String() string { return p.name + " at " + p.revision }

func of(r reports.Report) findings {
	all := findings{}
	for _, f := range r.Findings {
		at := place{f.Case, string(f.Revision)}
		switch {
		case f.Status == reports.Skip && f.Reason != nil && f.Reason.Kind == reports.Undecided:
			all[at] = undecided
		case f.Status != reports.Pass && f.Status != reports.Skip:
			all[at] = string(f.Status)
		}
	}
	return all
}

func (f findings) count(status string) int {
	n := 0
	for _, s := range f {
		if s == status {
			n++
		}
	}
	return n
}

func (f findings) places() []place {
	return slices.SortedFunc(maps.Keys(f), func(a, b place) int {
		if a.name != b.name {
			return strings.Compare(a.name, b.name)
		}
		return strings.Compare(b.revision, a.revision)
	})
}

func (e entry) expected() findings {
	all := findings{}
	for _, x := range e.Findings {
		for _, revision := range x.Revisions {
			all[place{x.Case, revision}] = x.Status
		}
	}
	return all
}

// sometimes are the places that not every run finds.
func (e entry) sometimes() []place {
	var all []place
	for _, x := range e.Findings {
		for _, revision := range x.Revisions {
			if x.Sometimes {
				all = append(all, place{x.Case, revision})
			}
		}
	}
	return all
}

// differences lists the places where the findings differ from the expected ones. Behind
// a proxy that sometimes answers itself, any case may be undecided.
func (e entry) differences(got findings) []string {
	want, sometimes := e.expected(), e.sometimes()
	places := maps.Clone(got)
	maps.Copy(places, want)
	var all []string
	for _, p := range places.places() {
		switch w, g := want[p], got[p]; {
		case w == g, g == undecided && (w == "" || e.Behind == "unsteady"):
		case w == "":
			all = append(all, fmt.Sprintf("new: %s is %s", p, g))
		case (g == "" || g == undecided) && slices.Contains(sometimes, p):
		case g == "" || g == undecided:
			all = append(all, fmt.Sprintf("gone: %s was %s", p, w))
		default:
			all = append(all, fmt.Sprintf("changed: %s is %s, it was %s", p, g, w))
		}
	}
	return all
}

// with is the entry with other findings. A case keeps its reason, and what happens only
// sometimes is kept.
func (e entry) with(got findings) entry {
	reasons := map[string]string{}
	got = maps.Clone(got)
	sometimes, want := e.sometimes(), e.expected()
	for _, p := range sometimes {
		if got[p] == "" || got[p] == undecided {
			got[p] = want[p]
		}
	}
	for _, x := range e.Findings {
		reasons[x.Case] = x.Reason
	}
	e.Findings = nil
	for _, p := range got.places() {
		if got[p] == undecided {
			continue
		}
		same := slices.IndexFunc(e.Findings, func(x expected) bool { return x.Case == p.name && x.Status == got[p] })
		if same < 0 {
			same = len(e.Findings)
			e.Findings = append(e.Findings, expected{
				Case: p.name, Status: got[p], Reason: reasons[p.name], Sometimes: slices.Contains(sometimes, p),
			})
		}
		e.Findings[same].Revisions = append(e.Findings[same].Revisions, p.revision)
	}
	return e
}

// unexplained lists the findings without a reason.
func (e entry) unexplained() []string {
	var all []string
	for _, x := range e.Findings {
		if strings.TrimSpace(x.Reason) == "" {
			all = append(all, fmt.Sprintf("%s is %s without a reason", x.Case, x.Status))
		}
	}
	return all
}

// readAll reads the entries of a folder, in the order of their names.
func readAll(folder string) ([]entry, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	var all []entry
	for _, file := range files {
		raw, err := os.ReadFile(file) //nolint:gosec // found above
		if err != nil {
			return nil, err
		}
		e := entry{Name: strings.TrimSuffix(filepath.Base(file), ".json")}
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&e); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, e)
	}
	return all, nil
}

func (e entry) write(folder string) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "\t")
	if err := encoder.Encode(e); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, e.Name+".json"), text.Bytes(), 0o600)
}
