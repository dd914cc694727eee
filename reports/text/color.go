package text

import "github.com/mcp-conform/mcp-conform/reports/internal/layout"

func plain(_ layout.Ink, s string) string { return s }

// colored wraps a safe text in the control sequences of its ink.
func colored(ink layout.Ink, s string) string {
	code := ""
	switch ink {
	case layout.Plain:
		return s
	case layout.Label, layout.InkSkip:
		code = "2"
	case layout.Strong:
		code = "1"
	case layout.InkPass:
		code = "32"
	case layout.InkFail:
		code = "1;31"
	case layout.InkWarn:
		code = "1;33"
	case layout.InkError:
		code = "1;35"
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
