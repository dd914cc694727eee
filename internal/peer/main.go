// Command peer runs the official conformance suite of the protocol beside this kit: it
// fetches the suite with npm, and judges three servers with both. It fails if our
// reference server does not pass a scenario of the pages that we judge, or if the suite
// makes a check that parity.json lacks. With -write it saves the results and makes
// docs/parity.md from them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	write := flag.Bool("write", false, "keep the results, and write docs/parity.md")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := compare(ctx, *write); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1) //nolint:gocritic // no deferred function is left to run
	}
}

// compare runs both kits on each server. It must be called from the root of the project.
func compare(ctx context.Context, write bool) error {
	parity, err := readParity()
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	t, err := install(ctx, filepath.Join(cache, "mcp-conform", "peer"))
	if err != nil {
		return err
	}
	var all []seen
	var problems []error
	for _, s := range t.servers() {
		got, err := t.judge(ctx, s, parity.Scenarios)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Println(got.summary())
		all = append(all, got)
		problems = append(problems, parity.unknown(got)...)
	}
	problems = append(problems, all[0].failures(parity)...)
	if write {
		if err := keep(parity, all); err != nil {
			return err
		}
	}
	return errors.Join(problems...)
}

// A seen holds the results of the two kits on one server.
type seen struct {
	Server   string            `json:"server"`
	Official map[string]string `json:"official"` // the worst status of each check
	Ours     map[string]string `json:"ours"`     // the worst status of each case
	Judged   judged            `json:"judged"`
	Checks   int               `json:"-"` // number of checks that passed or failed
	Verdicts int               `json:"-"`
	seconds  [2]float64
}

// judged counts, for the pages of the table, the checks and the cases that passed,
// warned or failed.
type judged struct {
	Official int `json:"official"`
	Ours     int `json:"ours"`
}

func (s seen) summary() string {
	return fmt.Sprintf("%s: the official suite %.1f s and %d checks, mcp-conform %.1f s and %d verdicts",
		s.Server, s.seconds[0], s.Checks, s.seconds[1], s.Verdicts)
}

// failures lists the checks of our pages that the server does not pass.
func (s seen) failures(p parity) []error {
	var all []error
	for _, row := range p.Rows {
		if status := s.Official[row.Check]; !slices.Contains([]string{"", "SUCCESS", "SKIPPED"}, status) && row.Later == "" {
			all = append(all, fmt.Errorf("%s: the check %s is %s", s.Server, row.Check, strings.ToLower(status)))
		}
	}
	return all
}
