// Package referenceserver embeds the configuration with which the kit judges its own
// reference server.
package referenceserver

import _ "embed"

// Config is the text of mcp-conform.yaml.
//
//go:embed mcp-conform.yaml
var Config []byte
