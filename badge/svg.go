package badge

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"io"

	"github.com/mcp-conform/mcp-conform/reports"
)

// The geometry of the flat badges people know.
const (
	height    = 20
	radius    = 3
	padding   = 5
	labelFill = "#555"
)

// SVG writes the badge as a self-contained picture: no style sheet, no script, no font
// to load. Badges with different texts have different ids, so that several can stand on
// one page.
func SVG(w io.Writer, v reports.Verdict) error {
	message, c := face(v)
	label, text := escaped(Label), escaped(message)
	left, right := textWidth(Label)+2*padding, textWidth(message)+2*padding
	id := ident(message)

	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" role="img" aria-label="%s: %s">`, left+right, height, label, text)
	line(`  <title>%s: %s</title>`, label, text)
	line(`  <linearGradient id="%s-shade" x2="0" y2="100%%">`, id)
	line(`    <stop offset="0" stop-color="#bbb" stop-opacity=".1"/>`)
	line(`    <stop offset="1" stop-opacity=".1"/>`)
	line(`  </linearGradient>`)
	line(`  <clipPath id="%s-round"><rect width="%d" height="%d" rx="%d" fill="#fff"/></clipPath>`, id, left+right, height, radius)
	line(`  <g clip-path="url(#%s-round)">`, id)
	line(`    <rect width="%d" height="%d" fill="%s"/>`, left, height, labelFill)
	line(`    <rect x="%d" width="%d" height="%d" fill="%s"/>`, left, right, height, c.value)
	line(`    <rect width="%d" height="%d" fill="url(#%s-shade)"/>`, left+right, height, id)
	line(`  </g>`)
	// Text is drawn ten times as large and scaled down: renderers then keep to
	// tenths of a pixel.
	line(`  <g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="110" ` +
		`text-rendering="geometricPrecision">`)
	for _, half := range []half{{label, 1, left}, {text, left - 1, right}} {
		inner := half.width - 2*padding
		middle := 10*(half.margin+padding) + 5*inner
		line(`    <text x="%d" y="150" fill="#010101" fill-opacity=".3" transform="scale(.1)" textLength="%d" aria-hidden="true">%s</text>`,
			middle, 10*inner, half.text)
		line(`    <text x="%d" y="140" transform="scale(.1)" textLength="%d">%s</text>`, middle, 10*inner, half.text)
	}
	line(`  </g>`)
	line(`</svg>`)
	_, err := w.Write(b.Bytes())
	return err
}

// A half is one text of the badge and the box it stands in.
type half struct {
	text          string
	margin, width int
}

func escaped(s string) string {
	var b bytes.Buffer
	// Writing to memory cannot fail.
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

func ident(message string) string {
	h := fnv.New32a()
	_, _ = io.WriteString(h, message)
	return fmt.Sprintf("mcp-conform-%08x", h.Sum32())
}
