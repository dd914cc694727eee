package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads 500ms, 10s or 5m; a plain number is seconds.
func ParseDuration(text string) (time.Duration, error) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		if !(seconds >= 0 && seconds < float64(math.MaxInt64)/float64(time.Second)) {
			return 0, fmt.Errorf("%q is not a duration", text)
		}
		return time.Duration(seconds * float64(time.Second)), nil
	}
	duration, err := time.ParseDuration(text)
	if err != nil || duration < 0 {
		return 0, fmt.Errorf("%q is not a duration such as 500ms, 10s or 5m", text)
	}
	return duration, nil
}

// ParseSize reads 64KiB, 8MiB or 1GiB; a plain number is bytes.
func ParseSize(text string) (int64, error) {
	digits := strings.TrimRight(text, "BKMGi")
	var shift uint
	switch text[len(digits):] {
	case "", "B":
	case "KiB":
		shift = 10
	case "MiB":
		shift = 20
	case "GiB":
		shift = 30
	default:
		return 0, fmt.Errorf("%q is not a size such as 64KiB or 8MiB", text)
	}
	size, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || size < 0 || size > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q is not a size such as 64KiB or 8MiB", text)
	}
	return size << shift, nil
}

// SplitCommand cuts a text into the words of a command, as a shell would:
// quotes and backslashes keep their meaning, nothing is expanded, and text that
// only a shell can run is refused.
func SplitCommand(text string) ([]string, error) {
	s := splitter{rest: text}
	for s.rest != "" {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	if err := s.end(); err != nil {
		return nil, err
	}
	if len(s.words) == 0 {
		return nil, errors.New("the command is empty")
	}
	return s.words, nil
}

type splitter struct {
	rest   string
	words  []string
	word   strings.Builder
	begun  bool // a word has begun, even if it is only an empty pair of quotes
	quoted bool // part of it was quoted, so it cannot be an operator
}

func (s *splitter) step() error {
	c := s.rest[0]
	s.rest = s.rest[1:]
	switch c {
	case ' ', '\t', '\n', '\r':
		return s.end()
	case '\'':
		s.begun, s.quoted = true, true
		inner, rest, closed := strings.Cut(s.rest, "'")
		if !closed {
			return errors.New("a quote is not closed")
		}
		s.word.WriteString(inner)
		s.rest = rest
	case '"':
		s.begun, s.quoted = true, true
		return s.double()
	case '\\':
		if s.rest == "" {
			return errors.New("nothing follows the last backslash")
		}
		if s.rest[0] == '\n' { // a continued line
			s.rest = s.rest[1:]
			return nil
		}
		s.begun, s.quoted = true, true
		s.word.WriteByte(s.rest[0])
		s.rest = s.rest[1:]
	default:
		s.begun = true
		s.word.WriteByte(c)
	}
	return nil
}

// double reads the rest of a text in double quotes, in which a backslash stands
// for itself unless the next character is special there.
func (s *splitter) double() error {
	for s.rest != "" {
		c := s.rest[0]
		s.rest = s.rest[1:]
		switch {
		case c == '"':
			return nil
		case c == '\\' && s.rest != "" && strings.IndexByte("\"\\$`", s.rest[0]) >= 0:
			s.word.WriteByte(s.rest[0])
			s.rest = s.rest[1:]
		default:
			s.word.WriteByte(c)
		}
	}
	return errors.New("a quote is not closed")
}

func (s *splitter) end() error {
	if !s.begun {
		return nil
	}
	word := s.word.String()
	if !s.quoted && strings.Trim(word, "|&;<>") == "" {
		return fmt.Errorf("%s needs a shell; name one: [sh, -c, ...]", word)
	}
	s.words = append(s.words, word)
	s.word.Reset()
	s.begun, s.quoted = false, false
	return nil
}
