// Package vacant finds loopback addresses at which nothing listens, for tests that start a
// server there, or that expect nobody.
package vacant

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
)

// The ports lie below those that systems assign, so that no other test is given one of them
// by chance. Each process has a block of its own.
const lowest, blocks, size = 12_000, 90, 200

// ports are the block of this process. It listens at the first one until it ends, which
// tells other processes that the block is taken.
type ports struct {
	first int
	held  net.Listener // the garbage collector would close it if nothing referred to it
	tried atomic.Int32
}

var own = sync.OnceValues(claim) //nolint:gochecknoglobals // a process has one block

func claim() (*ports, error) {
	for i := range blocks {
		first := lowest + (os.Getpid()+i)%blocks*size
		if l, err := listen(first); err == nil {
			return &ports{first: first, held: l}, nil
		}
	}
	return nil, errors.New("other processes listen on all ports that are tried")
}

// Address is an address at which nothing listens. No other call gets it, in this process or
// another one, before this process has had all 199.
func Address() (string, error) {
	p, err := own()
	if err != nil {
		return "", err
	}
	for range size {
		l, err := listen(p.first + 1 + int(p.tried.Add(1))%(size-1))
		if err == nil {
			return l.Addr().String(), l.Close()
		}
	}
	return "", fmt.Errorf("something listens on each port from %d to %d", p.first+1, p.first+size-1)
}

func listen(port int) (net.Listener, error) {
	return net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)) //nolint:noctx // it never waits
}
