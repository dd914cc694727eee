package faults

import (
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// limits breaks rate_limits.
func limits() []fault.Fault {
	figure := func(name string, value any) fault.Change {
		return fault.Set(method, "/result/rate_limits/"+name, value)
	}
	return []fault.Fault{
		{Breaks: "ext-manifest-rate-limits-shape", Each: []fault.Fault{
			{Name: "manifest-limit-string", Title: "requests_per_minute is a string", Reply: figure("requests_per_minute", "60/min")},
			{Name: "manifest-reset-seconds", Title: "resets_at is a number of seconds", Reply: figure("resets_at", 1736265600)},
			{Name: "manifest-remaining-fraction", Title: "remaining has a fraction", Reply: figure("remaining", 12.5)},
		}},
		{Breaks: "ext-manifest-rate-limits-sane", Each: []fault.Fault{
			{Name: "manifest-remaining-negative", Title: "remaining is below zero", Reply: figure("remaining", -3)},
			{Name: "manifest-remaining-too-large", Title: "remaining is above the limit of a day", Reply: figure("requests_per_day", 60)},
			{
				Name: "manifest-reset-past", Title: "resets_at is two days ago",
				Reply: document(func(manifest fault.Message) {
					manifest.Object("rate_limits")["resets_at"] = time.Now().Add(-48 * time.Hour).UTC().Format(time.RFC3339)
				}),
			},
		}},
	}
}

// contents breaks the document as a whole, and adds contents that it should not have.
func contents() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-manifest-no-secrets", Each: []fault.Fault{{
			Name: "manifest-homepage-password", Title: "the homepage holds a user and a password",
			Reply: fault.Set(method, "/result/server/homepage", "https://keeper:Moor-4711@harbour.test/docs"),
		}, {
			Name: "manifest-key-in-description", Title: "the description of a tool holds an API key",
			Reply: member(booking, "description", "Books a berth. Call the crane with sk-4f1e2d3c4b5a69788796a5b4."),
		}, {
			Name: "manifest-token-in-auth", Title: "auth holds a bearer token",
			Reply: fault.Set(method, "/result/auth/x-hint", "Bearer 4f1e2d3c4b5a69788796a5b4c3d2e1f0"),
		}}},
		{
			Name: "manifest-bare-property", Title: "the manifest has a property of the vendor's own without a prefix",
			Breaks: "ext-manifest-vendor-namespaced", Reply: fault.Set(method, "/result/harbour_only", true),
		}, {
			Name:   "manifest-tool-bare-property",
			Title:  "a tool of the manifest has a property of the vendor's own without a prefix",
			Breaks: "ext-manifest-vendor-namespaced", Reply: member(booking, "crane_quality", "high"),
		}, {
			Name: "manifest-tools-only", Title: "the manifest says nothing of authentication, limits and extensions",
			Breaks: "ext-manifest-content-complete",
			Reply:  fault.Drop(method, "/result/auth", "/result/rate_limits", "/result/"+tokens),
		}, {
			Name: "manifest-auth-array", Title: "auth of the manifest is an array", Breaks: "ext-manifest-content-complete",
			Reply: fault.Set(method, "/result/auth", []any{}),
		},
	}
}
