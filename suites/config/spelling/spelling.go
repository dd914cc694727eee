// Package spelling guesses which known word was meant by one that is not
// known.
package spelling

import (
	"cmp"
	"slices"
	"strings"
)

// More suggestions are noise.
const most = 3

// Near lists known words that a misspelt word may mean, the likeliest first.
func Near(written string, known []string) []string {
	type candidate struct {
		word     string
		distance int
	}
	var near []candidate
	lower := strings.ToLower(written)
	for _, word := range known {
		d := distance(lower, strings.ToLower(word))
		if len(lower) > 2 && strings.Contains(strings.ToLower(word), lower) {
			d = min(d, 1)
		}
		if d <= len(written)/3+1 {
			near = append(near, candidate{word, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.word, b.word))
	})
	var words []string
	for _, c := range near[:min(len(near), most)] {
		words = append(words, c.word)
	}
	return words
}

// Or joins words as a sentence offers them: a, b or c.
func Or(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// distance counts the bytes to insert, drop or change.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
