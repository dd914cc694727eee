package manifest

import (
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func outlines() []suite.Case {
	return []suite.Case{
		{
			ID:     "ext-manifest/required-fields",
			Title:  "the manifest has manifest_version, server and tools",
			Checks: []requirements.ID{"ext-manifest-required-fields"},
			Needs:  handed(),
			Fix:    "send manifest_version, server as an object, and tools as an array",
			Run:    fitting("Outline"),
		},
		{
			ID:     "ext-manifest/version-const",
			Title:  "manifest_version is 0.1.0",
			Checks: []requirements.ID{"ext-manifest-version-const"},
			Needs:  handed(),
			Fix:    `send manifest_version "0.1.0": it is the version of the form, and not that of the server`,
			Run:    fitting("Version", "manifest_version"),
		},
	}
}
