package resources_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func TestLawful(t *testing.T) {
	offers := fakeserver.Offers("resources")
	lawful.Servers(t, "resources", append([]lawful.Row{
		{Name: "no resources at all", Server: &fakeserver.Server{Capabilities: offers}},
		{Name: "resources without descriptions", Server: &fakeserver.Server{Capabilities: offers, Resources: logs(3)}},
		{Name: "a thousand resources", Server: &fakeserver.Server{Capabilities: offers, Resources: logs(1000)}},
		{Name: "extra properties everywhere", Server: &fakeserver.Server{Capabilities: offers, Resources: logs(2), Extra: true}},
		{Name: "an empty list that is not declared", Server: &fakeserver.Server{Answer: fakeserver.Answers{
			"resources/list": func(fakeserver.Request) any { return map[string]any{"resources": []any{}} },
		}}},
		{Name: "where the resources are cannot be reached", Server: &fakeserver.Server{Capabilities: offers, Answer: fakeserver.Answers{
			"resources/list": func(fakeserver.Request) any { return &fakeserver.Error{Code: -32603, Message: "no such host"} },
			"resources/read": unreachable,
		}}},
		{Name: "what is listed cannot be reached", Server: &fakeserver.Server{Capabilities: offers, Resources: logs(3), Answer: fakeserver.Answers{
			"resources/read": unreachable,
		}}},
	}, slices.Concat(contentRows(), templateRows())...))
}

// unreachable is the answer to a read where the upstream of the server is out of reach.
func unreachable(r fakeserver.Request) any {
	if r.Params["uri"] == nil {
		return &fakeserver.Error{Code: -32602, Message: "uri is missing"}
	}
	return &fakeserver.Error{Code: -32603, Message: "no such host"}
}

// A shelf is the resources of a server by their URIs, and what each is read as.
type shelf map[string]map[string]any

func (s shelf) server(capabilities map[string]any, answers fakeserver.Answers) *fakeserver.Server {
	var listed []map[string]any
	for _, uri := range slices.Sorted(maps.Keys(s)) {
		item := map[string]any{"uri": uri, "name": uri}
		if size, ok := s[uri]["size"]; ok {
			item["size"] = size
		}
		listed = append(listed, item)
	}
	if answers["resources/read"] == nil {
		answers["resources/read"] = s.read
	}
	return &fakeserver.Server{Capabilities: capabilities, Resources: listed, Answer: answers}
}

// read leaves the size to the list.
func (s shelf) read(r fakeserver.Request) any {
	uri, named := r.Params["uri"].(string)
	content, ok := s[uri]
	switch {
	case !named:
		return &fakeserver.Error{Code: -32602, Message: "uri is missing"}
	case !ok:
		return &fakeserver.Error{Code: -32002, Message: "no resource has the URI"}
	case content["contents"] != nil:
		return map[string]any{"contents": content["contents"]}
	}
	content = maps.Clone(content)
	delete(content, "size")
	content["uri"] = uri
	return map[string]any{"contents": []any{content}}
}

// contentRows are servers with unusual resources.
func contentRows() []lawful.Row {
	offers := fakeserver.Offers("resources")
	text := map[string]any{"text": "calm"}
	return []lawful.Row{
		{Name: "nothing in the text, and no bytes in the blob", Server: shelf{
			"harbour://empty": {"text": "", "size": 0}, "harbour://void": {"blob": "", "size": 0, "mimeType": "image/png"},
		}.server(offers, fakeserver.Answers{})},
		{Name: "sizes in characters, and none of the list", Server: shelf{
			"harbour://küste": {"text": "Küste", "size": 5}, "harbour://two": {"contents": []any{}},
		}.server(offers, fakeserver.Answers{}), Warned: []string{"resources/uri-syntax"}},
		{Name: "a directory is read as its files", Server: shelf{
			"file:///charts": {"contents": []any{
				map[string]any{"uri": "file:///charts/a", "text": "a"}, map[string]any{"uri": "file:///charts/b", "blob": "Yg=="},
			}, "size": 4096},
			"file:///charts/a": {"text": "a"},
		}.server(offers, fakeserver.Answers{})},
		{Name: "schemes of all kinds", Server: shelf{
			"urn:isbn:9783161484100": text, "mailto:pilot@harbour.invalid": text, "x-harbour+log.v1:today": text, "HARBOUR:///Log": text,
			"http://[::1]:8080/a%20b?c=d&e=(f)#g": text, "data:,calm": text,
		}.server(offers, fakeserver.Answers{})},
		{Name: "text with odd characters, and text beside a blob", Server: shelf{
			"harbour://odd":  {"text": "\x1b[1mcalm\x1b[0m \u202e \ufffd, and a line of dots that is long enough: ................"},
			"harbour://both": {"text": "calm", "blob": "Y2FsbQ=="},
		}.server(offers, fakeserver.Answers{})},
		{Name: "pictures that are text, or told in words", Server: shelf{
			"harbour://plan": {"text": "<svg/>", "mimeType": "image/svg+xml"},
			"harbour://view": {"text": "A picture of the harbour at noon, with two boats in it", "mimeType": "image/png"},
			"harbour://logo": {"blob": "iVBORw0KGgoAAAANSUhEUgAAAAE=", "mimeType": "image/png"},
		}.server(offers, fakeserver.Answers{}), Judged: []string{"resources/binary-as-blob"}},
		{Name: "a template for any URI", Server: shelf{"harbour://log": text}.server(offers, fakeserver.Answers{
			"resources/templates/list": templates("{+uri}"),
			"resources/read": func(r fakeserver.Request) any {
				if uri, ok := r.Params["uri"].(string); ok {
					return map[string]any{"contents": []any{map[string]any{"uri": uri, "text": "calm"}}}
				}
				return &fakeserver.Error{Code: -32602, Message: "uri is missing"}
			},
		})},
		{Name: "a template that says which values it takes", Server: shelf{"harbour://log/1": text}.server(offers, fakeserver.Answers{
			"resources/templates/list": templates("harbour://log/{day}", "harbour://{part}/1"),
			"resources/read": func(r fakeserver.Request) any {
				switch uri, _ := r.Params["uri"].(string); {
				case strings.HasPrefix(uri, "harbour://log/"), !strings.HasPrefix(uri, "harbour://"):
					return shelf{"harbour://log/1": text}.read(r)
				default:
					return &fakeserver.Error{Code: -32602, Message: "part is not one of log, chart"}
				}
			},
		})},
		{Name: "templates of all levels, and suggestions that are no whole values", Server: shelf{"harbour://log": text}.server(
			fakeserver.Offers("resources", "completions"), fakeserver.Answers{
				"resources/templates/list": templates("harbour://{a}{/b*}{?c,d}{&e}{#f}", "harbour://{+path}/{name:3}", "h://{;x}{.y}", "harbour://plain/it's"),
				"completion/complete": func(r fakeserver.Request) any {
					ref, _ := r.Params["ref"].(map[string]any)
					argument, _ := r.Params["argument"].(map[string]any)
					if ref["type"] != "ref/resource" || argument["name"] == nil {
						return &fakeserver.Error{Code: -32602, Message: "ref or argument names nothing"}
					}
					return map[string]any{"completion": map[string]any{"values": []any{"src/"}}}
				},
			})},
		{Name: "only one resource can be subscribed to", Server: shelf{"harbour://a": text, "harbour://log": text}.server(
			map[string]any{"resources": map[string]any{"subscribe": true}}, fakeserver.Answers{
				"resources/subscribe": subscribe, "resources/unsubscribe": subscribe,
			})},
		{Name: "another code for what is no URI at all", Server: shelf{"harbour://log": text}.server(offers, fakeserver.Answers{
			"resources/read": func(r fakeserver.Request) any {
				if uri, _ := r.Params["uri"].(string); !strings.Contains(uri, "://") {
					return &fakeserver.Error{Code: -32602, Message: "uri is no URI"}
				}
				return shelf{"harbour://log": text}.read(r)
			},
		})},
	}
}

func templates(texts ...string) func(fakeserver.Request) any {
	var all []any
	for _, text := range texts {
		all = append(all, map[string]any{"uriTemplate": text, "name": text, "mimeType": ""})
	}
	return func(fakeserver.Request) any { return map[string]any{"resourceTemplates": all} }
}

func subscribe(r fakeserver.Request) any {
	if uri, _ := r.Params["uri"].(string); uri != "harbour://log" {
		return &fakeserver.Error{Code: -32602, Message: "this never changes"}
	}
	return map[string]any{}
}

// What a server makes of a subscription is its own affair in many ways.
func TestListening(t *testing.T) {
	t.Parallel()
	page := func(s suite.Suite, _ suite.Case) bool { return s.Name == "resources" }
	for name, habit := range map[string]*fault.Fault{
		"fields that stand for nothing": {Notify: fault.Told("notifications/subscriptions/acknowledged", func(_ fault.Exchange, params fault.Message) {
			filter := params.Object("notifications")
			for _, field := range []string{"toolsListChanged", "promptsListChanged", "resourcesListChanged"} {
				if filter[field] == nil {
					filter[field] = false
				}
			}
			if filter["resourceSubscriptions"] == nil {
				filter["resourceSubscriptions"] = []any{}
			}
		})},
		"no subscriptions to single resources": {
			Notify: fault.Drop("notifications/subscriptions/acknowledged", "/params/notifications/resourceSubscriptions"),
		},
		"one list for each subscription": {Notify: fault.Told("notifications/subscriptions/acknowledged", oneList)},
		"too many subscriptions": {Inbound: fault.On("subscriptions/listen").And(func(x fault.Exchange) bool {
			_, ok := x.Param("notifications").(map[string]any)
			return ok
		}).Refuse(1, "too many subscriptions")},
		"changes below a resource": {Notify: fault.Told("notifications/resources/updated", func(_ fault.Exchange, params fault.Message) {
			params["uri"] = "test://watched-resource/line/3"
		})},
		"cancellations are read a moment late": {Inbound: fault.On("notifications/cancelled").Verdict(func(fault.Exchange) fault.Verdict {
			return fault.Verdict{Delay: 40 * time.Millisecond}
		})},
		"each change is told twice": {Send: func(_ fault.Exchange, m fault.Message) []fault.Message {
			switch m["method"] {
			case "notifications/resources/updated", "notifications/resources/list_changed", "notifications/tools/list_changed":
				return []fault.Message{m, m}
			}
			return []fault.Message{m}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lawful.Stateless(t, name, page, habit)
		})
	}
}

// TestListeningToLists: a server that tells of lists alone need not read which resources a client
// would like to watch.
func TestListeningToLists(t *testing.T) {
	t.Parallel()
	astray := func(x fault.Exchange) bool {
		filter, _ := x.Param("notifications").(map[string]any)
		_, text := filter["resourceSubscriptions"].(string)
		return x.Method == "subscriptions/listen" && text
	}
	tagged := func(x fault.Exchange) map[string]any {
		return map[string]any{"io.modelcontextprotocol/subscriptionId": x.ID}
	}
	lawful.Stateless(t, "what cannot be watched is left out unread", func(s suite.Suite, _ suite.Case) bool { return s.Name == "resources" }, &fault.Fault{
		Reply:  fault.Drop("server/discover", "/result/capabilities/resources/subscribe"),
		Notify: fault.Drop("notifications/subscriptions/acknowledged", "/params/notifications/resourceSubscriptions"),
		Inbound: fault.When(astray).Verdict(func(x fault.Exchange) fault.Verdict {
			return fault.Answer(x, map[string]any{"resultType": "complete", "_meta": tagged(x)})
		}),
		Send: func(x fault.Exchange, m fault.Message) []fault.Message {
			if _, result := m.Result(); !result || !astray(x) {
				return []fault.Message{m}
			}
			return []fault.Message{{
				"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
				"params": map[string]any{"_meta": tagged(x), "notifications": map[string]any{}},
			}, m}
		},
	})
}

// oneList leaves one list in an acknowledged filter.
func oneList(_ fault.Exchange, params fault.Message) {
	filter, kept := params.Object("notifications"), false
	for _, field := range []string{"toolsListChanged", "promptsListChanged", "resourcesListChanged"} {
		if kept {
			delete(filter, field)
		}
		kept = kept || filter[field] == true
	}
}

// A list that changes by itself shows nothing of connections, of what was asked on them,
// or of items that are there twice.
func TestChangingLists(t *testing.T) {
	t.Parallel()
	page := func(s suite.Suite, _ suite.Case) bool { return s.Name == "resources" }
	var asked atomic.Int64
	lawful.Stateless(t, "another resource each time", page, &fault.Fault{
		List: func(x fault.Exchange, items []fault.Message) []fault.Message {
			if x.Method != "resources/list" {
				return items
			}
			return slices.Insert(items, 0, fault.Message{"uri": fmt.Sprint("harbour://log/", asked.Add(1)), "name": "A line of the log"})
		},
	})
	t.Run("newest first, in pages", func(t *testing.T) {
		t.Parallel()
		server := newestFirst()
		lawful.NothingSaid(t, lawful.Judge(t, &plan.Local{Serve: server.Serve}, page))
	})
}

// logs are resources, the newest first.
func logs(n int) []map[string]any {
	all := make([]map[string]any, n)
	for i := range all {
		at := strconv.Itoa(n - i)
		all[i] = map[string]any{"uri": "harbour://log/" + at, "name": "line " + at}
	}
	return all
}

// newestFirst has one line more at each request, so that the next page begins with the
// last line of the page before.
func newestFirst() *fakeserver.Server {
	var lines atomic.Int64
	lines.Store(6)
	return &fakeserver.Server{Capabilities: fakeserver.Offers("resources"), Answer: fakeserver.Answers{"resources/read": logged(&lines), "resources/list": func(r fakeserver.Request) any {
		all := logs(int(lines.Add(1)))
		cursor, _ := r.Params["cursor"].(string)
		from, _ := strconv.Atoi(cursor)
		if from+3 >= len(all) {
			return map[string]any{"resources": all[min(from, len(all)):]}
		}
		return map[string]any{"resources": all[from : from+3], "nextCursor": strconv.Itoa(from + 3)}
	}}}
}

// logged reads the last lines: each request that lists them pushes the oldest out.
func logged(lines *atomic.Int64) func(fakeserver.Request) any {
	return func(r fakeserver.Request) any {
		uri, named := r.Params["uri"].(string)
		if !named {
			return &fakeserver.Error{Code: -32602, Message: "uri is missing"}
		}
		number, err := strconv.Atoi(strings.TrimPrefix(uri, "harbour://log/"))
		if err != nil || number < 1 || int64(number) > lines.Load() {
			return &fakeserver.Error{Code: -32002, Message: "there is no such line"}
		}
		return map[string]any{"contents": []any{map[string]any{"uri": uri, "text": "calm"}}}
	}
}

// TestLawfulChanges: what leaves a resource as it was need not be told, also where each answer
// says when it was read.
func TestLawfulChanges(t *testing.T) {
	t.Parallel()
	page := func(s suite.Suite, _ suite.Case) bool { return s.Name == "resources" }
	var read atomic.Int64
	for name, text := range map[string]func() string{
		"changes that leave the resource as it was":   func() string { return "The notice board is closed." },
		"a resource that tells how often it was read": func() string { return fmt.Sprint("Read for the ", read.Add(1), ". time.") },
	} {
		lawful.Handshake(t, name, page, &fault.Fault{
			Skip: []fault.Check{fault.CheckFurtherChanges}, Reply: fault.OnResult("resources/read", func(result fault.Message) {
				for _, one := range result["contents"].([]any) {
					if content := one.(map[string]any); content["uri"] == "test://watched-resource" {
						content["text"] = text()
					}
				}
			}),
		})
	}
}
