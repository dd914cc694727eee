package probe

import (
	"regexp"
	"strings"
	"sync"
)

// Misspelt says what is wrong with the form of the challenges in an answer; it is empty where
// nothing is. The form is that of RFC 9110: schemes with parameters, and commas between them.
func Misspelt(r *Reply) string {
	if r.head == nil || r.head.HTTP == nil {
		return ""
	}
	for _, value := range r.head.HTTP.Header.Values("WWW-Authenticate") {
		if problem := misspelt(value); problem != "" {
			return problem
		}
	}
	return ""
}

// challengeForms are the patterns of RFC 9110, each for the beginning of a text.
var challengeForms = sync.OnceValue(func() (forms struct{ token, token68, quoted, blanks *regexp.Regexp }) {
	forms.token = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+")
	forms.token68 = regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*[ \t]*(,|$)`)
	forms.quoted = regexp.MustCompile(`^"(?:[^"\\]|\\.)*"`)
	forms.blanks = regexp.MustCompile(`^[ \t]*`)
	return forms
})

// misspelt reads a header up to the first thing that does not belong there. Blanks around = are
// let pass, as RFC 9110 asks of readers.
func misspelt(rest string) string {
	is := challengeForms()
	take := func(what *regexp.Regexp) string {
		found := what.FindString(rest)
		rest = rest[len(found):]
		return found
	}
	scheme, bare := "", false // the scheme that the parameters belong to; it ended at a comma
	for {
		rest = strings.TrimLeft(rest, " \t,")
		if rest == "" {
			return ""
		}
		word := take(is.token)
		blank := take(is.blanks)
		switch {
		case word == "":
			return "has " + Show(rest) + " where a scheme or a parameter begins"
		case strings.HasPrefix(rest, "=") && (scheme == "" || bare):
			return "has a comma between the scheme and " + word
		case strings.HasPrefix(rest, "="):
		case rest == "" || rest[0] == ',':
			scheme, bare = word, blank == ""
			continue
		case blank == "":
			return "has " + Show(rest[:1]) + " behind " + word + ", where a blank or = belongs"
		default:
			scheme, bare = word, false
			if is.token68.MatchString(rest) {
				_, rest, _ = strings.Cut(rest, ",")
				continue
			}
			word = take(is.token)
			take(is.blanks)
			if word == "" || !strings.HasPrefix(rest, "=") {
				return "has " + Show(word+rest) + " behind " + scheme + ", where a parameter belongs"
			}
		}
		rest = rest[1:]
		take(is.blanks)
		value := take(is.quoted)
		if value == "" {
			value = take(is.token)
		}
		take(is.blanks)
		if rest != "" && rest[0] != ',' {
			return spoiltValue(word, value, rest)
		}
	}
}

// spoiltValue says why a value does not end where it has to.
func spoiltValue(name, value, rest string) string {
	switch {
	case strings.HasPrefix(value, `"`):
		return "has " + Show(rest[:1]) + " behind the value of " + name + ", where a comma belongs"
	case strings.HasPrefix(rest, `"`):
		return "has a value of " + name + " whose quotes do not end"
	}
	return "has a value of " + name + " without double quotes, although there is " + Show(rest[:1]) + " in it"
}
