package faults

import (
	"github.com/mcp-conform/mcp-conform/reference-server/ext/dashdash"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Handshake lists the faults of the block in the answer to the opening.
func Handshake() []fault.Fault {
	var all []fault.Fault
	for _, one := range [][]fault.Fault{presence(), identity(), offers(), agreements(), secrets()} {
		all = append(all, one...)
	}
	return all
}

func presence() []fault.Fault {
	moved := func(to string) fault.Change {
		return func(x fault.Exchange, m fault.Message) {
			result, ok := m.Result()
			if !ok || x.Method != "initialize" {
				return
			}
			if own := result["dashdash"]; own != nil && to != "" {
				result.Object(to)["dashdash"] = own
			}
			delete(result, "dashdash")
		}
	}
	at := fault.OverStdio(requirements.R20251125)
	return []fault.Fault{{Breaks: "ext-dd-init-present", Each: []fault.Fault{
		{Name: "dashdash-text", Title: "dashdash is a string", Reply: block("", "harbour-office 0.2.0")},
		{Name: "dashdash-in-server-info", Title: "dashdash stands inside serverInfo only", In: at, Reply: moved("serverInfo")},
		{Name: "dashdash-in-lists-only", Title: "dashdash is returned from tools/list only", In: at, Reply: moved("")},
	}}}
}

func identity() []fault.Fault {
	beside := []string{"ext-dashdash-ai-help/agrees-block"}
	return []fault.Fault{
		{Breaks: "ext-dd-init-spec-version", Each: []fault.Fault{
			{Name: "dashdash-version-early", Title: "specVersion is 0.1.9", Reply: block("/specVersion", "0.1.9")},
			{Name: "dashdash-version-short", Title: "specVersion is 0.2", Reply: block("/specVersion", "0.2")},
			{Name: "dashdash-version-number", Title: "specVersion is a number", Reply: block("/specVersion", 0.2)},
			{Name: "dashdash-version-missing", Title: "specVersion is missing", Reply: without("/specVersion")},
		}},
		{Breaks: "ext-dd-init-identity-name", Each: []fault.Fault{
			{Name: "dashdash-name-capitals", Title: "identity.name has capitals and an underscore", Reply: block("/identity/name", "Acme_MCP")},
			{Name: "dashdash-name-long", Title: "identity.name has 65 characters", Reply: block("/identity/name", long(65))},
			{Name: "dashdash-name-empty", Title: "identity.name is empty", Reply: block("/identity/name", "")},
			{Name: "dashdash-name-missing", Title: "identity.name is missing", Reply: without("/identity/name")},
		}},
		{Breaks: "ext-dd-init-identity-description", Each: []fault.Fault{
			{Name: "dashdash-description-missing", Title: "identity.description is missing", Reply: without("/identity/description")},
			{
				Name: "dashdash-description-list", Title: "identity.description is an array of phrases",
				Reply: block("/identity/description", []any{"Use when the user asks to book a berth."}),
			}, {
				Name: "dashdash-description-idle", Title: "identity.description does not say when to use the server", May: beside,
				Reply: block("/identity/description", "MCP server for Acme."),
			},
		}},
		{Breaks: "ext-dd-init-access-level", Each: []fault.Fault{
			{Name: "dashdash-level-write", Title: "accessLevel is write", Reply: block("/accessLevel", "write")},
			{Name: "dashdash-level-browse", Title: "accessLevel is browse", Reply: block("/accessLevel", "browse")},
			{Name: "dashdash-level-capitals", Title: "accessLevel is READ", Reply: block("/accessLevel", "READ")},
			{Name: "dashdash-level-missing", Title: "accessLevel is missing", Reply: without("/accessLevel")},
		}},
		{Breaks: "ext-dd-init-alternatives", Each: []fault.Fault{
			{Name: "dashdash-web-missing", Title: "alternativeAccess.webUrl is missing", Reply: without("/alternativeAccess/webUrl")},
			{Name: "dashdash-api-none", Title: "alternativeAccess.apiUrl is none", Reply: block("/alternativeAccess/apiUrl", "none")},
			{Name: "dashdash-api-empty", Title: "alternativeAccess.apiUrl is empty", Reply: block("/alternativeAccess/apiUrl", "")},
			{Name: "dashdash-web-relative", Title: "alternativeAccess.webUrl is a path", Reply: block("/alternativeAccess/webUrl", "/docs")},
		}},
	}
}

func offers() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-dd-init-install", Each: []fault.Fault{
			{Name: "dashdash-install-string", Title: "install is a string", Reply: block("/install", "npm install @harbour/office")},
			{Name: "dashdash-install-null", Title: "a package of install is null", Reply: block("/install/npm", nil)},
		}},
		{Breaks: "ext-dd-init-requires", Each: []fault.Fault{
			{
				Name: "dashdash-env-object", Title: "requires.env holds a value",
				Reply: block("/requires/env", map[string]any{"ACME_API_KEY": "sk-live-..."}),
			},
			{Name: "dashdash-auth-string", Title: "requires.auth is a string", Reply: block("/requires/auth", "api-key")},
		}},
		{Breaks: "ext-dd-init-invocation", Each: []fault.Fault{
			{Name: "dashdash-invocable-string", Title: "invocation.modelInvocable is a string", Reply: block("/invocation/modelInvocable", "true")},
			{Name: "dashdash-allowed-string", Title: "invocation.allowedTools is a string", Reply: block("/invocation/allowedTools", "mcp")},
		}},
		{Breaks: "ext-dd-init-recommended-links", Each: []fault.Fault{
			{Name: "dashdash-rate-number", Title: "rateLimit is a number", Reply: block("/rateLimit", 1000)},
			{Name: "dashdash-homepage-bare", Title: "homepage has no scheme", Reply: block("/homepage", "acme.com")},
			{
				Name: "dashdash-repository-object", Title: "repository is an object",
				Reply: block("/repository", map[string]any{"url": "https://git.example/harbour"}),
			},
		}},
		{Breaks: "ext-dd-init-optional", Each: []fault.Fault{
			{Name: "dashdash-updated-yesterday", Title: "lastUpdated is yesterday", Reply: block("/lastUpdated", "yesterday")},
			{Name: "dashdash-status-none", Title: "statusPage is n/a", Reply: block("/statusPage", "n/a")},
			{Name: "dashdash-emoji-true", Title: "identity.emoji is true", Reply: block("/identity/emoji", true)},
		}},
	}
}

func agreements() []fault.Fault {
	return []fault.Fault{
		{
			Name: "dashdash-names-another", Title: "dashdash names another server than serverInfo", Breaks: "ext-dd-init-name-agrees",
			Ext: dashdash.Switches{Name: "lighthouse"},
		}, {
			Name: "dashdash-read-level", Title: "accessLevel is read, and a tool deletes", Breaks: "ext-dd-init-level-fits-tools",
			Ext: dashdash.Switches{Level: "read"},
		}, {
			Name: "dashdash-full-opens", Title: "accessLevel full opens each tool to everybody", Breaks: "tools-access-control",
			In: fault.OverHTTP(requirements.R20251125), Without: []string{"permissions"},
		}, {
			Name: "dashdash-api-differs", Title: "apiUrl differs between the handshake and the guide", Breaks: "ext-dd-init-cross-reference",
			Reply: block("/alternativeAccess/apiUrl", "https://harbour.example/api"),
		}, {
			Name: "dashdash-description-empty-words", Title: "identity.description names an occasion and no purpose", Breaks: "ext-dd-init-skill",
			May: []string{"ext-dashdash-ai-help/agrees-block"}, Reply: block("/identity/description", "Use when needed."),
		},
	}
}

func secrets() []fault.Fault {
	return []fault.Fault{{Breaks: "ext-dd-init-no-secrets", Each: []fault.Fault{
		{
			Name: "dashdash-install-key", Title: "install holds an API key",
			Reply: block("/install/npm", "@harbour/office --key sk-4fJ9sL2mQ8vX1cR7tZ0b"),
		}, {
			Name: "dashdash-url-password", Title: "the URL of the status page holds a name and a password",
			Reply: block("/statusPage", "https://pilot:tide-7731@status.harbour.example"),
		}, {
			Name: "dashdash-internal-host", Title: "the URL of the status page leads to an internal host",
			Reply: block("/statusPage", "https://db01.corp.local/status"),
		},
	}}}
}
