package plan

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Transports are the transports over which to judge the target: those that it has and
// that the configuration asks for. One URL may belong to either transport over HTTP:
// unless the configuration names one, the newer is tried first, as clients do.
func Transports(cfg config.Config, local *Local) []requirements.Transport {
	t := cfg.Target
	var all []requirements.Transport
	if local != nil && local.Serve != nil || len(t.Command) > 0 {
		all = append(all, requirements.Stdio)
	}
	switch own := localTransport(cfg, local); {
	case own != "":
		all = append(all, own)
	default:
		if t.URL != "" {
			all = append(all, requirements.HTTP)
		}
		if t.SSEURL != "" || t.URL != "" && cfg.Transport == config.SSE {
			all = append(all, requirements.SSE)
		}
	}
	return slices.DeleteFunc(all, func(tr requirements.Transport) bool {
		return cfg.Transport != config.Auto && string(cfg.Transport) != string(tr)
	})
}

// localTransport is the transport over which to judge a local handler; empty without
// one. HTTP+SSE is judged only on request.
func localTransport(cfg config.Config, l *Local) requirements.Transport {
	switch {
	case l == nil || l.Handler == nil || cfg.Transport == config.Stdio:
		return ""
	case cfg.Transport != config.SSE:
		return requirements.HTTP
	case l.SSE != "":
		return requirements.SSE
	}
	return ""
}

// PathOf is the path of a local server over a transport; empty where it serves
// nothing there.
func PathOf(l *Local, tr requirements.Transport) string {
	switch {
	case l == nil || l.Handler == nil || tr == requirements.Stdio:
		return ""
	case tr == requirements.SSE:
		return l.SSE
	case l.Path == "":
		return "/"
	}
	return l.Path
}
