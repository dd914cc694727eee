package guide

import (
	"strings"
)

// A Body is the Markdown of a guide, as far as its structure counts.
type Body struct {
	Titles   []string // the headings of the first level
	Summary  bool     // a line that begins with > stands before the first section
	Sections []Section
}

// A Section is what stands under a heading of the second level.
type Section struct {
	Title string
	Text  string
	Items []string // the entries of its lists, and the rows of its tables
}

// Find is the section with a title, whatever its case and punctuation, and its place.
func (b Body) Find(title string) (Section, int) {
	for i, s := range b.Sections {
		if Fold(s.Title) == Fold(title) {
			return s, i
		}
	}
	return Section{}, -1
}

// readBody finds the headings. A line within a code fence is not one.
func readBody(text string) Body {
	var b Body
	fence, table := "", 0
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		trimmed := strings.TrimSpace(line)
		switch mark := fenceOf(trimmed); {
		case fence != "" && strings.HasPrefix(trimmed, fence):
			fence = ""
		case fence == "" && mark != "":
			fence = mark
		case fence != "":
		case indent < 4 && (trimmed == "#" || strings.HasPrefix(trimmed, "# ")):
			b.Titles = append(b.Titles, heading(trimmed))
			continue
		case indent < 4 && strings.HasPrefix(trimmed, "## "):
			b.Sections, table = append(b.Sections, Section{Title: heading(trimmed)}), 0
			continue
		case indent < 4 && underlined(lines, i, "="):
			b.Titles = append(b.Titles, trimmed)
			continue
		case indent < 4 && underlined(lines, i, "-"):
			b.Sections, table = append(b.Sections, Section{Title: trimmed}), 0
			continue
		case strings.HasPrefix(trimmed, ">") && len(b.Sections) == 0:
			b.Summary = b.Summary || strings.Trim(trimmed, "> ") != ""
		}
		if len(b.Sections) == 0 {
			continue
		}
		s := &b.Sections[len(b.Sections)-1]
		s.Text += line + "\n"
		switch {
		case fence != "":
		case isItem(trimmed):
			s.Items = append(s.Items, trimmed)
		case strings.HasPrefix(trimmed, "|"):
			if table++; table > 2 { // behind the heading of the table and its rule
				s.Items = append(s.Items, strings.Trim(trimmed, "| "))
			}
		default:
			table = 0
		}
	}
	return b
}

// underlined reports whether a line of text is a heading since the next one underlines it.
func underlined(lines []string, i int, with string) bool {
	if i+1 >= len(lines) || strings.TrimSpace(lines[i]) == "" || isItem(strings.TrimSpace(lines[i])) ||
		strings.HasPrefix(strings.TrimSpace(lines[i]), "|") {
		return false
	}
	under := strings.TrimSpace(lines[i+1])
	return len(under) >= 2 && strings.Trim(under, with) == "" && strings.Trim(strings.TrimSpace(lines[i]), "=-") != ""
}

func fenceOf(line string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

func heading(line string) string { return strings.TrimSpace(strings.Trim(line, "#")) }

// isItem reports whether a line is an entry of a list, with a mark or a number.
func isItem(line string) bool {
	if len(line) > 1 && strings.ContainsRune("-*+", rune(line[0])) && line[1] == ' ' {
		return strings.TrimSpace(line[1:]) != ""
	}
	digits := strings.TrimLeft(line, "0123456789")
	return len(digits) < len(line) && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") "))
}
