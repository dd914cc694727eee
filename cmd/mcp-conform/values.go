package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/config/spelling"
)

// A duration is a flag's value, written as in a configuration file.
type duration time.Duration

var _ pflag.Value = (*duration)(nil)

func (d *duration) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

func (d *duration) Set(s string) error {
	value, err := config.ParseDuration(s)
	if err != nil || value <= 0 {
		return errors.New("want a duration above zero such as 500ms, 10s or 5m")
	}
	*d = duration(value)
	return nil
}

func (d *duration) Type() string { return "duration" }

// single is the value of a flag that names one thing, such as a file. Given twice, one of the
// two would be dropped in silence.
type single struct {
	value *string
	file  bool // it names a file, so that it cannot be empty
	given bool
}

var (
	_ pflag.Value = (*single)(nil)

	errTwice = errors.New("given twice, and takes one value")
	errEmpty = errors.New("it is empty; is a variable unset?")
)

func (o *single) String() string {
	if o.value == nil {
		return ""
	}
	return *o.value
}

func (o *single) Set(s string) error {
	switch {
	case o.given:
		return errTwice
	case o.file && s == "":
		return errEmpty
	}
	*o.value, o.given = s, true
	return nil
}

func (o *single) Type() string { return "string" }

// filled is a list of names that nobody gives as an empty text: that would select everything.
type filled struct {
	pflag.Value
	pflag.SliceValue
}

// fill makes a list of a flag set refuse an empty text.
func fill(set *pflag.FlagSet, name string) {
	flag := set.Lookup(name)
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		flag.Value = filled{flag.Value, list}
	}
}

func (f filled) Set(s string) error {
	if strings.TrimSpace(s) == "" {
		return errEmpty
	}
	return f.Value.Set(s)
}

// A shard is a flag's value: part i of n, counted from 1.
type shard struct {
	suites.Shard
	job config.Environment // if it is there, job stands for the part of a Kubernetes Job
}

// jobIndex is how Kubernetes tells a container of an indexed Job its number, from 0.
const jobIndex = "JOB_COMPLETION_INDEX"

var _ pflag.Value = (*shard)(nil)

func (s *shard) Set(written string) error {
	i, n, _ := strings.Cut(written, "/")
	index, err := strconv.Atoi(i)
	if i == "job" && s.job != nil {
		given, _ := s.job(jobIndex)
		if index, err = strconv.Atoi(given); err != nil {
			return errors.New(jobIndex + " is not set to a number, as it is in an indexed Job of Kubernetes")
		}
		index++
	}
	of, err2 := strconv.Atoi(n)
	if err != nil || err2 != nil || index < 1 || index > of {
		return errors.New("want one part of several such as 1/4, 2/4 or 4/4")
	}
	s.Shard = suites.Shard{Index: index, Of: of}
	return nil
}

func (s *shard) Type() string { return "shard" }

// A choice is a flag's value that is one of a few words.
type choice struct {
	value string
	known []string
}

var _ pflag.Value = (*choice)(nil)

func (c *choice) String() string { return c.value }

func (c *choice) Set(s string) error {
	for _, known := range c.known {
		if strings.EqualFold(s, known) {
			c.value = known
			return nil
		}
	}
	return fmt.Errorf("want %s", spelling.Or(c.known))
}

func (c *choice) Type() string { return strings.Join(c.known, "|") }

// choices is a flag's value that lists a few words; the flag may be given more than
// once.
type choices struct {
	values []string
	known  []string
	given  bool
}

var _ pflag.Value = (*choices)(nil)

func (c *choices) String() string { return strings.Join(c.values, ", ") }

func (c *choices) Set(s string) error {
	if !c.given {
		c.values, c.given = nil, true
	}
	for one := range strings.SplitSeq(s, ",") {
		one = strings.ToLower(strings.TrimSpace(one))
		if !slices.Contains(c.known, one) {
			return fmt.Errorf("want a list of %s", spelling.Or(c.known))
		}
		if !slices.Contains(c.values, one) {
			c.values = append(c.values, one)
		}
	}
	return nil
}

func (c *choices) Type() string { return "list" }

func (c *choices) has(word string) bool { return slices.Contains(c.values, word) }
