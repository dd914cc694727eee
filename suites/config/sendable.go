package config

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// CheckHeader finds a header that HTTP cannot carry. The message leaves the
// value out, since it may be secret.
func CheckHeader(name, value string) error {
	const marks = "!#$%&'*+-.^_`|~"
	outside := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(marks, r)
	}
	if name == "" || strings.ContainsFunc(name, outside) {
		return fmt.Errorf("%q is not the name of a header: letters, digits and %s only", name, marks)
	}
	return checkFieldValue(value)
}

func checkFieldValue(value string) error {
	for _, c := range []byte(value) {
		switch {
		case c == '\n' || c == '\r':
			return errors.New("the value of a header cannot hold a line break")
		case c < ' ' && c != '\t' || c == 0x7f:
			return fmt.Errorf("the value of a header cannot hold the control character U+%04X", c)
		}
	}
	return nil
}

// CheckVariable finds what cannot be an environment variable.
func CheckVariable(name, value string) error {
	switch {
	case name == "" || strings.ContainsAny(name, "=\x00"):
		return fmt.Errorf("%q is not the name of an environment variable", name)
	case strings.Contains(value, "\x00"):
		return errors.New("an environment variable cannot hold a NUL")
	}
	return nil
}

// CheckURL finds what is no address that HTTP reaches.
func CheckURL(text string) error {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Hostname() == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return errors.New("want a URL that begins with http:// or https://")
	}
	if port := parsed.Port(); port != "" {
		if number, err := strconv.Atoi(port); err != nil || number < 1 || number > 65535 {
			return errors.New("want a port of 1 to 65535")
		}
	}
	return nil
}

// readHeaders reads a map of headers, each as it can be sent.
func readHeaders(r *reader, n *node, path string) (map[string]string, error) {
	seen := map[string]bool{}
	return readCheckedMap(r, n, path, func(name, value string) error {
		folded := strings.ToLower(name)
		if seen[folded] {
			return fmt.Errorf("the header %s stands here twice", name)
		}
		seen[folded] = true
		return CheckHeader(name, value)
	})
}

// readVariables reads a map of environment variables.
func readVariables(r *reader, n *node, path string) (map[string]string, error) {
	return readCheckedMap(r, n, path, CheckVariable)
}

func readCheckedMap(r *reader, n *node, path string, check func(name, value string) error) (map[string]string, error) {
	values, err := readWordMap(r, n, path)
	if err != nil {
		return nil, err
	}
	for _, m := range n.members {
		if err := check(m.key, values[m.key]); err != nil {
			return nil, r.fail(m.line, m.column, path+": "+err.Error())
		}
	}
	return values, nil
}

func readToken(r *reader, n *node, path string) (string, error) {
	value, err := readText(r, n, path)
	if err == nil {
		if mistake := checkFieldValue(value); mistake != nil {
			err = r.failNode(n, "%s: %s", path, mistake)
		}
	}
	return value, err
}

func readArgument(r *reader, n *node, path string) (string, error) {
	value, err := readWord(r, n, path)
	if err == nil {
		err = passable(r, n, path, value)
	}
	return value, err
}

// passable refuses a word that no command can be given, and no path can hold.
func passable(r *reader, n *node, path, word string) error {
	if strings.Contains(word, "\x00") {
		return r.failNode(n, "%s: this cannot hold a NUL", path)
	}
	return nil
}
