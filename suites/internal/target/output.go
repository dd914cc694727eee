package target

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// drain is how long an abandoned output may be silent before it counts as
// ended. Bytes in the pipe arrive at once.
const drain = 100 * time.Millisecond

// An output is our end of a pipe that the server writes to.
type output struct {
	file  *os.File
	ended chan struct{} // closed at the end of reading
	end   func()
}

func newOutput(file *os.File) *output {
	o := &output{file: file, ended: make(chan struct{})}
	o.end = sync.OnceFunc(func() { close(o.ended) })
	return o
}

func (o *output) Read(b []byte) (int, error) {
	n, err := o.file.Read(b)
	if err != nil {
		o.end()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		// A process that left the group still holds the other end.
		err = io.EOF
	}
	return n, err
}

// Close wakes a reader, who then gets os.ErrClosed.
func (o *output) Close() error {
	o.end()
	return o.file.Close()
}

// abandon ends the reading after the bytes now in the pipe, even if a process
// keeps its other end open and writes more.
func (o *output) abandon() {
	err := o.file.SetReadDeadline(time.Now().Add(drain))
	if errors.Is(err, os.ErrNoDeadline) {
		// Windows: losing the rest is better than waiting for ever.
		_ = o.file.Close()
	}
}

// A pipeSet opens the pipes of one process and closes them all when the start
// fails.
type pipeSet struct {
	files []*os.File
	err   error
}

type osPipe struct{ read, write *os.File }

func (s *pipeSet) open() osPipe {
	read, write, err := os.Pipe()
	if err != nil {
		s.err = errors.Join(s.err, err)
		return osPipe{}
	}
	s.files = append(s.files, read, write)
	return osPipe{read, write}
}

func (s *pipeSet) closeAll() {
	for _, f := range s.files {
		_ = f.Close()
	}
}
