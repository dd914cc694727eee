package server

import (
	"context"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// chartTools read files of the client, within its roots. Whatever a client says, they read
// nothing outside the folder for temporary files.
func chartTools() []tool {
	return []tool{{
		name: "open_chart", title: "Open a chart", about: "Reads a chart from a root of the client", hint: reads,
		input: `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`,
		run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
			return openChart(core.From(ctx), a.text("path"))
		},
	}}
}

func openChart(turn *core.Turn, path string) (*mcp.CallToolResult, error) {
	raw, err := turn.Ask("roots/list", nil)
	if err != nil {
		return nil, err
	}
	var listed struct{ Roots []struct{ URI string } }
	if err := json.Unmarshal(raw, &listed); err != nil {
		return nil, err
	}
	allowed := turn.Skips(fault.CheckRoot)
	for _, root := range listed.Roots {
		allowed = allowed || below(turn, root.URI, path)
	}
	temporary, err := filepath.EvalSymlinks(os.TempDir())
	if file, failure := filepath.EvalSymlinks(path); !allowed || err != nil || failure != nil || !within(temporary, file) {
		return failed("There is no such chart in the roots of the client.")
	}
	return readChart(path)
}

// below reports whether a path leads to a file below a root, whatever steps and links it takes.
func below(turn *core.Turn, root, path string) bool {
	u, err := url.Parse(root)
	if err != nil || u.Scheme != "file" {
		return false
	}
	folder := filepath.FromSlash(u.Path)
	switch {
	case turn.Skips(fault.CheckRootSteps):
		return strings.HasPrefix(path, folder+string(filepath.Separator))
	case turn.Skips(fault.CheckRootLinks):
		return within(folder, path)
	}
	file, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	folder, err = filepath.EvalSymlinks(folder)
	return err == nil && within(folder, file)
}

func within(folder, path string) bool {
	relative, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(relative)
}

// mostOfChart is how much of a chart is read.
const mostOfChart = 64 << 10

func readChart(path string) (*mcp.CallToolResult, error) {
	file, err := os.Open(path)
	if err != nil {
		return failed("The chart cannot be read.")
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, mostOfChart))
	if err != nil {
		return failed("The chart cannot be read.")
	}
	return plain(string(text))
}
