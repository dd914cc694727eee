package schema

import (
	"fmt"
	"net"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A door is an address of the kit's that nobody has a reason to knock at. Whoever does is
// let in and sent away.
type door struct {
	url      string
	listener net.Listener
	knocked  chan string // the addresses of those who came, in order
}

// most is how many knocks are counted before the next one has to wait.
const most = 100

func open(c *probe.Client) *door {
	listener, err := (&net.ListenConfig{}).Listen(c.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		c.Stop(fmt.Errorf("listen for those who follow a reference: %w", err))
	}
	d := &door{url: "http://" + listener.Addr().String() + "/form.json", listener: listener, knocked: make(chan string, most)}
	go d.serve()
	return d
}

// serve ends when the door is closed.
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

// knocks is how often somebody came before this was asked: connections are let in
// in order, so the kit knocks itself and counts those who were there first.
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

// close lets nobody in any more, and waits until the door is no longer served.
func (d *door) close() {
	_ = d.listener.Close()
	for range d.knocked {
		continue // who came after the count
	}
}
