package http

import (
	"bytes"
	"io"
	"net/http"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// pieceFaults are faults in reading a body that comes in chunks. They leave other bodies alone.
func pieceFaults() []fault.Fault {
	const piecewise = "http/character-in-pieces"
	columns := fault.OverHTTP(requirements.R20251125, requirements.R20260728)
	return []fault.Fault{
		{
			Name: "http-pieces-decoded", Title: "each piece of a body is decoded by itself", Breaks: "jsonrpc-response-id-echo",
			Kills: []string{piecewise}, May: []string{"jsonrpc/result-for-request"}, In: columns,
			HTTP: readingPieces(func(piece []byte) []byte { return bytes.ToValidUTF8(piece, []byte("\uFFFD")) }),
		},
		{
			Name: "http-pieces-refused", Title: "a body is refused where a piece of it ends within a character", Breaks: "jsonrpc-single-response",
			Kills: []string{piecewise}, May: []string{"jsonrpc/error-for-request"}, In: columns,
			HTTP: readingPieces(func(piece []byte) []byte { return bytes.ToValidUTF8(piece, []byte{0}) }),
		},
	}
}

// readingPieces changes each piece of a body in chunks.
func readingPieces(change func(piece []byte) []byte) fault.HTTP {
	return fault.HTTP{Serve: func(_ http.ResponseWriter, r *http.Request) bool {
		if r.ContentLength < 0 {
			r.Body = &piecesRead{ReadCloser: r.Body, change: change}
		}
		return false
	}}
}

type piecesRead struct {
	io.ReadCloser
	change func(piece []byte) []byte
	left   []byte
}

func (p *piecesRead) Read(into []byte) (int, error) {
	if len(p.left) == 0 {
		piece := make([]byte, 1<<20)
		n, err := p.ReadCloser.Read(piece)
		if p.left = p.change(piece[:n]); len(p.left) == 0 {
			return 0, err
		}
	}
	n := copy(into, p.left)
	p.left = p.left[n:]
	return n, nil
}
