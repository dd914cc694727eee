package wire

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// A name that led to an address that everybody can reach never leads to one that only this
// machine or its network can reach.
func TestPins(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		first, now string
		refused    string // a part of the sentence; empty: not refused
	}{
		{"192.0.2.1", "192.0.2.2", ""},
		{"192.0.2.1", "10.0.0.1", "led to a public address at first and leads to the private address 10.0.0.1 now"},
		{"192.0.2.1", "100.64.0.1", "private"},
		{"2001:db8::1", "fd00::1", "private"},
		{"192.0.2.1", "127.0.0.1", "loopback"},
		{"192.0.2.1", "0.0.0.0", "loopback"},
		{"10.0.0.1", "::ffff:127.0.0.1", "loopback"},
		{"10.0.0.1", "192.168.0.1", ""},
		{"10.0.0.1", "192.0.2.1", ""},
		{"127.0.0.1", "::1", ""},
		{"127.0.0.1", "169.254.169.254", "link-local"},
		{"169.254.169.254", "169.254.169.254", "link-local"},
		{"fe80::1", "fe80::1", "link-local"},
	} {
		p := newPins(nil)
		_ = p.pin("Harbour.example", netip.MustParseAddr(row.first))
		err := p.pin("harbour.example.", netip.MustParseAddr(row.now))
		if got := err != nil; got != (row.refused != "") || got && !strings.Contains(err.Error(), row.refused) {
			t.Errorf("%s, then %s: %v", row.first, row.now, err)
		}
		if err := p.pin("another.example", netip.MustParseAddr("127.0.0.1")); err != nil {
			t.Errorf("another host: %v", err)
		}
	}
	named := newPins([]string{"http://169.254.1.1:8080/mcp", "http://harbour.example/"})
	if err := named.refuse("169.254.1.1", netip.MustParseAddr("169.254.1.1")); err != nil {
		t.Errorf("the user named it: %v", err)
	}
	if err := named.refuse("169.254.169.254", netip.MustParseAddr("169.254.169.254")); err == nil {
		t.Error("the user named another one")
	}
}

// Nothing is sent to an address that is refused, whoever dials: names are resolved anew for
// each connection.
func TestRebinding(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	pool := NewPool(Limits{}, "http://harbour.example:"+port)
	pool.pins.resolver = resolver(t, "127.0.0.1")
	address := net.JoinHostPort("harbour.example", port)
	conn, err := pool.Like(Limits{}).Dial(t.Context(), address)
	if err != nil {
		t.Fatalf("the first address is the one of the target, whatever it is: %v", err)
	}
	_ = conn.Close()
	if conn, err := listener.Accept(); err == nil {
		_ = conn.Close()
	}

	pool.pins.first["harbour.example"] = public // as if it had led elsewhere before
	for _, each := range []*Pool{pool, pool.Like(Limits{}), pool.Either()} {
		if conn, err := each.Dial(t.Context(), address); err == nil || !strings.Contains(err.Error(), "does not follow") {
			t.Errorf("it was followed: %v, %v", conn, err)
		}
	}
	own, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = own.Close() }()
	if next, err := listener.Accept(); err != nil || next.RemoteAddr().String() != own.LocalAddr().String() {
		t.Errorf("a connection was made before that of the test: %v", err)
	}
}

// resolver answers every question with one IPv4 address.
func resolver(t *testing.T, address string) *net.Resolver {
	t.Helper()
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer func() { _ = server.Close() }()
			in := make([]byte, 2+1232) // as over TCP: the length comes first
			n, err := server.Read(in)
			for n < 2 && err == nil {
				var more int
				more, err = server.Read(in[n:])
				n += more
			}
			var m dnsmessage.Message
			if err != nil || m.Unpack(in[2:n]) != nil {
				return
			}
			m.Response, m.Additionals = true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1},
					Body:   &dnsmessage.AResource{A: netip.MustParseAddr(address).As4()},
				}}
			}
			out, err := m.Pack()
			if err != nil {
				return
			}
			_, _ = server.Write(append([]byte{byte(len(out) >> 8), byte(len(out))}, out...))
		}()
		return client, nil
	}}
}
