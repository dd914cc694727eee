// Package faults holds the ways to break the multimodal-signatures extension.
package faults

import (
	"encoding/base64"
	"maps"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/multimodal"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

const (
	suite = "ext-multimodal/"
	tool  = "measure_picture"
)

// told changes a member of the signature in both places.
func told(name string, value any) multimodal.Switches {
	return multimodal.Switches{Edit: func(members map[string]any) { members[name] = value }}
}

// given selects calls by the picture and by the type that is stated.
func given(fits func(picture, stated string) bool) fault.When {
	return fault.Tool(tool).And(func(x fault.Exchange) bool {
		arguments, _ := x.Param("arguments").(map[string]any)
		meta, _ := x.Param("_meta").(map[string]any)
		picture, _ := arguments["picture"].(string)
		stated, _ := meta["content_type"].(string)
		return fits(picture, stated)
	})
}

// Faults lists the faults of the extension.
func Faults() []fault.Fault {
	const types, size, oversize = "ext-multimodal-types-syntax", "ext-multimodal-max-size", "ext-multimodal-oversize"
	const accepted, hint, encoding = "ext-multimodal-listed-accepted", "ext-multimodal-hint-not-allowlist", "ext-multimodal-bad-encoding"
	const most, picture = 16 << 10, 92 // bytes of the largest picture, and characters of the sample
	large := given(func(picture, _ string) bool {
		data, _ := base64.StdEncoding.DecodeString(picture) // empty for what is no base64
		return len(data) > most
	})
	unlisted := given(func(_, stated string) bool { return stated == "image/gif" })
	cut := given(func(data, _ string) bool { return len(data) > 8 && len(data) < picture })
	broken, truncated := []string{suite + "broken-base64-rejected"}, []string{suite + "truncated-handled"}
	return []fault.Fault{
		{Breaks: types, May: []string{suite + "output-declared"}, Each: []fault.Fault{
			{Name: "multimodal-type-bare", Title: `input_types are ["png"]`, Ext: told("input_types", []any{"png"})},
			{Name: "multimodal-type-suffix", Title: `output_types are [".jpg"]`, Ext: told("output_types", []any{".jpg"})},
			{Name: "multimodal-types-string", Title: "input_types are one string with commas", Ext: told("input_types", "image/png, image/jpeg")},
		}},
		{Breaks: size, Each: []fault.Fault{
			{Name: "multimodal-size-string", Title: `max_input_size_bytes is "16KB"`, Ext: told("max_input_size_bytes", "16KB")},
			{Name: "multimodal-size-fraction", Title: "max_input_size_bytes is a fraction", Ext: told("max_input_size_bytes", 16384.5)},
			{Name: "multimodal-size-zero", Title: "max_input_size_bytes is 0", Ext: told("max_input_size_bytes", 0)},
		}},
		{Breaks: oversize, Each: []fault.Fault{
			{Name: "multimodal-oversize-ends", Title: "the server ends at data that is too large", Inbound: large.Exit(1)},
			{Name: "multimodal-size-in-kilobytes", Title: "max_input_size_bytes is a number of kilobytes", Ext: told("max_input_size_bytes", 16)},
			{Name: "multimodal-oversize-taken", Title: "data of any size is taken", Ext: multimodal.Switches{NoLimit: true}},
			{
				Name: "multimodal-oversize-internal", Title: "data that is too large is answered with -32603",
				Inbound: large.Refuse(-32603, "out of memory"),
			},
		}},
		{Breaks: accepted, May: []string{suite + "output-declared"}, Each: []fault.Fault{
			{
				Name: "multimodal-listed-refused", Title: "a listed type is refused", Kills: []string{suite + "listed-accepted"},
				May: []string{"ext-multimodal/half-accepted"},
				Ext: multimodal.Switches{Refuses: "image/png"}},
			{Name: "multimodal-half-refused", Title: "half of the declared maximum is refused", Kills: []string{suite + "half-accepted"},
				Ext: multimodal.Switches{Third: true}},
		}},
		{Breaks: hint, Each: []fault.Fault{
			{Name: "multimodal-unlisted-internal", Title: "a type that is not listed is answered with -32603",
				Inbound: unlisted.Refuse(-32603, "no decoder")},
			{Name: "multimodal-unlisted-ends", Title: "the server ends at a type that is not listed", Inbound: unlisted.Exit(1)},
		}},
		{
			Name: "multimodal-output-picture", Title: "a tool that declares application/json answers with a picture alone",
			Breaks: "ext-multimodal-output-declared", Reply: fault.OnTool(tool, func(result fault.Message) {
				result["content"] = []any{map[string]any{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}}
			}),
		},
		{Breaks: encoding, Each: []fault.Fault{
			{Name: "multimodal-base64-internal", Title: "an argument that is not base64 is answered with -32603", Kills: broken,
				Inbound: given(func(picture, _ string) bool { return picture == "%%%" }).Refuse(-32603, "illegal base64 data")},
			{
				Name: "multimodal-base64-taken", Title: "an argument that is not base64 is taken", Kills: broken,
				May: []string{"ext-multimodal/truncated-handled"}, Ext: multimodal.Switches{AnyBytes: true},
				Reply: given(func(picture, _ string) bool { return picture == "%%%" }).Result(func(result fault.Message) {
					delete(result, "isError")
					result["content"] = fault.Text(`{"width":0,"height":0}`)
					meta := result.Object("_meta")
					maps.DeleteFunc(meta, func(name string, _ any) bool { return name == "error" || name == multimodal.Prefix+"error" })
				})},
			{
				Name: "multimodal-truncated-internal", Title: "a truncated picture is answered with -32603", Kills: truncated,
				May:     []string{"ext-multimodal/unlisted-handled"},
				Inbound: cut.Refuse(-32603, "unexpected end of file")},
		}},
		{
			Name: "multimodal-vendor-flag", Title: "a tool with a signature has dalle_style beside it", Breaks: "ext-multimodal-vendor-neutral",
			List: func(_ fault.Exchange, items []fault.Message) []fault.Message {
				for i, item := range items {
					if item["name"] == tool {
						items[i] = item.With("dalle_style", "vivid")
					}
				}
				return items
			},
		},
	}
}
