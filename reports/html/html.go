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
	p := newPage(r)
	tmpl, err := p.load([]string{"assets/report.css"}, []string{"assets/theme.js", "assets/report.js"})
	if err != nil {
		return err
	}
	var picture bytes.Buffer
	if err := badge.SVG(&picture, r.Verdict); err != nil {
		return err
	}
	p.Badge = template.HTML(strings.TrimSpace(picture.String()))
	return tmpl.ExecuteTemplate(w, "page", p)
}

// A sheet is what every page has.
type sheet struct {
	Policy, Title, Kit string
	Style, Script      template.HTML // the page's own, with the hashes that the policy names
	Icon               template.URL
}

// load reads the templates, and gives the page its style and its script.
func (s *sheet) load(styles, scripts []string) (*template.Template, error) {
	style, err := concat(styles)
	if err != nil {
		return nil, err
	}
	script, err := concat(scripts)
	if err != nil {
		return nil, err
	}
	s.Policy = policy(style, script)
	s.Style = template.HTML("<style>" + string(style) + "</style>")
	s.Script = template.HTML("<script>" + string(script) + "</script>")
	return template.New("page").Funcs(template.FuncMap{"number": layout.Number}).ParseFS(assets, "assets/*.gohtml")
}

func concat(names []string) ([]byte, error) {
	var all []byte
	for _, name := range names {
		text, err := assets.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, text...)
	}
	return all, nil
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
