package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/record"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func replayCommand(w world) *cobra.Command {
	var output outputFlags
	var selection selectionFlags
	cmd := &cobra.Command{
		Use:   "replay [flags] FILE",
		Short: "judge a recorded server again, without the server",
		Long: `Judge again what run --record has written: the kit says the same, and hears
what the server answered then, as late as it answered. No server is started, no
address is asked, no command of the configuration runs.

The cases are those of the recorded run, or those of --suite and --case among
them; the columns are those of the recorded run, or those of --revision and
--transport. A case that sends what the recording does not hold is undecided;
the verdict counts these requests.`,
		Example: "mcp-conform run --record server.jsonl -- node dist/index.js\nmcp-conform replay server.jsonl " +
			"--case tools/unknown-name",
		DisableFlagsInUseLine: true,
		Args:                  files(1, 1, "want one recording"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, inner, err := replayed(w, args[0])
			if err != nil {
				return err
			}
			recorded := f.selection
			given := cmd.Flags().Changed
			if given("suite") || given("case") || given("level") || given("shard") {
				f.selection = selection
			}
			f.selection.revisions, f.selection.transport = recorded.revisions, recorded.transport
			if given("revision") {
				f.selection.revisions = selection.revisions
			}
			if given("transport") {
				f.selection.transport = selection.transport
			}
			f.replay.cases, f.output = recorded, output
			_, err = f.once(cmd.Context(), w, inner.Flags())
			return err
		},
	}
	sectioned(w, cmd, selection.section(), output.section())
	completeRun(cmd)
	return cmd
}

// replayed are the flags of the recorded run. A recording may come from anybody: it sets
// what is judged and how, and nothing that leads to another file.
func replayed(w world, path string) (*runFlags, *cobra.Command, error) {
	text, err := os.Open(path)
	if err != nil {
		return nil, nil, &misuse{err.Error(), ""}
	}
	defer func() { _ = text.Close() }() // it is only read
	recording, err := record.Read(text)
	if err != nil {
		return nil, nil, &misuse{path + ": " + err.Error(), ""}
	}
	r := &replay{of: recording}
	if err := json.Unmarshal(recording.Setup, &r.setup); err != nil {
		return nil, nil, &misuse{path + ": " + err.Error(), ""}
	}
	for _, written := range r.setup.Flags {
		name, _, _ := strings.Cut(written, "=")
		if long, ok := strings.CutPrefix(name, "--"); !ok || !slices.Contains(lasting(), long) {
			return nil, nil, &misuse{path + ": it holds the flag " + quoted(name) + ", which no recording keeps", "run --record writes recordings"}
		}
	}
	f := &runFlags{replay: r}
	cmd := f.command(w)
	if err := cmd.ParseFlags(r.setup.Flags); err != nil {
		return nil, nil, &misuse{path + ": " + err.Error(), "it was recorded by version " + r.setup.Version}
	}
	w.say("%s was recorded on %s by version %s", path, r.setup.Recorded.Format(time.DateOnly), r.setup.Version)
	return f, cmd, nil
}

// narrow leaves out what the recorded run did not judge: there, the answers to other cases
// would take the place of those that were never asked for.
func (r *replay) narrow(pick selection, all []suite.Suite, catalogue *requirements.Catalogue, at config.Revisions) (selection, error) {
	if r == nil {
		return pick, nil
	}
	was, err := r.cases.pick(all, catalogue, at)
	switch {
	case err != nil || was == nil:
		return pick, err
	case pick == nil:
		return was, nil
	}
	both := func(s suite.Suite, c suite.Case) bool { return pick(s, c) && was(s, c) }
	for _, s := range all {
		if slices.ContainsFunc(s.Cases, func(c suite.Case) bool { return both(s, c) }) {
			return both, nil
		}
	}
	return nil, &misuse{"the recorded run judged none of these cases", "without --suite and --case, replay judges those that it did"}
}
