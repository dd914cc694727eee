package wire

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A class says who can reach an address, from everybody to this machine alone.
type class int

const (
	public class = iota
	private
	loopback
	linkLocal
)

func (c class) String() string {
	switch c {
	case public:
		return "public"
	case private:
		return "private"
	case loopback:
		return "loopback"
	case linkLocal:
		return "link-local"
	}
	return ""
}

// shared are the addresses between a provider and its customers (RFC 6598). Some clouds
// keep services of their own there.
func shared() netip.Prefix { return netip.MustParsePrefix("100.64.0.0/10") }

func classOf(a netip.Addr) class {
	a = a.Unmap().WithZone("")
	switch {
	case a.IsLinkLocalUnicast(), a.IsLinkLocalMulticast():
		return linkLocal
	case a.IsLoopback(), a.IsUnspecified():
		return loopback
	case a.IsPrivate(), shared().Contains(a):
		return private
	default:
		return public
	}
}

// Pins remember where the name of each host led. A server must not use its own name to
// lead the kit to addresses that only this machine, or its network, can reach: so a name
// that led to a public address never leads to a private one. Link-local addresses, where
// clouds keep the credentials of a machine, are never used unless the user named one.
type pins struct {
	named    map[string]bool // hosts that the user named
	resolver *net.Resolver   // nil: that of the system

	mu    sync.Mutex
	first map[string]class
}

func newPins(named []string) *pins {
	p := &pins{named: map[string]bool{}, first: map[string]class{}}
	for _, text := range named {
		if at, err := url.Parse(text); err == nil {
			p.named[at.Hostname()] = true
		}
	}
	return p
}

// dial connects to a host and remembers where it led.
func (p *pins) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: 10 * time.Second, Resolver: p.resolver, Control: func(_, to string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(to)
		if err != nil {
			return err
		}
		return p.refuse(host, at.Addr())
	}}
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if to, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		if err := p.pin(host, to.AddrPort().Addr()); err != nil {
			_ = conn.Close()
			return nil, err
		}
	}
	return conn, nil
}

// pin remembers the first address of a host. Of two connections that are made at once,
// the second may lead elsewhere.
func (p *pins) pin(host string, to netip.Addr) error {
	if err := p.refuse(host, to); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	host = canonical(host)
	if first, known := p.first[host]; !known {
		p.first[host] = classOf(to)
	} else if classOf(to) > first {
		return moved(host, to, first)
	}
	return nil
}

// refuse says why the kit does not connect to an address of a host; nil: it does.
func (p *pins) refuse(host string, to netip.Addr) error {
	now := classOf(to)
	if now == linkLocal && !p.named[host] {
		return fmt.Errorf("%s is a link-local address, which the kit uses only where the URL of the target names it", to)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if first, known := p.first[canonical(host)]; known && now > first {
		return moved(host, to, first)
	}
	return nil
}

func moved(host string, to netip.Addr, first class) error {
	return fmt.Errorf("%s led to a %s address at first and leads to the %s address %s now, where the kit does not follow",
		host, first, classOf(to), to)
}

func canonical(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }
