package operations_test

import (
	"strings"
	"testing"
	"time"

	referenceserver "github.com/mcp-conform/mcp-conform/reference-server"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/dialects"
	"github.com/mcp-conform/mcp-conform/suites/ext/progress"
	"github.com/mcp-conform/mcp-conform/suites/ext/streaming"
	"github.com/mcp-conform/mcp-conform/suites/internal/pages"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

type object = dialects.Object

// page judges by both suites. The configuration is the reference server's, changed.
func page(change *strings.Replacer) dialects.Page {
	return dialects.Page{
		Suites: []suite.Suite{progress.Suite(), streaming.Suite()}, Extensions: []string{"progress", "streaming"}, Config: configured(change),
	}
}

func configured(change *strings.Replacer) func(*config.Config) {
	return func(c *config.Config) {
		// Shorter than the tool of the reference server takes for people.
		text := strings.Replace(string(referenceserver.Config), `arguments: {seconds: 1, label`, `arguments: {seconds: 0.3, label`, 1)
		if was := text; change != nil {
			if text = change.Replace(text); text == was {
				panic("the configuration was not changed")
			}
		}
		cfg, err := config.Parse("mcp-conform.yaml", []byte(text), func(string) (string, bool) { return "", false },
			config.Known{Roles: pages.Roles(pages.All())})
		if err != nil {
			panic(err)
		}
		*c = cfg
		c.Target, c.Transport, c.Wait.Event = config.Default().Target, config.Stdio, 300*time.Millisecond
	}
}

func judged(t *testing.T, tr dialects.Translator, change *strings.Replacer) reports.Report {
	t.Helper()
	return page(change).Judge(t, tr, nil)
}
