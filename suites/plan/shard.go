package plan

import "fmt"

// A Shard is part Index, counted from 1, of Of parts: of the cases of a run,
// whose reports reports.Merge joins, or of the trials of selftest. The zero
// value is the whole.
type Shard struct{ Index, Of int }

// String is the part in reports and command lines: "1/3".
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Has reports whether the part holds the n-th thing. Neighbours go to different
// parts, since things that take long for the same reason are often neighbours.
func (s Shard) Has(n int) bool { return s.Of == 0 || n%s.Of == s.Index%s.Of }
