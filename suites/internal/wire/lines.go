package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// A lineReader cuts stdout into lines and keeps at most limit bytes of each.
type lineReader struct {
	in    *bufio.Reader
	limit int
}

func newLineReader(in io.Reader, limit int) *lineReader {
	buffered, _ := buffers.Get().(*bufio.Reader)
	buffered.Reset(in)
	return &lineReader{in: buffered, limit: limit}
}

//nolint:gochecknoglobals // a run opens a connection for every other case
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 32<<10) }}

// free ends the use of the reader.
func (r *lineReader) free() {
	r.in.Reset(nil)
	buffers.Put(r.in)
	r.in = nil
}

// next returns the next line without its newline, and its full length. At the
// end it returns the text after the last newline together with the error.
func (r *lineReader) next() (line []byte, size int, err error) {
	for {
		part, err := r.in.ReadSlice('\n')
		if err == nil {
			part = part[:len(part)-1]
		}
		size += len(part)
		line = append(line, part[:min(len(part), r.limit-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, size, err
		}
	}
}

// skip drops the buffered lines, and returns their number.
func (r *lineReader) skip() int {
	ahead, _ := r.in.Peek(r.in.Buffered()) // only the buffered bytes
	end := bytes.LastIndexByte(ahead, '\n') + 1
	lines := bytes.Count(ahead[:end], []byte("\n"))
	_, _ = r.in.Discard(end)
	return lines
}

// lineFrame wraps one line as a frame and notes oddities around it.
func lineFrame(line []byte, size int) frame.Frame {
	f := frame.New(frame.Received, frame.KindMessage, line)
	f.Size = size
	f.Truncated = size > len(line)
	if bytes.HasPrefix(line, []byte(bom)) {
		f.Framing = append(f.Framing, frame.OddBOM)
	}
	if bytes.HasSuffix(line, []byte("\r")) && !f.Truncated {
		f.Framing = append(f.Framing, frame.OddCarriageReturn)
	}
	if len(bytes.TrimSpace(line)) == 0 {
		f.Framing = append(f.Framing, frame.OddEmptyLine)
	}
	return f
}

// bom is the byte order mark in UTF-8.
const bom = "\xef\xbb\xbf"
