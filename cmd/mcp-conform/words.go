package main

import (
	"strconv"
	"strings"
)

// quoted shows a foreign word on one line and without control characters.
func quoted(s string) string { return strconv.Quote(s) }

// each applies turn to every word.
func each(words []string, turn func(string) string) []string {
	turned := make([]string, len(words))
	for i, word := range words {
		turned[i] = turn(word)
	}
	return turned
}

// shellWords writes arguments so that a shell reads the same arguments back.
func shellWords(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = shellWord(a)
	}
	return strings.Join(words, " ")
}

func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_@%+=:,./-", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
