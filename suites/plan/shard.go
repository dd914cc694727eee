package plan

import "fmt"

// A Shard is the part Index, counted from 1, of Of parts of a whole: of the cases of a run,
// whose reports reports.Merge joins, or of the trials of selftest. Its zero value is all
// of it.
type Shard struct{ Index, Of int }

// String is how reports and command lines write a part: "1/3".
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Has reports whether the part has the thing of that number. Things are dealt out one
// after the other, so that those which take long for the same reason are spread.
func (s Shard) Has(n int) bool { return s.Of == 0 || n%s.Of == s.Index%s.Of }
