package wire

import (
	"net"
	"net/http"
	"time"
)

// NewTransport returns a transport that changes nothing on the way: no proxy,
// no compression, no HTTP/2. Share one among the connections to a target.
func NewTransport(limits Limits) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Protocols:              protocols,
		DisableCompression:     true,
		MaxResponseHeaderBytes: limits.filled().Header,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConnsPerHost:    64,
		// Many servers drop idle connections after five seconds. Using one at
		// that very moment fails through no fault of theirs.
		IdleConnTimeout: 2 * time.Second,
	}
}

// NewClient returns a client around NewTransport.
func NewClient(limits Limits) *http.Client {
	return &http.Client{Transport: NewTransport(limits)}
}

// plain returns client without what would act on its own: it follows no
// redirect, keeps no cookie and has no clock.
func plain(client *http.Client) *http.Client {
	return &http.Client{
		Transport:     client.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
