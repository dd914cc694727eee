package schema

import (
	"fmt"
	"net"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A door is an address of the kit that only a server which follows references connects
// to. It accepts each connection and closes it.
type door struct {
	url      string
	listener net.Listener
	knocked  chan string // the addresses of the peers, in order
}

// maxKnocks is how many connections are counted before the next one has to wait.
const maxKnocks = 100

func open(c *probe.Client) *door {
	listener, err := (&net.ListenConfig{}).Listen(c.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		c.Stop(fmt.Errorf("listen for those who follow a reference: %w", err))
	}
	d := &door{url: "http://" + listener.Addr().String() + "/form.json", listener: listener, knocked: make(chan string, maxKnocks)}
	go d.serve()
	return d
}

// serve accepts connections until the door is closed.
func (d *door) serve() {
	defer close(d.knocked)
	for {
		conn, err := d.listener.Accept()
		if err != nil {
			return
		}
		from := conn.RemoteAddr().String()
		_ = conn.Close()
		d.knocked <- from
	}
}

// knocks is the number of connections so far. The listener accepts connections in order,
// so the kit connects too and counts those before its own.
func (d *door) knocks(c *probe.Client) int {
	conn, err := (&net.Dialer{}).DialContext(c.Context(), "tcp", d.listener.Addr().String())
	if err != nil {
		c.Stop(fmt.Errorf("knock at the kit's own door: %w", err))
	}
	defer func() { _ = conn.Close() }()
	for n := 0; ; n++ {
		select {
		case from, ok := <-d.knocked:
			if !ok || from == conn.LocalAddr().String() {
				return n
			}
		case <-c.Context().Done():
			return n
		}
	}
}

// close stops the listener and waits for serve to end.
func (d *door) close() {
	_ = d.listener.Close()
	for range d.knocked {
		continue // connections after the count
	}
}
