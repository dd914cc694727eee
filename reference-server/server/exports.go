package server

import (
	"bytes"
	"fmt"
	"regexp"
	"sync"
)

// results are what export_result_ref knows: the log of a year of this century, as a table.
// Each log is the same, and is written when it is first asked for.
func results() func(id string) (data []byte, mime string) {
	log := sync.OnceValue(func() []byte {
		var table bytes.Buffer
		table.WriteString("day,vessels,highest tide in metres,remarks\n")
		for day := range 366 {
			_, _ = fmt.Fprintf(&table, "%d,%d,%.2f,calm sea and good sight\n", day+1, 3+day*day%7, tides(day + 1)[0].Height)
		}
		return table.Bytes()
	})
	return func(id string) ([]byte, string) {
		if !exported.MatchString(id) {
			return nil, ""
		}
		return log(), "text/csv"
	}
}

var exported = regexp.MustCompile(`^log-20\d\d$`)
