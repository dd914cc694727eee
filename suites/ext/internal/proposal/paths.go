package proposal

import "regexp"

// pathSigns are paths of a server's files. Only what lies where operating systems keep
// files is surely one: the path of a URL, a JSON pointer and a path within a repository look
// alike. So some directories need a file with an ending behind them.
func pathSigns() []sign {
	const (
		what  = "a path of the server's files"
		begin = `(?:^|file://|[\s"'` + "`" + `(\[<=:,])`
		step  = `\.?[\w@+-][\w.@+-]*`
		named = `[A-Za-z_.][\w.@+-]*/`                 // a JSON pointer often has a number there
		file  = `(?:` + step + `/)*[\w@+-]+\.[A-Za-z]` // the ending begins
	)
	posix := func(weak bool, below string) sign {
		return sign{what: what, weak: weak, shape: regexp.MustCompile(begin + `(` + below + `[^\s"'` + "`" + `]*)`), spares: requested}
	}
	return []sign{
		// The path of a URL is none of a file.
		{what: what, shape: regexp.MustCompile(`(?:^|file://|[^\w./~-])((?:/home|/root|/Users|/var/lib)/[\w.-][^\s"']*)`), spares: requested},
		posix(false, `/(?:etc|proc/(?:self|\d+)|usr/(?:src|lib|lib64|local|share|bin|sbin|libexec)|`+
			`var/(?:task|log|run|www|cache|spool|tmp|folders|opt))/`+step),
		posix(false, `/(?:opt|srv)/`+named+file),
		posix(false, `/(?:opt|srv)/`+named+step+`/`+step),
		posix(true, `/(?:app|workspaces?)/(?:`+step+`/)+[\w.@+-]+\.(?:py|pyc|[cm]?js|tsx?|jsx|rb|go|java|kt|php|rs|cs|cpp|exs?|pl|lua)\b`),
		// One backslash, or two within a string of JSON.
		{what: what, shape: regexp.MustCompile(`\b[A-Za-z]:\\{1,2}(?:Users\\|` +
			`[\w$~-][\w $.~()-]*(?:\\{1,2}[\w$.~-]{2,}|\.[A-Za-z]\w{1,4}\b))[^\s"']*`)},
		{what: what, shape: regexp.MustCompile(begin + `(\\\\(?:\\\\)?[A-Za-z0-9][\w.-]+\\{1,2}[\w$.-]{2,}\\{1,2}[\w$.-][^\s"']*)`)},
	}
}

// requested spares the path of a request: GET /srv/berths.csv.
func requested(_, before, _ string) bool {
	return regexp.MustCompile(`\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\s+$`).MatchString(before)
}
