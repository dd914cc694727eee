package reports

import "slices"

// The exit codes of a run. They are part of the interface of the command.
const (
	ExitPassed      = 0   // nothing failed
	ExitFailed      = 1   // the server failed, whatever else happened
	ExitUsage       = 2   // a flag or a configuration is wrong
	ExitUnjudged    = 3   // something could not be judged and nothing failed
	ExitInterrupted = 130 // somebody stopped the run
)

// Counts reports whether the finding counts against the server in every run. A
// broken SHOULD does so only where the run is strict, see [Finding.CountsIn].
func (f Finding) Counts() bool { return f.Status == Fail }

// CountsIn is Counts for a run that may be strict.
func (f Finding) CountsIn(strict bool) bool {
	return f.Counts() || strict && f.Status == Warn
}

// Exit is the exit code that the columns deserve: a failure of the server
// outweighs everything, then comes what could not be judged, for a reason that
// the counts show or that the verdict holds already. Wrong use, interruption
// and a strict baseline are known to the caller only.
func (v Verdict) Exit(strict bool) int {
	sum := v.Total()
	switch {
	case sum.Fail > 0, strict && sum.Warn > 0:
		return ExitFailed
	case sum.Error > 0, v.Status == Unjudged, v.ExitCode == ExitUnjudged:
		return ExitUnjudged
	default:
		return ExitPassed
	}
}

// Exit is that of the verdict, where a run that was cut short has not judged
// everything either.
func (r Report) Exit(strict bool) int {
	code := r.Verdict.Exit(strict)
	if code == ExitPassed && r.CutShort() {
		return ExitUnjudged
	}
	return code
}

// Incomplete says why the run did not judge everything, for a reason that no
// finding shows.
func (r *Report) Incomplete(why string) {
	r.Verdict.Text, r.Verdict.ExitCode = why, ExitUnjudged
	r.Verdict.ExitCode = r.Exit(false) // the server may have failed all the same
}

// CutShort reports whether the run ended before every case had its turn.
func (r Report) CutShort() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Reason != nil && f.Reason.Kind == Interrupted })
}
