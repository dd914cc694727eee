package resources_test

import (
	"regexp"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

// templateRows are servers whose templates stand for more than one resource each by its id.
func templateRows() []lawful.Row {
	row := func(name string, known []string, read func(uri string) any, texts ...string) lawful.Row {
		shelf := shelf{}
		for _, uri := range known {
			shelf[uri] = nil
		}
		return lawful.Row{Name: name, Server: shelf.server(fakeserver.Offers("resources"), fakeserver.Answers{
			"resources/templates/list": templates(texts...),
			"resources/read": func(r fakeserver.Request) any {
				uri, named := r.Params["uri"].(string)
				if !named {
					return &fakeserver.Error{Code: -32602, Message: "uri is missing"}
				}
				return read(uri)
			},
		})}
	}
	return []lawful.Row{
		row("searches that find nothing", []string{"log://search/calm", "log://all?q=calm", "log://tags/red,green"}, func(uri string) any {
			if !strings.HasPrefix(uri, "log://") {
				return &fakeserver.Error{Code: -32002, Message: "no such log"}
			}
			found := []any{}
			if strings.HasSuffix(uri, "calm") || strings.HasSuffix(uri, "green") {
				found = append(found, map[string]any{"uri": "log://line/1", "text": "calm"})
			}
			return map[string]any{"contents": found}
		}, "log://search/{text}", "log://all{?q}", "log://tags/{+names}"),
		row("pages and days without entries", []string{"log://page/1", "log://day/2026-11-27", "log://board?size=2"}, func(uri string) any {
			if !strings.HasPrefix(uri, "log://") {
				return &fakeserver.Error{Code: -32002, Message: "no such log"}
			}
			if strings.HasSuffix(uri, "/1") || strings.HasSuffix(uri, "-27") || strings.HasSuffix(uri, "=2") {
				return one(uri)
			}
			return map[string]any{"contents": []any{}}
		}, "log://page/{number}", "log://day/{day}", "log://board{?size}"),
		row("a template for any URL, and an internal error for what is none", []string{"https://tides.invalid/today.csv", "urn:tides:1"}, func(uri string) any {
			switch {
			case !regexp.MustCompile("^[a-z][a-z0-9+.-]*:").MatchString(uri):
				return &fakeserver.Error{Code: -32603, Message: "Invalid URL"}
			case uri == "https://tides.invalid/today.csv", uri == "urn:tides:1":
				return one(uri)
			}
			return &fakeserver.Error{Code: -32002, Message: "no such page"}
		}, "{+url}"),
		row("files of one directory, and an error of its own outside and for other types", []string{"file:///srv/data/log.txt"}, func(uri string) any {
			switch {
			case uri == "file:///srv/data/log.txt":
				return one(uri)
			case strings.HasPrefix(uri, "file://") && !(strings.HasPrefix(uri, "file:///srv/data/") && strings.HasSuffix(uri, ".txt")):
				return &fakeserver.Error{Code: -32603, Message: "access denied"}
			}
			return &fakeserver.Error{Code: -32002, Message: "no such file"}
		}, "file:///{+path}"),
		row("a resource that is as long as its address says", []string{"zeros://8"}, func(uri string) any {
			count, ok := strings.CutPrefix(uri, "zeros://")
			switch {
			case !ok:
				return &fakeserver.Error{Code: -32002, Message: "no such resource"}
			case len(count) > 5:
				return &fakeserver.Error{Code: -32603, Message: "out of memory"}
			}
			return one(uri)
		}, "zeros://{count}"),
	}
}

func one(uri string) any {
	return map[string]any{"contents": []any{map[string]any{"uri": uri, "text": "calm"}}}
}
