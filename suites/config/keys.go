package config

import (
	"path/filepath"
	"strings"
)

func (r *reader) config(n *node, c *Config) error {
	known := keys{
		"target": func(n *node, path string) error {
			c.TargetLine = named(n)
			return r.target(n, path, &c.Target)
		},
		"revision":   into(r.revisions, &c.Revisions),
		"transport":  into(r.transport, &c.Transport),
		"roles":      func(n *node, path string) error { return r.roles(n, path, c) },
		"claims":     into(r.claims, &c.Claims),
		"dialect":    into(r.dialects, &c.Dialects),
		"wait":       func(n *node, path string) error { return r.wait(n, path, &c.Wait) },
		"limits":     func(n *node, path string) error { return r.limits(n, path, &c.Limits) },
		"principals": func(n *node, path string) error { return r.principals(n, path, c) },
		"secrets":    into(r.secrets, &c.declared),
		"words":      func(n *node, path string) error { return r.wordKeys(n, path, &c.Words) },
		"stress":     into(r.flag, &c.Stress),
		"external":   into(r.flag, &c.External),
		"production": into(r.flag, &c.Production),
		"baseline":   into(r.baseline, &c.Baseline),
	}
	if n.kind != object {
		return r.failNode(n, "want a map of keys such as target and roles, got %s", n.kind)
	}
	for _, m := range n.members {
		if err := r.misplaced(m, known); err != nil {
			return err
		}
	}
	return r.object(n, "", known)
}

// misplaced finds top-level keys that belong below another key, where a hint
// about spelling would not help.
func (r *reader) misplaced(m member, known keys) error {
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
		{"target", r.targetKeys(&Target{})}, {"wait", r.waitKeys(&Wait{})},
		{"limits", r.limitKeys(&Limits{})}, {"words", r.wordsKeys(&Words{})},
	} {
		if _, ok := group.keys[m.key]; ok {
			return r.fail(m.line, m.column, "unknown key \""+m.key+"\"; it belongs below "+group.name)
		}
	}
	for _, spec := range r.known.Roles {
		if string(spec.Name) == m.key {
			return r.fail(m.line, m.column, "unknown key \""+m.key+"\"; it belongs below roles")
		}
	}
	return nil
}

func (r *reader) target(n *node, path string, t *Target) error {
	return r.object(n, path, r.targetKeys(t))
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

func (r *reader) targetKeys(t *Target) keys {
	return keys{
		"command":          into(r.argv, &t.Command),
		"args":             into(r.listOf(r.argument), &t.Args),
		"cwd":              into(r.path, &t.Cwd),
		"env":              into(r.variables, &t.Env),
		"url":              into(r.url, &t.URL),
		"headers":          into(r.headers, &t.Headers),
		"start":            into(r.argv, &t.Start),
		"wait":             into(r.duration, &t.Wait),
		"durable":          into(r.flag, &t.Durable),
		"sse-url":          into(r.url, &t.SSEURL),
		"well-known-url":   into(r.url, &t.WellKnownURL),
		"capabilities-url": into(r.url, &t.CapabilitiesURL),
		"kit-url":          into(r.url, &t.KitURL),
		"ca":               into(r.path, &t.CA),
		"http2":            into(r.flag, &t.HTTP2),
	}
}

func (r *reader) wait(n *node, path string, w *Wait) error { return r.object(n, path, r.waitKeys(w)) }

func (r *reader) waitKeys(w *Wait) keys {
	return keys{
		"event":       into(r.duration, &w.Event),
		"default-ttl": into(r.duration, &w.DefaultTTL),
		"max":         into(r.duration, &w.Max),
	}
}

func (r *reader) limits(n *node, path string, l *Limits) error {
	return r.object(n, path, r.limitKeys(l))
}

func (r *reader) limitKeys(l *Limits) keys {
	return keys{
		"max-upload":    into(r.size, &l.MaxUpload),
		"frame":         into(r.size, &l.Frame),
		"pages":         into(r.count, &l.Pages),
		"reads":         into(r.count, &l.Reads),
		"rounds":        into(r.count, &l.Rounds),
		"ping":          into(r.duration, &l.Ping),
		"progress-rate": into(r.count, &l.ProgressRate),
	}
}

func (r *reader) wordKeys(n *node, path string, w *Words) error {
	return r.object(n, path, r.wordsKeys(w))
}

func (r *reader) wordsKeys(w *Words) keys {
	return keys{
		"recommend":       into(r.plain, &w.Recommend),
		"trigger-phrases": into(r.texts, &w.TriggerPhrases),
	}
}

// argv reads a command. It splits a text before it fills in the environment, so
// that a value with spaces stays one word.
func (r *reader) argv(n *node, path string) ([]string, error) {
	return r.command(n, path, func(n *node, word string) (string, error) { return r.expand(n, word) })
}

func (r *reader) command(n *node, path string, expand func(n *node, word string) (string, error)) ([]string, error) {
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
			err = r.passable(at, path, expanded)
		}
		if err != nil {
			return nil, err
		}
		words[i] = expanded
	}
	return words, nil
}

// path reads a path relative to the directory of the file.
func (r *reader) path(n *node, path string) (string, error) {
	value, err := r.plain(n, path)
	if err == nil {
		err = r.passable(n, path, value)
	}
	if err != nil || filepath.IsAbs(value) {
		return value, err
	}
	return filepath.Join(r.dir, value), nil
}

func (r *reader) url(n *node, path string) (string, error) {
	value, err := r.plain(n, path)
	if err != nil {
		return "", err
	}
	if err := CheckURL(value); err != nil {
		return "", r.failNode(n, "%s: %s, got %q", path, err, n.text)
	}
	return value, nil
}
