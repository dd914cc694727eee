package probe

import (
	"net"
	"net/url"
	"strings"
)

// Address is the URL at which the target is reached, empty over stdio.
func (c *conversation) Address() string { return c.setup.Address }

// Nearby reports whether the target is on this machine or in a private network,
// where a web page that its user opens could reach it, and nobody else.
func (c *conversation) Nearby() bool {
	at, err := url.Parse(c.setup.Address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(at.Hostname())
	return strings.EqualFold(at.Hostname(), "localhost") || ip != nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
}
