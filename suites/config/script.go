package config

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	shell    = regexp.MustCompile(`^(ba|da|z|k|a)?sh(\.exe)?$`)
	inline   = regexp.MustCompile(`^-[a-z]*c$`)
	variable = regexp.MustCompile(`^\$(\w+|\{\w+\}|[@*#?])$`)
)

// isScript reports whether the word behind these is the script of a shell, as behind sh -c.
func isScript(before []string) bool {
	last := len(before) - 1
	return last > 0 && inline.MatchString(before[last]) && slices.ContainsFunc(before[:last], func(word string) bool {
		return shell.MatchString(path.Base(strings.ReplaceAll(word, `\`, "/")))
	})
}

// scriptSecrets are those in the words of a script. What the script reads from a variable
// is none, and the rest of the script stays, since readers copy the command.
func scriptSecrets(script string) []string {
	return slices.DeleteFunc(argumentSecrets(scriptWords(script)), func(found string) bool {
		return variable.MatchString(strings.Trim(found, `"`))
	})
}

// scriptWords splits a script roughly, at spaces and at signs between commands. A word with
// quotes comes as it stands, too: of "ab"'cd' the text holds no abcd. "$@" stands for
// arguments of the shell, which are looked at by themselves.
func scriptWords(script string) []string {
	script = strings.NewReplacer(`"$@"`, "", "$@", "").Replace(script)
	var words []string
	var plain, raw strings.Builder
	var quote rune
	escaped := false
	end := func() {
		if plain.Len() > 0 {
			words = append(words, plain.String())
		}
		if raw.Len() != plain.Len() {
			words = append(words, raw.String())
		}
		plain.Reset()
		raw.Reset()
	}
	for _, c := range script {
		between := quote == 0 && !escaped
		switch {
		case between && strings.ContainsRune(" \t\r\n;|()<>", c):
			end()
			continue
		case between && (c == '\'' || c == '"'):
			quote = c
		case quote == c && !escaped:
			quote = 0
		default:
			plain.WriteRune(c)
		}
		raw.WriteRune(c)
		escaped = c == '\\' && quote != '\'' && !escaped
	}
	end()
	return words
}
