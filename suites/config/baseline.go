package config

import (
	"errors"
	"path/filepath"
	"time"
)

// Expected is a known failure that the user accepts for now.
type Expected struct {
	Case      string
	Revision  string    // empty: every revision
	Transport Transport // empty: every transport
	Reason    string
	Until     time.Time // the last day that it applies; zero: no end
	Line      int       // its place in the file
}

// LoadBaseline reads a file of expected failures. A failure is an *Error.
func LoadBaseline(path string, env Environment, known Known) ([]Expected, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, &Error{File: path, Message: "the baseline cannot be read: " + reason(err), cause: err}
	}
	return ParseBaseline(path, data, env, known)
}

// ParseBaseline reads the text of a file of expected failures: a list of entries, or a
// map with the list under the key baseline. A failure is an *Error.
func ParseBaseline(name string, data []byte, env Environment, known Known) ([]Expected, error) {
	r := &reader{source: newSource(name, data), env: env, known: known, dir: filepath.Dir(name)}
	root, err := r.source.tree()
	if err != nil || root.kind == null {
		return nil, err
	}
	if root.kind == list {
		return readBaseline(r, root, "baseline")
	}
	var expected []Expected
	err = r.object(root, "", keys{"baseline": into(readBaseline, &expected)})
	return expected, err
}

func readBaseline(r *reader, n *node, path string) ([]Expected, error) {
	if n.kind != list {
		return nil, r.wantList(n, path)
	}
	var all []Expected
	for _, item := range n.items {
		e := Expected{Line: item.line}
		err := r.object(item, path, keys{
			"case":      into(readText, &e.Case),
			"revision":  into(readRevision, &e.Revision),
			"transport": into(readOneTransport, &e.Transport),
			"reason":    into(readText, &e.Reason),
			"until":     into(readDate, &e.Until),
		})
		switch {
		case err != nil:
			return nil, err
		case e.Case == "":
			return nil, r.failNode(item, "%s: the entry names no case", path)
		case e.Reason == "":
			return nil, r.failNode(item, "%s: the entry for %s has no reason", path, e.Case)
		}
		all = append(all, e)
	}
	return all, nil
}

func readRevision(r *reader, n *node, path string) (string, error) {
	value, err := readText(r, n, path)
	if err != nil {
		return "", err
	}
	if err := knownRevision(value, r.known.Revisions); err != nil {
		return "", r.failNode(n, "%s: %s", path, err)
	}
	return value, nil
}

func readOneTransport(r *reader, n *node, path string) (Transport, error) {
	value, err := oneOf(string(Stdio), string(HTTP), string(SSE))(r, n, path)
	return Transport(value), err
}

func readDate(r *reader, n *node, path string) (time.Time, error) {
	value, err := readText(r, n, path)
	if err != nil {
		return time.Time{}, err
	}
	date, err := parseDate(value)
	if err != nil {
		return time.Time{}, r.failNode(n, "%s: want a date such as 2027-03-01, got %q", path, n.text)
	}
	return date, nil
}

func parseDate(text string) (time.Time, error) {
	date, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, errors.New("no date")
	}
	return date, nil
}
