package front

import (
	"bufio"
	"errors"
	"io"
	"sync"
)

// maxMessage is the maximum size of a client's message, in bytes.
const maxMessage = 16 << 20

// A line is one line of standard input.
type line struct {
	text    []byte
	tooLong bool
}

// readLines sends the lines of r without their ends, and closes the channel at the end
// of r. A line beyond the maximum is read to its end and sent without its text. The
// last line needs no line end.
func readLines(r io.Reader, lines chan<- line, done <-chan struct{}) {
	defer close(lines)
	reader, _ := readers.Get().(*bufio.Reader)
	reader.Reset(r)
	defer func() {
		reader.Reset(nil)
		readers.Put(reader)
	}()
	for {
		next, err := readLine(reader)
		if err == nil || len(next.text) > 0 || next.tooLong {
			select {
			case lines <- next:
			case <-done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

//nolint:gochecknoglobals // selftest serves thousands of conversations
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 16<<10) }}

func readLine(reader *bufio.Reader) (line, error) {
	var next line
	for {
		part, err := reader.ReadSlice('\n')
		if len(next.text)+len(part) > maxMessage {
			next = line{tooLong: true}
		}
		if !next.tooLong {
			next.text = append(next.text, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		next.text = trimEnd(next.text)
		return next, err
	}
}

func trimEnd(text []byte) []byte {
	if n := len(text); n > 0 && text[n-1] == '\n' {
		text = text[:n-1]
	}
	if n := len(text); n > 0 && text[n-1] == '\r' {
		text = text[:n-1]
	}
	return text
}
