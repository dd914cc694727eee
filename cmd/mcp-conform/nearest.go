package main

import (
	"cmp"
	"slices"
	"strings"
)

// Suggestions beyond these are noise.
const mostNearest = 3

// nearest lists the known names that may have been meant, the likeliest first.
func nearest(written string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	lower := strings.ToLower(written)
	for _, name := range known {
		distance := editDistance(lower, strings.ToLower(name))
		if len(lower) > 2 && strings.Contains(strings.ToLower(name), lower) {
			distance = min(distance, 1)
		}
		if distance <= len(written)/3+1 {
			near = append(near, candidate{name, distance})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, c := range near[:min(len(near), mostNearest)] {
		names = append(names, c.name)
	}
	return names
}

// perhaps is a hint that names them, or otherwise what to do instead.
func perhaps(written string, known []string, otherwise string) string {
	if near := nearest(written, known); len(near) > 0 {
		return "did you mean " + orList(near) + "?"
	}
	return otherwise
}

func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// editDistance counts the bytes to insert, drop or change.
func editDistance(a, b string) int {
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
