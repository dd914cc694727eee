package config

import (
	"encoding/base64"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// merelyHidden lists likely credentials that a server may rightly show: values
// in its environment and on its command line, and the password in a URL.
func (c Config) merelyHidden() []string {
	t := c.Target
	found := envSecrets(t.Env)
	for _, p := range c.Principals.all() {
		found = slices.Concat(found, envSecrets(p.Env), basicPasswords(p.Headers))
	}
	found = slices.Concat(found, basicPasswords(t.Headers), argumentSecrets(t.Argv()), argumentSecrets(t.StartArgv()))
	for _, address := range []string{t.URL, t.SSEURL, t.WellKnownURL, t.CapabilitiesURL} {
		found = append(found, urlSecrets(address)...)
	}
	return slices.DeleteFunc(found, isPlainWord)
}

// headerSecrets returns the secret part of credential headers: the text after
// the scheme of Authorization, and each value of a Cookie.
func headerSecrets(headers map[string]string) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		value := strings.TrimSpace(headers[name])
		switch {
		case !isCredentialHeader(name) || value == "":
		case strings.EqualFold(name, "Cookie"):
			for pair := range strings.SplitSeq(value, ";") {
				if _, inner, ok := strings.Cut(pair, "="); ok {
					pair = inner
				}
				found = append(found, strings.Trim(strings.TrimSpace(pair), `"`))
			}
		case strings.HasSuffix(strings.ToLower(name), "authorization"):
			if _, token, ok := strings.Cut(value, " "); ok {
				value = strings.TrimSpace(token)
			}
			found = append(found, value)
		default:
			found = append(found, value)
		}
	}
	return found
}

// basicPasswords are the passwords in Basic credentials, decoded.
func basicPasswords(headers map[string]string) []string {
	var found []string
	for name, value := range headers {
		scheme, token, _ := strings.Cut(strings.TrimSpace(value), " ")
		decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(token))
		if err == nil && isCredentialHeader(name) && strings.EqualFold(scheme, "Basic") {
			_, password, _ := strings.Cut(string(decoded), ":")
			found = append(found, password)
		}
	}
	return found
}

func envSecrets(env map[string]string) []string {
	var found []string
	for name, value := range env {
		found = append(found, valueSecrets(name, value)...)
	}
	return found
}

// valueSecrets are the value of a variable with a secret name, and the
// passwords within any value.
func valueSecrets(name, value string) []string {
	found := append(urlSecrets(value), dsnSecrets(name, value)...)
	if isSecretName(name) {
		found = append(found, value)
	}
	return found
}

// InheritedSecrets are the likely secrets in an environment that a server inherits: it may tell
// them, as a tool that lists variables does. Short values occur everywhere by chance, and the path
// of a file is no secret.
func InheritedSecrets(environ []string) []string {
	var found []string
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		found = append(found, valueSecrets(name, value)...)
	}
	return slices.DeleteFunc(longer(found, shortestChecked), func(value string) bool {
		return isPlainWord(value) || filepath.IsAbs(value)
	})
}

// argumentSecrets searches a command line for NAME=value, as after env, for
// flags with a secret name, for headers and for URLs.
func argumentSecrets(words []string) []string {
	var found []string
	for i, word := range words {
		if isScript(words[:i]) {
			found = append(found, scriptSecrets(word)...)
			continue
		}
		name, value, assigned := strings.Cut(word, "=")
		isFlag := strings.HasPrefix(word, "-")
		header, content, _ := strings.Cut(word, ":")
		switch {
		case assigned && isName(name):
			found = append(found, valueSecrets(strings.TrimLeft(name, "-"), value)...)
		case isFlag && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") && isSecretName(strings.TrimLeft(word, "-")):
			found = append(found, words[i+1])
		case isCredentialHeader(header):
			one := map[string]string{header: content}
			found = slices.Concat(found, headerSecrets(one), basicPasswords(one))
		default:
			found = append(found, urlSecrets(word)...)
		}
		// The argument of a shell may be a command line too.
		if inner, err := SplitCommand(word); err == nil && len(inner) > 1 {
			found = append(found, argumentSecrets(inner)...)
		}
	}
	return found
}

func isName(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789_-.") == ""
}

// urlSecrets are the password of a URL, or a user name long enough to be a
// token, and the values of query parameters with secret names.
func urlSecrets(text string) []string {
	_, rest, isURL := strings.Cut(text, "://")
	if !isURL {
		return nil
	}
	var found []string
	// net/url refuses a URL with an unescaped password.
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		user, password, has := strings.Cut(rest[:at], ":")
		const likeToken = 16
		switch {
		case has:
			found = append(found, password)
		case len(user) >= likeToken && !strings.ContainsAny(user, "/?#"):
			found = append(found, user)
		}
	}
	_, query, _ := strings.Cut(rest, "?")
	query, _, _ = strings.Cut(query, "#")
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if !isSecretName(name) {
			continue
		}
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		found = append(found, value)
	}
	return found
}

// dsnSecrets are the passwords of a data source name that is no URL, such as
// user:password@tcp(host)/db and host=h password=p.
func dsnSecrets(name, value string) []string {
	var found []string
	for field := range strings.FieldsFuncSeq(value, func(c rune) bool { return c == ' ' || c == ';' }) {
		if key, inner, ok := strings.Cut(field, "="); ok && isSecretName(key) {
			found = append(found, strings.Trim(inner, `'"`))
		}
	}
	if at := strings.LastIndexByte(value, '@'); at >= 0 && endsIn(name, "DSN") && !strings.Contains(value, "://") {
		_, password, _ := strings.Cut(value[:at], ":")
		found = append(found, password)
	}
	return found
}

func isCredentialHeader(name string) bool {
	switch name = strings.ToLower(strings.TrimSpace(name)); name {
	case "authorization", "proxy-authorization", "cookie":
		return true
	default:
		return strings.HasSuffix(name, "-key") || strings.HasSuffix(name, "-token")
	}
}

// isCredentialVariable reports whether an environment variable authenticates
// somebody.
func isCredentialVariable(name string) bool {
	return endsIn(name, "KEY", "TOKEN", "SECRET", "PASSWORD")
}

// isSecretName reports whether to hide the value of a variable, a flag or a
// parameter. A wrong guess only hides more of a report.
func isSecretName(name string) bool {
	name = strings.NewReplacer("-", "_", ".", "_").Replace(strings.ToUpper(name))
	if name == "PWD" || name == "OLDPWD" {
		return false // the working directory
	}
	return isCredentialVariable(name) ||
		endsIn(name, "PASS", "PGPASS", "DBPASS", "PWD", "PAT", "JWT", "DSN", "AUTH", "COOKIE",
			"CREDENTIAL", "CREDENTIALS", "CONNECTION_STRING") ||
		slices.ContainsFunc([]string{
			"PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "TOKEN", "APIKEY", "ACCESSKEY", "SECRETKEY", "PRIVATEKEY", "CONNECTIONSTRING",
		}, func(end string) bool { return strings.HasSuffix(name, end) })
}

// endsIn reports whether a name ends in these words.
func endsIn(name string, ends ...string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc(ends, func(end string) bool { return name == end || strings.HasSuffix(name, "_"+end) })
}

// isPlainWord reports whether a value under a secret name is no secret: hiding
// it would make half of a report unreadable.
func isPlainWord(value string) bool {
	switch strings.ToLower(value) {
	case "true", "false", "null", "none", "auto", "default", "enabled", "disabled", "required", "optional":
		return true
	}
	return false
}
