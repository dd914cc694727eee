package discover

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A Barrier is the login or the redirect with which a server over HTTP answered every
// opening. The zero value means that there is none.
type Barrier struct {
	Status   int
	Location string // where a redirect leads, as the server wrote it
}

// barrier reads the barrier from the answer to an opening.
func barrier(r *probe.Reply) Barrier {
	status := r.Status()
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden && r.Header("WWW-Authenticate") != "":
		return Barrier{Status: status}
	case status >= 300 && status < 400 && r.Header("Location") != "":
		return Barrier{Status: status, Location: r.Header("Location")}
	}
	return Barrier{}
}

// Locked reports whether the barrier is a login.
func (b Barrier) Locked() bool { return b.Status != 0 && b.Location == "" }

// Advice says what the operator can do about the barrier. base is the URL that the kit
// asked; login says whether the kit sent credentials.
func (b Barrier) Advice(base string, login bool) string {
	switch {
	case b.Location != "":
		return b.elsewhere(base)
	case b.Status == 0:
		return ""
	case login:
		return fmt.Sprintf("the server does not accept these credentials (HTTP status %d): look at --header, target.headers "+
			"and principals.first", b.Status)
	default:
		return fmt.Sprintf("the server wants a login (HTTP status %d): put its token into principals.first.token or into "+
			"target.headers, or give --header 'Authorization: Bearer ${TOKEN}'", b.Status)
	}
}

// elsewhere names the target of a redirect, in a form that can be pasted into a shell.
func (b Barrier) elsewhere(base string) string {
	text := fmt.Sprintf("the server redirects to %q", b.Location)
	from, err := url.Parse(base)
	if err != nil {
		return text
	}
	to, err := from.Parse(b.Location)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || strings.ContainsAny(to.String(), "'\\") {
		return text + ", which is not an address that can be judged"
	}
	return fmt.Sprintf("the server redirects, and redirects are not followed: if %s is the server that you mean, give --url '%[1]s'", to)
}
