package suites_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
)

// The test binary is also a server: one with many tools, for the benchmarks, or
// one that logs credentials.
func TestMain(m *testing.M) {
	if address := os.Getenv(logsAt); address != "" {
		serveAndLog(address)
		return
	}
	if n, err := strconv.Atoi(os.Getenv(manyTools)); err == nil {
		serveMany(n)
		return
	}
	proof.Main(m)
}

// serveMany answers the handshake, pings and one long list.
func serveMany(n int) {
	lines := bufio.NewReaderSize(os.Stdin, 1<<16)
	list := toolList(n)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var request struct {
			ID     json.RawMessage
			Method string
			Params struct{ ProtocolVersion string }
		}
		if json.Unmarshal(line, &request) != nil || request.ID == nil {
			continue
		}
		switch request.Method {
		case "initialize":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"many","version":"1"}}}`+"\n", request.ID, request.Params.ProtocolVersion)
		case "ping":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", request.ID)
		case "tools/list":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`+"\n", request.ID, list)
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}`+"\n", request.ID)
		}
	}
}
