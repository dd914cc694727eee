package frame_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

func BenchmarkRead(b *testing.B) {
	for name, raw := range map[string]string{
		"small":   `{"jsonrpc":"2.0","id":17,"result":{"content":[{"type":"text","text":"hello"}],"isError":false}}`,
		"numbers": `{"a":[` + strings.Repeat("1,", 1<<18) + "1]}",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				frame.Read([]byte(raw))
			}
		})
	}
}
