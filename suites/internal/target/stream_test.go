package target

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
)

func TestTailKeepsTheEnd(t *testing.T) {
	t.Parallel()
	for _, sizes := range [][]int{{1}, {10}, {11}, {3, 3, 3, 3, 3}, {9, 1, 1}, {9, 2}, {25}, {4, 25, 4}, {10, 10, 3}, {5, 0, 5, 9}} {
		tail := newTail(10)
		var all strings.Builder
		for i, size := range sizes {
			part := strings.Repeat(string(rune('a'+i)), size)
			all.WriteString(part)
			if n, err := io.WriteString(tail, part); n != size || err != nil {
				t.Errorf("wrote %d %v", n, err)
			}
		}
		want := all.String()
		if len(want) > 10 {
			want = "..." + want[len(want)-10:]
		}
		if got := tail.String(); got != want {
			t.Errorf("%v: got %q, want %q", sizes, got, want)
		}
	}
}

func TestPipeCarriesMoreThanItHolds(t *testing.T) {
	t.Parallel()
	p := newPipe()
	want := bytes.Repeat([]byte("0123456789abc"), 50_000)
	go func() {
		w := writeEnd{p}
		for rest := want; len(rest) > 0; {
			n := min(len(rest), 7_777)
			if _, err := w.Write(rest[:n]); err != nil {
				t.Error(err)
			}
			rest = rest[n:]
		}
		_ = w.Close()
	}()
	got, err := io.ReadAll(readEnd{p})
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d of %d bytes, %v", len(got), len(want), err)
	}
	if cap(p.buffer) > 2*pipeRoom {
		t.Errorf("the buffer grew to %d", cap(p.buffer))
	}
}

func TestPipeSidesWakeEachOther(t *testing.T) {
	t.Parallel()
	full := newPipe()
	wrote := make(chan error, 1)
	go func() {
		n, err := writeEnd{full}.Write(make([]byte, pipeRoom+1))
		if n != pipeRoom {
			t.Errorf("wrote %d", n)
		}
		wrote <- err
	}()
	for full.held() < pipeRoom {
		runtime.Gosched() // the writer fills the pipe before it waits
	}
	_ = readEnd{full}.Close()
	if err := <-wrote; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a writer without a reader: %v", err)
	}

	one := make([]byte, 1)
	empty := newPipe()
	read := make(chan error, 2)
	go func() {
		_, err := readEnd{empty}.Read(one)
		read <- err
	}()
	_ = writeEnd{empty}.Close()
	if err := <-read; !errors.Is(err, io.EOF) {
		t.Errorf("a reader without a writer: %v", err)
	}
	_ = readEnd{empty}.Close()
	if _, err := (readEnd{empty}).Read(one); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed reader: %v", err)
	}
	if _, err := (writeEnd{empty}).Write(one); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed writer: %v", err)
	}
}

func (p *pipe) held() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.buffer) - p.start
}
