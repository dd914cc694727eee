package proposal

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// StreamingTools are the tools that are flagged to hand out their results piece by
// piece, in the manifest or in tools/list. Anywhere reports whether the server has
// a place for such flags: a manifest, or an entry with one.
func StreamingTools(c *probe.Client) (flagged []string, anywhere bool) {
	document := Manifest(c)
	inManifest, stated := flaggedAmong(document["tools"])
	inList, listed := flaggedAmong(c.Survey().Lists[protocol.Tools().Method])
	return append(inManifest, inList...), document != nil || stated || listed
}

// flaggedAmong gives the names of the entries with the flag, and whether any entry
// has it, set or not.
func flaggedAmong(tools any) (flagged []string, stated bool) {
	entries, _ := tools.([]any)
	for _, entry := range entries {
		tool := object(entry)
		name, _ := tool["name"].(string)
		meta := object(tool["_meta"])
		for _, held := range []any{tool["supports_streaming"], meta["supports_streaming"], meta[Prefix+"supports_streaming"]} {
			stated = stated || held != nil
			if held == true {
				flagged = append(flagged, name)
			}
		}
	}
	return flagged, stated
}

// A manifest that says of a tool that it streams shows the extension; the same
// flag in tools/list may mean something else.
func streamingFlags(c *probe.Client) (probe.Strength, string) {
	document := Manifest(c)
	if flagged, _ := flaggedAmong(document["tools"]); len(flagged) > 0 {
		return probe.Strong, "supports_streaming of " + flagged[0] + " in the manifest"
	}
	if flagged, _ := flaggedAmong(c.Survey().Lists[protocol.Tools().Method]); len(flagged) > 0 {
		return probe.Weak, "supports_streaming of " + flagged[0] + " in tools/list"
	}
	return "", ""
}
