package faults

import (
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// servers breaks the manifest's statements about the whole server.
func servers() []fault.Fault {
	same := []string{"ext-manifest/identity-agrees"}
	drop := func(name string) fault.Change {
		return document(func(manifest fault.Message) { delete(manifest.Object("server"), name) })
	}
	unlisted := func(result fault.Message) {
		result["supportedVersions"] = []any{string(requirements.R20251125), string(requirements.R20260728)}
	}
	settles := func(asked string, agreed requirements.Revision) string {
		if asked == string(requirements.R20250618) {
			return string(requirements.R20251125)
		}
		return string(agreed)
	}
	return []fault.Fault{
		{Breaks: "ext-manifest-server-required", Each: []fault.Fault{
			{Name: "manifest-server-without-version", Title: "server of the manifest has no version", Reply: drop("version")},
			{Name: "manifest-server-without-spec-version", Title: "server of the manifest has no mcp_spec_version", Reply: drop("mcp_spec_version")},
			{
				Name: "manifest-server-nameless", Title: "the name of the server in the manifest is an empty string",
				Reply: fault.Set(method, "/result/server/name", ""),
			},
		}},
		{Breaks: "ext-manifest-server-semver", Each: []fault.Fault{
			{Name: "manifest-server-two-numbers", Title: "server.version is 1.0", Reply: fault.Set(method, "/result/server/version", "1.0")},
			{
				Name: "manifest-server-version-prefixed", Title: "server.version is v1.0.0",
				Reply: fault.Set(method, "/result/server/version", "v1.0.0"),
			}, {
				Name: "manifest-server-version-month", Title: "server.version is a month", May: same,
				Reply: fault.Set(method, "/result/server/version", "2026-03"),
			},
		}},
		{Breaks: "ext-manifest-spec-version-spoken", Each: []fault.Fault{{
			Name: "manifest-spec-version-unknown", Title: "mcp_spec_version is a date that no revision has",
			Reply: fault.Set(method, "/result/server/mcp_spec_version", "2026-01-01"),
		}, {
			Name: "manifest-spec-version-word", Title: "mcp_spec_version is latest",
			Reply: fault.Set(method, "/result/server/mcp_spec_version", "latest"),
		}, {
			Name: "manifest-spec-version-not-agreed", Title: "mcp_spec_version is a revision that the server does not agree to",
			In: fault.OverStdio(requirements.R20251125), Negotiate: settles,
			Reply: fault.Changes(
				fault.Set(method, "/result/server/mcp_spec_version", "2025-06-18"), fault.OnResult("server/discover", unlisted),
			),
		}}},
		{Breaks: "ext-manifest-identity-agrees", Each: []fault.Fault{{
			Name: "manifest-other-version", Title: "the manifest and serverInfo name different versions",
			Reply: fault.Set(method, "/result/server/version", "0.9.0"),
		}, {
			Name: "manifest-other-server", Title: "the manifest names another server",
			Reply: fault.Set(method, "/result/server/name", "fish-market"),
		}}},
		{Breaks: "ext-manifest-server-optional-types", Each: []fault.Fault{
			{
				Name: "manifest-homepage-relative", Title: "the homepage is a path",
				Reply: fault.Set(method, "/result/server/homepage", "docs/index.html"),
			},
			{Name: "manifest-homepage-null", Title: "the homepage is null", Reply: fault.Set(method, "/result/server/homepage", nil)},
			{
				Name: "manifest-description-array", Title: "the description of the server is an array",
				Reply: fault.Set(method, "/result/server/description", []any{"Plans berths."}),
			},
		}},
	}
}
