package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
)

func offerResources(registry *mcpserver.MCPServer, notices *noticeBoard) {
	const static = "This is the content of the static text resource."
	registry.AddResources(
		mcpserver.ServerResource{
			Resource: mcp.NewResource("test://static-text", "Static text", mcp.WithResourceDescription("A text that never changes."),
				mcp.WithMIMEType("text/plain"), mcp.WithResourceSize(int64(len(static))),
				mcp.WithAnnotations([]mcp.Role{mcp.RoleUser}, 0.5, "2026-01-12T15:00:58Z")),
			Handler: textReader(func() string { return static }),
		},
		mcpserver.ServerResource{
			Resource: mcp.NewResource("test://static-binary", "Static picture", mcp.WithResourceDescription("A picture of one point."),
				mcp.WithMIMEType("image/png"), mcp.WithResourceSize(int64(base64.StdEncoding.DecodedLen(len(pixel()))-2))),
			Handler: func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return []mcp.ResourceContents{mcp.BlobResourceContents{URI: r.Params.URI, MIMEType: "image/png", Blob: pixel()}}, nil
			},
		},
		mcpserver.ServerResource{
			Resource: mcp.NewResource(watched, "Watched notice", mcp.WithResourceDescription("A notice that test_trigger_resource_update changes."),
				mcp.WithMIMEType("text/plain")),
			Handler: textReader(func() string { return notices.text(false) }),
		},
	)
	offerCharts(registry)
	offerPilotBook(registry)
	for _, b := range berths() {
		registry.AddResource(
			mcp.NewResource("harbour://berths/"+b.ID, "Berth "+b.ID, mcp.WithResourceTitle("Berth "+b.ID),
				mcp.WithResourceDescription("What is known of berth "+b.ID+"."), mcp.WithMIMEType("application/json")),
			jsonReader(b))
	}
}

// offerCharts offers files, and their directory, which is read as all that it holds.
func offerCharts(registry *mcpserver.MCPServer) {
	const dir = "file:///harbour/charts"
	charts := []mcp.TextResourceContents{
		{URI: dir + "/approach.txt", MIMEType: "text/plain", Text: "Keep the church spire in line with the pier head."},
		{URI: dir + "/depths.csv", MIMEType: "text/csv", Text: "place,metres\npier head,6\nbasin,4\n"},
	}
	var all []mcp.ResourceContents
	for _, chart := range charts {
		all = append(all, chart)
		name := "Chart " + strings.TrimPrefix(chart.URI, dir+"/")
		registry.AddResource(
			mcp.NewResource(chart.URI, name, mcp.WithMIMEType(chart.MIMEType), mcp.WithResourceSize(int64(len(chart.Text)))),
			func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return []mcp.ResourceContents{chart}, nil
			})
	}
	registry.AddResource(mcp.NewResource(dir, "Charts", mcp.WithResourceDescription("All charts of the harbour."),
		mcp.WithMIMEType("inode/directory")),
		func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) { return all, nil })
}

func textReader(text func() string) mcpserver.ResourceHandlerFunc {
	return func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "text/plain", Text: text()}}, nil
	}
}

func jsonReader(value any) mcpserver.ResourceHandlerFunc {
	return func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "application/json", Text: string(text)}}, nil
	}
}

// aspects are the properties of a berth; each has a template of its own.
func aspects() []string {
	return []string{"cleats", "depth", "fenders", "history", "light", "mooring", "neighbours", "power", "safety", "tariff", "water"}
}

// brokenGauge is the berth whose depth gauge fails: a question for its depth fails
// inside the server.
const brokenGauge = "B6"

var errNoGauge = errors.New("the gauge does not answer")

// guarded is the aspect that guests may not read. For guests the resource does not
// exist, so that a refusal reveals nothing.
const (
	guarded = "safety"
	guest   = "key-of-the-harbour-guest"
)

func offerTemplates(registry *mcpserver.MCPServer) {
	for _, aspect := range aspects() {
		registry.AddResourceTemplate(
			mcp.NewResourceTemplate("harbour://berths/{berth}/"+aspect, "Berth "+aspect, mcp.WithTemplateTitle("Berth: "+aspect),
				mcp.WithTemplateDescription("The "+aspect+" of a berth."), mcp.WithTemplateMIMEType("text/plain")),
			func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				id := variable(r, "berth")
				switch {
				case !isBerth(id), aspect == guarded && core.From(ctx).Principal() == guest:
					return nil, fmt.Errorf("berth %q: %w", id, mcpserver.ErrResourceNotFound)
				case aspect == "depth" && id == brokenGauge:
					return nil, errNoGauge
				}
				return textReader(func() string { return "The " + aspect + " of berth " + id + " is in order." })(ctx, r)
			})
	}
	registry.AddResourceTemplate(
		mcp.NewResourceTemplate("test://template/{id}/data", "Template data", mcp.WithTemplateDescription("Data made from an id."),
			mcp.WithTemplateMIMEType("application/json")),
		func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			id := variable(r, "id")
			return jsonReader(struct {
				ID   string `json:"id"`
				Test bool   `json:"templateTest"`
				Data string `json:"data"`
			}{id, true, "Data for ID: " + id})(ctx, r)
		})
}

// variable returns the value of a template's variable in the URI.
func variable(r mcp.ReadResourceRequest, name string) string {
	switch value := r.Params.Arguments[name].(type) {
	case string:
		return value
	case []string:
		return strings.Join(value, ",")
	default:
		return ""
	}
}
