package requirements

import (
	"errors"
	"fmt"
	"strings"
)

// check says what is malformed in a row. It is the same for the kit's own rows
// and for those of others.
func (r Requirement) check() error {
	switch {
	case !kebab(string(r.ID)):
		return errors.New("the id is not kebab-case")
	case r.Area == "":
		return errors.New("area is missing")
	case len(r.Clauses) == 0:
		return errors.New("there is no clause")
	}
	var last Clause
	for i, c := range r.Clauses {
		if err := c.check(r.Extension != ""); err != nil {
			return fmt.Errorf("clause %d: %w", i+1, err)
		}
		// An open range has no end, so nothing can stand behind it.
		if i > 0 && (last.Until == "" || !last.Until.Before(c.Since)) {
			return fmt.Errorf("clause %d: begins before clause %d has ended", i+1, i)
		}
		last = c
	}
	return nil
}

func (c Clause) check(extension bool) error {
	if _, err := ParseRevision(string(c.Since)); err != nil {
		return fmt.Errorf("since: %w", err)
	}
	if c.Until != "" {
		if _, err := ParseRevision(string(c.Until)); err != nil {
			return fmt.Errorf("until: %w", err)
		}
		if c.Until.Before(c.Since) {
			return errors.New("until lies before since")
		}
	}
	if _, err := ParseLevel(string(c.Level)); err != nil {
		return err
	}
	if _, err := ParseBasis(string(c.Basis)); err != nil {
		return err
	}
	if c.Backed && !c.Basis.Weak() {
		return fmt.Errorf("basis %s needs no backing", c.Basis)
	}
	for _, t := range c.Transports {
		if _, err := ParseTransport(string(t)); err != nil {
			return err
		}
	}
	switch {
	case strings.TrimSpace(c.Text) == "":
		return errors.New("text is missing")
	case !extension && c.Page == "" && c.Source == "":
		return errors.New("neither a page of the specification nor a source of its own is named")
	case extension && c.Source == "":
		return errors.New("source is missing")
	}
	return nil
}

// kebab reports whether s is two or more words of small letters and digits,
// joined by single hyphens.
func kebab(s string) bool {
	words := strings.Split(s, "-")
	for _, word := range words {
		if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
	}
	return len(words) > 1
}
