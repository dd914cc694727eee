package config

import (
	"path/filepath"
	"slices"
	"strings"
)

func readConfig(r *reader, n *node, c *Config) error {
	known := keys{
		"target": func(r *reader, n *node, path string) error {
			c.TargetLine = named(n)
			return r.object(n, path, targetKeys(&c.Target))
		},
		"revision":   into(readRevisions, &c.Revisions),
		"transport":  into(readTransport, &c.Transport),
		"roles":      func(r *reader, n *node, path string) error { return readRoles(r, n, path, c) },
		"claims":     into(readClaims, &c.Claims),
		"dialect":    into(readDialects, &c.Dialects),
		"wait":       section(waitKeys(&c.Wait)),
		"limits":     section(limitKeys(&c.Limits)),
		"principals": func(r *reader, n *node, path string) error { return readPrincipals(r, n, path, c) },
		"secrets":    into(readSecrets, &c.declared),
		"words":      section(wordKeys(&c.Words)),
		"stress":     into(readFlag, &c.Stress),
		"external":   into(readFlag, &c.External),
		"production": into(readFlag, &c.Production),
		"baseline":   into(readBaseline, &c.Baseline),
	}
	if n.kind != object {
		return r.failNode(n, "want a map of keys such as target and roles, got %s", n.kind)
	}
	for _, m := range n.members {
		if err := misplaced(r, m, known); err != nil {
			return err
		}
	}
	return r.object(n, "", known)
}

// flagsOnly are flags of the command line that no key of the file sets.
func flagsOnly() []string {
	return []string{
		"strict", "strict-baseline", "fail-on-partial", "allow-side-effects", "jobs", "timeout", "start-timeout", "limit", "seed",
		"suite", "case", "level", "shard", "out", "format", "verbose", "quiet",
	}
}

// misplaced finds top-level keys that belong below another key, where a hint
// about spelling would not help.
func misplaced(r *reader, m member, known keys) error {
	if _, ok := known[m.key]; ok {
		return nil
	}
	if outer, inner, dotted := strings.Cut(m.key, "."); dotted && known[outer] != nil {
		return r.fail(m.line, m.column, "unknown key \""+m.key+"\"; write "+inner+" below "+outer)
	}
	for _, group := range []struct {
		name string
		keys keys
	}{
		{"target", targetKeys(&Target{})}, {"wait", waitKeys(&Wait{})},
		{"limits", limitKeys(&Limits{})}, {"words", wordKeys(&Words{})},
	} {
		if _, ok := group.keys[m.key]; ok {
			return r.fail(m.line, m.column, "unknown key \""+m.key+"\"; it belongs below "+group.name)
		}
	}
	if slices.Contains(flagsOnly(), m.key) && m.value.kind != object {
		return r.fail(m.line, m.column, "unknown key \""+m.key+"\"; that is the flag --"+m.key+" of a run")
	}
	for _, spec := range r.known.Roles {
		if string(spec.Name) == m.key {
			return r.fail(m.line, m.column, "unknown key \""+m.key+"\"; it belongs below roles")
		}
	}
	return nil
}

// named is the line that names the server: the line of the command or the
// address, or else the first line below target.
func named(n *node) int {
	for _, key := range []string{"command", "url", "sse-url", "start"} {
		for _, m := range n.members {
			if m.key == key {
				return m.line
			}
		}
	}
	return n.line
}

func targetKeys(t *Target) keys {
	return keys{
		"command":          into(readArgv, &t.Command),
		"args":             into(listOf(readArgument), &t.Args),
		"cwd":              into(readPath, &t.Cwd),
		"env":              into(readVariables, &t.Env),
		"url":              into(readURL, &t.URL),
		"headers":          into(readHeaders, &t.Headers),
		"start":            into(readArgv, &t.Start),
		"wait":             into(readDuration, &t.Wait),
		"durable":          durability(t),
		"sse-url":          into(readURL, &t.SSEURL),
		"well-known-url":   into(readURL, &t.WellKnownURL),
		"capabilities-url": into(readURL, &t.CapabilitiesURL),
		"kit-url":          into(readURL, &t.KitURL),
		"ca":               authorities(t),
		"http2":            into(readFlag, &t.HTTP2),
	}
}

// authorities reads the name of a file of certificates, and keeps its place: the file is
// read when the target is reached.
func authorities(t *Target) handler {
	return func(r *reader, n *node, path string) error {
		r.ca = n
		return into(readPath, &t.CA)(r, n, path)
	}
}

// durability reads whether state survives the stdio process. Without the key, nothing is
// known of the state.
func durability(t *Target) handler {
	return func(r *reader, n *node, path string) error {
		survives, err := readFlag(r, n, path)
		t.Durable, t.Own = survives, err == nil && !survives
		return err
	}
}

func waitKeys(w *Wait) keys {
	return keys{
		"event":       into(readDuration, &w.Event),
		"default-ttl": into(readDuration, &w.DefaultTTL),
		"max":         into(readDuration, &w.Max),
	}
}

func limitKeys(l *Limits) keys {
	return keys{
		"max-upload":    into(readSize, &l.MaxUpload),
		"frame":         into(readSize, &l.Frame),
		"pages":         into(readCount, &l.Pages),
		"reads":         into(readCount, &l.Reads),
		"depth":         into(readCount, &l.Depth),
		"rounds":        into(readCount, &l.Rounds),
		"ping":          into(readDuration, &l.Ping),
		"progress-rate": into(readCount, &l.ProgressRate),
		"rate":          into(readCount, &l.Rate),
	}
}

func wordKeys(w *Words) keys {
	return keys{
		"recommend":       into(readText, &w.Recommend),
		"trigger-phrases": into(readTexts, &w.TriggerPhrases),
	}
}

// readArgv reads a command. It splits a text before it fills in the environment, so
// that a value with spaces stays one word.
func readArgv(r *reader, n *node, path string) ([]string, error) {
	return readCommand(r, n, path, r.expand)
}

func readCommand(r *reader, n *node, path string, expand func(n *node, word string) (string, error)) ([]string, error) {
	var words []string
	switch n.kind {
	case text:
		split, err := SplitCommand(n.text)
		if err != nil {
			return nil, r.failNode(n, "%s: %s", path, err)
		}
		words = split
	case list:
		for _, item := range n.items {
			if item.kind == list || item.kind == object || item.kind == null {
				return nil, r.want(item, path, "strings")
			}
			words = append(words, item.text)
		}
	default:
		return nil, r.want(n, path, "a list or a string")
	}
	if len(words) == 0 || words[0] == "" {
		return nil, r.failNode(n, "%s: the command is empty", path)
	}
	for i, word := range words {
		at := n
		if n.kind == list {
			at = n.items[i]
		}
		expanded, err := expand(at, word)
		if err == nil {
			err = passable(r, at, path, expanded)
		}
		if err != nil {
			return nil, err
		}
		words[i] = expanded
	}
	return words, nil
}

// readPath reads a path relative to the directory of the file.
func readPath(r *reader, n *node, path string) (string, error) {
	value, err := readText(r, n, path)
	if err == nil {
		err = passable(r, n, path, value)
	}
	if err != nil || filepath.IsAbs(value) {
		return value, err
	}
	return filepath.Join(r.dir, value), nil
}

func readURL(r *reader, n *node, path string) (string, error) {
	value, err := readText(r, n, path)
	if err != nil {
		return "", err
	}
	if err := CheckURL(value); err != nil {
		return "", r.failNode(n, "%s: %s, got %q", path, err, n.text)
	}
	return value, nil
}
