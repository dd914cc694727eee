// Package html writes a report as one page for a browser: it loads nothing, works
// from disk, and can be read without its script.
package html

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/mcp-conform/mcp-conform/badge"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
)

//go:embed assets
var assets embed.FS

// Write writes the page. The same report gives the same bytes.
func Write(w io.Writer, r reports.Report) error {
	tmpl, err := template.New("page").Funcs(template.FuncMap{"number": layout.Number}).ParseFS(assets, "assets/*.gohtml")
	if err != nil {
		return err
	}
	style, err := assets.ReadFile("assets/report.css")
	if err != nil {
		return err
	}
	script, err := assets.ReadFile("assets/report.js")
	if err != nil {
		return err
	}
	p := newPage(r)
	p.Policy = policy(style, script)
	p.Style = template.HTML("<style>" + string(style) + "</style>")
	p.Script = template.HTML("<script>" + string(script) + "</script>")
	var picture bytes.Buffer
	if err := badge.SVG(&picture, r.Verdict); err != nil {
		return err
	}
	p.Badge = template.HTML(strings.TrimSpace(picture.String()))
	return tmpl.ExecuteTemplate(w, "page", p)
}

// policy allows only the page's own style and script: a browser never runs or fetches
// anything that a server puts into the page.
func policy(style, script []byte) string {
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; form-action 'none'; "+
		"require-trusted-types-for 'script'", hash(style), hash(script))
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
