package server_test

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

// BenchmarkLists makes a server and reads its four lists to the end three times,
// as the cases of a trial do on a connection over stdio.
func BenchmarkLists(b *testing.B) {
	same := func(_ fault.Exchange, m fault.Message) []fault.Message { return []fault.Message{m} }
	for _, row := range []struct {
		name  string
		fault *fault.Fault
	}{
		{"no fault", nil},
		{"reply", &fault.Fault{Reply: same}},
		{"list", &fault.Fault{List: func(_ fault.Exchange, items []fault.Message) []fault.Message { return items }}},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				readLists(b, row.fault)
			}
		})
	}
}

func readLists(b *testing.B, f *fault.Fault) {
	s, err := server.New(server.Options{Fault: f})
	if err != nil {
		b.Fatal(err)
	}
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	go func() {
		s.ServeStdio(b.Context(), nil, stdin, stdout, io.Discard)
		_ = stdout.Close()
	}()
	answers := bufio.NewReader(out)
	ask := func(line string) string {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			b.Fatal(err)
		}
		answer, err := answers.ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		return answer
	}
	for range 3 {
		for _, list := range []string{"tools", "resources", "resources/templates", "prompts"} {
			cursor := ""
			for {
				answer := ask(request(modern, "1", list+"/list", cursor))
				_, next, more := strings.Cut(answer, `"nextCursor":"`)
				if !more {
					break
				}
				next, _, _ = strings.Cut(next, `"`)
				cursor = `"cursor":"` + next + `"`
			}
		}
	}
	_ = in.Close()
	_, _ = io.Copy(io.Discard, answers)
}
