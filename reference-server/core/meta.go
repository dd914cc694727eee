package core

import (
	"encoding/json"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const reserved = "io.modelcontextprotocol/"

// The keys of a modern request's metadata.
const (
	keyVersion      = reserved + "protocolVersion"
	keyClient       = reserved + "clientInfo"
	keyCapabilities = reserved + "clientCapabilities"
	keyLevel        = reserved + "logLevel"
	keyServer       = reserved + "serverInfo"
	keySubscription = reserved + "subscriptionId"
)

// meta is what a request says about itself in _meta.
type meta struct {
	modern       bool
	all          map[string]json.RawMessage
	capabilities json.RawMessage // of a modern request
	level        string          // of a modern request; empty for no logs
	token        json.RawMessage // nil for no progress
}

// MetaVersion returns the revision in the metadata of a request.
func MetaVersion(m envelope.Message) (version string, named bool) {
	raw, named := m.Meta[keyVersion]
	version, _ = text(raw)
	return version, named
}

// readMeta reads and checks the metadata of a request.
func readMeta(conv *Conversation, in Inbound, f *fault.Fault) (meta, *Error) {
	m := meta{all: in.Meta}
	m.modern = isModern(conv, in, m.all)
	if raw, given := in.Param["_meta"]; given && !isObject(raw) {
		return m, badParams("_meta is not an object")
	}
	if raw, given := m.all["progressToken"]; given {
		if _, ok := envelope.IDKey(raw); !ok {
			return m, badParams("progressToken is neither a string nor an integer")
		}
		m.token = raw
	}
	if !m.modern {
		return m, nil
	}
	return m, m.modernFields(f)
}

// isModern decides the era of a request. A server of both eras cannot wait for a
// handshake to know: a request with modern metadata is modern, and so is a request
// without a handshake for a method that exists in the modern era only.
func isModern(conv *Conversation, in Inbound, all map[string]json.RawMessage) bool {
	if _, named := all[keyVersion]; named || (in.HTTP != nil && in.HTTP.Modern) {
		return true
	}
	if conv.Revision() != "" {
		return false
	}
	_, capabilities := all[keyCapabilities]
	_, client := all[keyClient]
	return capabilities || client || in.Method == "server/discover" || in.Method == "subscriptions/listen"
}

func (m *meta) modernFields(f *fault.Fault) *Error {
	if len(m.all) == 0 && f.Skips(fault.CheckMeta) {
		return nil
	}
	raw, named := m.all[keyVersion]
	version, isText := text(raw)
	switch {
	case !named && f.Skips(fault.CheckMetaVersion):
	case !isText:
		return badParams("_meta names no protocol version")
	case version != string(requirements.R20260728) && !f.Skips(fault.CheckRevision):
		return unsupported(version)
	}
	m.capabilities = m.all[keyCapabilities]
	if !isObject(m.capabilities) && !f.Skips(fault.CheckMetaClient) {
		return badParams("_meta holds no client capabilities")
	}
	if client, given := m.all[keyClient]; given && !isImplementation(client) {
		return badParams("clientInfo in _meta lacks a name or a version")
	}
	if level, given := m.all[keyLevel]; given {
		m.level, _ = text(level)
		if !slices.Contains(Levels(), m.level) && !f.Skips(fault.CheckLogLevel) {
			return badParams("logLevel in _meta is not a log level")
		}
	}
	return nil
}

// Supported lists the revisions that discovery offers, the newest last.
func Supported() []requirements.Revision { return requirements.Revisions() }

// unsupported refuses a request for its revision. The error for a revision that is
// served only after a handshake lists the revisions that need none.
func unsupported(version string) *Error {
	var supported []string
	for _, r := range Supported() {
		if r.Modern() || !requirements.Revision(version).Known() {
			supported = append(supported, string(r))
		}
	}
	return &Error{
		Code:    UnsupportedVersion,
		Message: "the protocol version is not served",
		Data:    map[string]any{"supported": supported, "requested": version},
	}
}

func isImplementation(raw json.RawMessage) bool {
	m := members(raw)
	_, name := text(m["name"])
	_, version := text(m["version"])
	return name && version
}
