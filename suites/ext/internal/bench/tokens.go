package bench

import (
	"strconv"
	"strings"
)

// Counted reports whether two tokens differ in whole numbers only that lie close
// together, as those of counters and clocks do. Random numbers lie far apart.
func Counted(one, other string) bool {
	const near = 1 << 34 // nanoseconds between two answers
	a, b := parts(one), parts(other)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		n, err := strconv.ParseUint(a[i], 10, 64)
		m, too := strconv.ParseUint(b[i], 10, 64)
		if err != nil || too != nil || max(n, m)-min(n, m) > near {
			return false
		}
	}
	return true
}

// parts are the numbers of a token and what stands between them.
func parts(token string) []string {
	var all []string
	digit := false
	for i, r := range token {
		if is := strings.ContainsRune("0123456789", r); i == 0 || is != digit {
			all, digit = append(all, ""), is
		}
		all[len(all)-1] += string(r)
	}
	return all
}
