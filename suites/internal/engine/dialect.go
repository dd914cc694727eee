package engine

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// pin makes known beforehand what the configuration says about the dialect of
// an extension, so that no case goes and learns it.
func pin(m *probe.Memory, dialects map[string]config.Dialect) {
	for name, d := range dialects {
		for key, value := range map[string]string{"dialect:" + name: strings.Join(d.Carriers, ""), "method:" + name: d.Method} {
			if value != "" {
				_, _ = m.Learn(key, func() (string, error) { return value, nil })
			}
		}
	}
}
