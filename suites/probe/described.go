package probe

import (
	"net/url"
	"strings"
)

// Described is the protected resource metadata that clients of an endpoint read: the
// document that the challenge names, or else the first one at a well-known URL. It is
// false where there is none, and where the kit did not read the named document. A document
// at the root of the host may describe another resource there.
func (a *Access) Described(endpoint string) (Metadata, bool) {
	at, err := url.Parse(endpoint)
	for _, m := range a.Resource {
		place, unclear := url.Parse(m.At)
		switch {
		case m.Named && m.Object == nil && m.Status == 0 && unclear == nil && place.IsAbs():
			return Metadata{}, false
		case m.Object == nil:
		case m.Named, err != nil, unclear != nil, !m.ofAnother(place, at):
			return m, true
		}
	}
	return Metadata{}, false
}

// ofAnother reports whether a document at the root of the host names another resource of
// that host. A document behind the path of the endpoint belongs to the endpoint, whatever
// it names.
func (m Metadata) ofAnother(place, endpoint *url.URL) bool {
	resource, err := url.Parse(TextOf(m.Object["resource"]))
	if path := strings.TrimSuffix(endpoint.Path, "/"); err != nil || strings.HasSuffix(place.Path, path) {
		return false
	}
	return SameAuthority(resource, endpoint) && !Above(resource.Path, endpoint.Path)
}

// SameAuthority compares host and port of two URLs; all names of loopback are equal.
func SameAuthority(a, b *url.URL) bool {
	return strings.EqualFold(a.Host, b.Host) || Loopback(a.Hostname()) && Loopback(b.Hostname()) && a.Port() == b.Port()
}

// Above reports whether a path equals another path or is a parent of it.
func Above(path, below string) bool {
	path, below = strings.TrimSuffix(path, "/"), strings.TrimSuffix(below, "/")
	return path == below || strings.HasPrefix(below, path+"/")
}
