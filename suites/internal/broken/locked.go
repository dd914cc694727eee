package broken

import (
	"net/http"
	"time"
)

// A Locked server wants a token from everybody, and its OAuth documents never end.
type Locked struct {
	Name     string
	Document http.HandlerFunc
}

// LockedServers lists them.
func LockedServers() []Locked {
	return []Locked{
		{"no-documents", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{"dripping-documents", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for {
				if _, err := w.Write([]byte(" ")); err != nil || http.NewResponseController(w).Flush() != nil {
					return
				}
				select {
				case <-time.After(time.Second):
				case <-r.Context().Done():
					return
				}
			}
		}},
	}
}

// ServeHTTP serves the endpoint at /mcp, and documents everywhere else.
func (l Locked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/mcp" {
		l.Document(w, r)
		return
	}
	w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="http://`+r.Host+`/.well-known/oauth-protected-resource/mcp"`)
	http.Error(w, "who are you?", http.StatusUnauthorized)
}
