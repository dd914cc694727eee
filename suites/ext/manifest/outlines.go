package manifest

import "github.com/mcp-conform/mcp-conform/suites/suite"

func outlines() []suite.Case {
	return []suite.Case{
		handed("required-fields", "the manifest has manifest_version, server and tools", "ext-manifest-required-fields",
			"send manifest_version, server as an object, and tools as an array", fitting("Outline")),
		handed("version-const", "manifest_version is 0.1.0", "ext-manifest-version-const",
			`send manifest_version "0.1.0": it is the version of the form, and not that of the server`, fitting("Version", "manifest_version")),
	}
}
