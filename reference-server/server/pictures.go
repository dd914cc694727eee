package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/multimodal"
)

// signatures are those of the tools that take binary data.
func signatures() map[string]multimodal.Signature {
	return map[string]multimodal.Signature{"measure_picture": {
		Argument: "picture", Input: []string{"image/png"}, Output: []string{"application/json"}, Most: 16 << 10,
		Fits: func(_ string, data []byte) bool { _, _, ok := pngSize(data); return ok },
	}}
}

func pictureTools() []tool {
	return []tool{{
		name: "measure_picture", title: "Measure a picture", about: "Says how large a picture is, which is given as base64.", hint: reads,
		input: `{"type":"object","properties":{"picture":{"type":"string","contentEncoding":"base64","contentMediaType":"image/png",` +
			`"examples":["` + pixel() + `"]}},"required":["picture"],"additionalProperties":false}`,
		run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
			data, err := base64.StdEncoding.DecodeString(a.text("picture"))
			width, height, ok := pngSize(data)
			if err != nil || !ok {
				return failed("The picture cannot be read.")
			}
			text, err := json.Marshal(map[string]uint32{"width": width, "height": height})
			if err != nil {
				return nil, err
			}
			return plain(string(text))
		},
	}}
}

// pngSize reads the size of a picture, and whether the picture is there to its end.
func pngSize(data []byte) (width, height uint32, ok bool) {
	const head, around = 8, 12 // the signature; the length, the type and the checksum of a chunk
	rest, signed := bytes.CutPrefix(data, []byte("\x89PNG\r\n\x1a\n"))
	for signed && len(rest) >= around {
		size, kind := binary.BigEndian.Uint32(rest), string(rest[4:head])
		switch {
		case uint64(size)+around > uint64(len(rest)):
			return 0, 0, false
		case kind == "IHDR" && size >= 8:
			width, height = binary.BigEndian.Uint32(rest[8:]), binary.BigEndian.Uint32(rest[12:])
		case kind == "IEND":
			return width, height, width > 0
		}
		rest = rest[around+size:]
	}
	return 0, 0, false
}
