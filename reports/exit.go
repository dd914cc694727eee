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

// CountsIn reports whether the finding counts against the server in a run that may be
// strict.
func (f Finding) CountsIn(strict bool) bool {
	return f.Counts() || strict && f.Status == Warn
}

// CutShort reports whether the run ended before every case had its turn.
func (r Report) CutShort() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Reason != nil && f.Reason.Kind == Interrupted })
}

// WorstCode is the exit code of several runs together. A failure of a server outweighs
// everything, as in one run; then come wrong use, an interruption, and what could not be
// judged.
func WorstCode(codes ...int) int {
	worst := ExitPassed
	for _, code := range codes {
		if precedence(code) > precedence(worst) {
			worst = code
		}
	}
	return worst
}

// WorstStatus is the verdict on several servers together.
func WorstStatus(all ...VerdictStatus) VerdictStatus {
	worst := Passed
	for _, s := range all {
		if badness(s) > badness(worst) {
			worst = s
		}
	}
	return worst
}
