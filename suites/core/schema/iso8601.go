package schema

import (
	"strings"
	"time"
)

// iso8601 reports whether a string is a date or a moment in any of the forms of
// that standard; the page asks for none in particular.
func iso8601(v any) bool {
	text, _ := v.(string)
	date, clock, timed := strings.Cut(strings.ToUpper(text), "T")
	if !timed {
		// Many languages print a blank in place of the T, and many readers accept it.
		date, clock, timed = strings.Cut(date, " ")
	}
	if !readable(date, dates()) && !weekDate(date) {
		return false
	}
	return !timed || readable(clock, clocks())
}

func dates() []string {
	return []string{"2006-01-02", "20060102", "2006-01", "2006", "2006-002", "2006002"}
}

// clocks are the forms of a time of day; all of them allow a fraction after the seconds.
func clocks() []string {
	var forms []string
	for _, clock := range []string{"15:04:05", "15:04", "150405", "1504", "15"} {
		for _, zone := range []string{"", "Z07:00", "Z0700", "Z07"} {
			forms = append(forms, clock+zone)
		}
	}
	return forms
}

func readable(text string, forms []string) bool {
	for _, form := range forms {
		if _, err := time.Parse(form, text); err == nil {
			return true
		}
	}
	return false
}

// weekDate reports whether a date is written by its week, as in 2026-W05-6.
func weekDate(date string) bool {
	year, rest, ok := strings.Cut(date, "W")
	year = strings.TrimSuffix(year, "-")
	rest = strings.ReplaceAll(rest, "-", "")
	return ok && len(year) == 4 && (len(rest) == 2 || len(rest) == 3) && strings.Trim(year+rest, "0123456789") == ""
}
