package wire

import (
	"cmp"
	"net/url"
	"strings"
)

// SameHost reports whether two URLs name the same host. The usual names of this machine
// count as one.
func SameHost(a, b *url.URL) bool {
	return strings.EqualFold(a.Hostname(), b.Hostname()) || thisMachine(a) && thisMachine(b)
}

func thisMachine(u *url.URL) bool {
	switch strings.ToLower(u.Hostname()) {
	case "localhost", "127.0.0.1", "::1":
		return true
	}
	return false
}

// SameOrigin reports whether two URLs have the same scheme, host and port.
func SameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && SameHost(a, b) && port(a) == port(b)
}

// port is the port of a URL, which the scheme implies if the URL does not name it.
func port(u *url.URL) string {
	return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}
