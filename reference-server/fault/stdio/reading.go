package stdio

import (
	"bytes"
	"io"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// inputFaults are faults in reading input.
func inputFaults() []fault.Fault {
	broken := func(name, title, kills string, hooks fault.Stdio, also ...string) fault.Fault {
		return fault.Fault{
			Name: name, Title: title, In: fault.OverStdio(requirements.R20251125, requirements.R20260728),
			Breaks: "jsonrpc-single-response", Kills: []string{kills}, May: also, Hangs: true, Stdio: hooks,
		}
	}
	const lines, letters = "stdio/line-in-pieces", "stdio/character-in-pieces"
	forgetful := broken("stdio-long-line-dropped", "a line of more than 64 KiB is dropped", "stdio/long-line", fault.Stdio{})
	forgetful.May = []string{
		"prompts/arguments-validated-long", "mrtr/state-long", "ext-intent/type-guard-long", "ext-session-state/oversize-rejected",
	}
	forgetful.Inbound = fault.When(func(x fault.Exchange) bool { return len(x.Params) > 64<<10 }).Hang()
	return []fault.Fault{
		broken("stdio-piece-is-line", "what is read at one go is taken for a line", lines, fault.Stdio{
			Input: piecewise(func(piece []byte) []byte {
				if len(piece) > 4<<10 {
					return piece // this fault leaves long lines alone
				}
				return append(bytes.TrimRight(piece, "\n"), '\n')
			}),
		}, letters, "jsonrpc/error-for-request"),
		broken("stdio-piece-decoded", "what is read at one go is decoded by itself", letters, fault.Stdio{
			Input: piecewise(func(piece []byte) []byte { return bytes.ToValidUTF8(piece, []byte("\uFFFD")) }),
		}, "jsonrpc/result-for-request"),
		forgetful,
	}
}

// piecewise changes each piece of read input.
func piecewise(change func(piece []byte) []byte) func(io.Reader) io.ReadCloser {
	return func(in io.Reader) io.ReadCloser {
		out, changed := io.Pipe()
		go func() {
			piece := make([]byte, 1<<20)
			for {
				n, err := in.Read(piece)
				if n > 0 {
					if _, gone := changed.Write(change(bytes.Clone(piece[:n]))); gone != nil {
						return
					}
				}
				if err != nil {
					_ = changed.CloseWithError(err) // CloseWithError never fails
					return
				}
			}
		}()
		return out
	}
}
