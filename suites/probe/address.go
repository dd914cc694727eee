package probe

import (
	"net"
	"net/url"
	"strings"
)

// Address is the URL of the target, empty over stdio.
func (c *conversation) Address() string { return c.setup.Address }

// Nearby reports whether the target is on this machine or in a private network:
// only a web page in its user's browser could reach it from the open web.
func (c *conversation) Nearby() bool {
	at, err := url.Parse(c.setup.Address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(at.Hostname())
	return strings.EqualFold(at.Hostname(), "localhost") || ip != nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
}
