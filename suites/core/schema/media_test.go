package schema_test

import (
	"encoding/base64"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/core/schema"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
)

// Only data that begins like another kind is blamed.
func TestMediaTypeOfBytes(t *testing.T) {
	t.Parallel()
	const png, jpeg, riff = "\x89PNG\r\n\x1a\n\x00", "\xff\xd8\xff\xe0", "RIFF\x00\x01\x02\x03"
	for _, row := range []struct {
		stated, data string
		blamed       bool
	}{
		{"image/png", png, false}, {"image/png", jpeg, true}, {"image/jpeg", png, true}, {"image/jpg", jpeg, false},
		{"IMAGE/JPEG; q=1", jpeg, false}, {"image/gif", "GIF89a", false}, {"image/png", "GIF87a", true}, {"image/webp", riff + "WEBP", false},
		{"image/webp", riff + "WAVE", true}, {"audio/x-wav", riff + "WAVE", false}, {"audio/mpeg", riff + "WAVE", true},
		{"audio/mpeg", "ID3\x04", false}, {"audio/mpeg", "\xff\xfb\x90", false}, {"audio/flac", "ID3\x04", false}, {"audio/flac", "OggS", false},
		{"audio/ogg", "fLaC", true}, {"application/pdf", "%PDF-1.7", false}, {"application/pdf", png, true}, {"image/png", "%PDF-1.7", true},
		// of these nobody knows how they begin
		{"image/apng", png, false}, {"image/svg+xml", png, false}, {"application/octet-stream", png, false}, {"image/*", jpeg, false},
		{"audio/opus", "OggS", false}, {"video/ogg", "OggS", false}, {"audio/aac", "ID3\x04", false}, {"png", jpeg, false}, {"", jpeg, false},
		// what begins like nothing that is known
		{"image/png", "\x00\x01\x02", false}, {"image/png", "\x89PN", false}, {"audio/wav", riff + "AVI ", false}, {"image/png", "", false},
		{"image/png", "<svg/>", false},
	} {
		said := proof.Said(t, schema.Suite(), "schema/media-type-of-bytes", "tools/call", map[string]any{"content": []any{
			map[string]any{"type": "image", "data": base64.StdEncoding.EncodeToString([]byte(row.data)), "mimeType": row.stated},
		}})
		if got := said.Violation() != nil; got != row.blamed {
			t.Errorf("%q as %s: blamed is %t, want %t", row.data, row.stated, got, row.blamed)
		}
	}
}
