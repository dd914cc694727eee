package memnet

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"testing"
)

func TestCarriesMoreThanItHolds(t *testing.T) {
	t.Parallel()
	r, w := NewPipe(64 << 10)
	want := bytes.Repeat([]byte("0123456789abc"), 50_000)
	go func() {
		for rest := want; len(rest) > 0; {
			n := min(len(rest), 7_777)
			if _, err := w.Write(rest[:n]); err != nil {
				t.Error(err)
			}
			rest = rest[n:]
		}
		_ = w.Close()
	}()
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d of %d bytes, %v", len(got), len(want), err)
	}
	if cap(r.buffer) > 2*r.room {
		t.Errorf("the buffer grew to %d", cap(r.buffer))
	}
}

func TestSidesWakeEachOther(t *testing.T) {
	t.Parallel()
	const room = 1000
	reader, full := NewPipe(room)
	wrote := make(chan error, 1)
	go func() {
		n, err := full.Write(make([]byte, room+1))
		if n != room {
			t.Errorf("wrote %d", n)
		}
		wrote <- err
	}()
	for full.unread() < room {
		runtime.Gosched() // the writer fills the pipe before it waits
	}
	_ = reader.Close()
	if err := <-wrote; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a writer without a reader: %v", err)
	}

	one := make([]byte, 1)
	empty, writer := NewPipe(room)
	read := make(chan error, 2)
	go func() {
		_, err := empty.Read(one)
		read <- err
	}()
	_ = writer.Close()
	if err := <-read; !errors.Is(err, io.EOF) {
		t.Errorf("a reader without a writer: %v", err)
	}
	_ = empty.Close()
	if _, err := empty.Read(one); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed reader: %v", err)
	}
	if _, err := writer.Write(one); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed writer: %v", err)
	}
}

func (p *pipe) unread() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.buffer) - p.start
}
