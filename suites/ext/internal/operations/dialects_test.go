package operations_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	served "github.com/mcp-conform/mcp-conform/reference-server/ext/streaming"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
)

func TestMain(m *testing.M) { proof.Main(m) }

// A row is a lawful server, and the cases that may say anything but pass: what is
// only worth a warning, and what has nothing to judge.
type row struct {
	name   string
	server translator
	config *strings.Replacer
	warns  string // slugs
	unseen string
	noted  string // by some case
}

// Every form in which a server may have been written passes.
func TestDialects(t *testing.T) {
	t.Parallel()
	for _, r := range append(progressRows(), streamingRows()...) {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			var notes []string
			for _, f := range judged(t, r.server, r.config).Findings {
				_, slug, _ := strings.Cut(f.Case, "/")
				notes = append(notes, f.Notes...)
				want := reports.Pass
				switch {
				case among(r.warns, slug):
					want = reports.Warn
				case among(r.unseen, slug):
					want = reports.Skip
				}
				if f.Status != want || want == reports.Skip && f.Reason.Kind != reports.NotSeen {
					t.Errorf("%s %s, want %s: %s %+v", f.Status, f.Case, want, f.Problem, f.Reason)
				}
			}
			if !strings.Contains(strings.Join(notes, "\n"), r.noted) {
				t.Errorf("the notes are %q, want %q among them", notes, r.noted)
			}
		})
	}
}

// A progress record does not say behind which chunk its checkpoint lies, so that
// nobody knows whether a call that begins from its first chunk continues.
func TestPlaceUnknown(t *testing.T) {
	t.Parallel()
	restarts := translator{
		fault: &fault.Fault{Ext: served.Switches{Restarts: true}},
		out: func(m object) bool {
			if m["method"] == "notifications/stream_chunk" {
				delete(child(m, "params"), "checkpoint_token")
			}
			return true
		},
	}
	for _, f := range judged(t, restarts, nil).Findings {
		if f.Case == "ext-streaming/resume-continues" && (f.Status != reports.Skip || f.Reason.Kind != reports.Undecided) {
			t.Errorf("%s %s, want an undecided case: %s %+v", f.Status, f.Case, f.Problem, f.Reason)
		}
	}
}

func among(slugs, slug string) bool {
	for _, one := range strings.Fields(slugs) {
		if one == slug {
			return true
		}
	}
	return false
}

// onProgress changes the records of progress.
func onProgress(change func(message, params, record object)) func(object) bool {
	return func(m object) bool {
		if m["method"] == "notifications/progress" {
			params := child(m, "params")
			change(m, params, child(params, "_meta"))
		}
		return true
	}
}

func progressRows() []row {
	return []row{
		{name: "the proposal"},
		{
			name: "a record beside the properties of core", noted: "the record stands in $.params of notifications/progress", unseen: "fraction-agrees",
			server: translator{out: onProgress(func(_, params, record object) {
				for _, name := range []string{"type", "operation_id", "estimated_remaining_seconds", "partial_result", "checkpoint_token"} {
					if value, ok := record[name]; ok {
						params[name] = value
					}
				}
				delete(params, "_meta")
			})},
		},
		{
			name: "a notification of its own", noted: "$.params of notifications/operation_progress", unseen: "fraction-agrees token-string token-integer",
			server: translator{out: onProgress(func(m, _, record object) { m["method"], m["params"] = "notifications/operation_progress", record })},
		},
		{
			name: "nobody knows the whole", unseen: "fraction fraction-agrees remaining",
			server: translator{out: onProgress(func(_, params, record object) {
				delete(params, "total")
				delete(record, "progress")
				delete(record, "estimated_remaining_seconds")
			})},
		},
		{
			name: "nothing but what is required", unseen: "fraction fraction-agrees remaining partial-result checkpoint-token", warns: "message",
			server: translator{out: onProgress(func(_, params, record object) {
				delete(params, "message")
				params["_meta"] = object{"type": "progress", "operation_id": record["operation_id"]}
			})},
		},
	}
}

func streamingRows() []row {
	const resumptions = "resume-unknown-token resume-altered-token resume-foreign-token " +
		"resume-without-params resume-without-token resume-without-operation"
	counted, carried := &counts{}, &counts{}
	exported := strings.NewReplacer(
		`arguments: {watch: "kit-${nonce}", entries: 8}`, "arguments: {seconds: 0.1}", "join: array", "join: concat",
		"stream-tool:\n    tool: read_log", "stream-tool:\n    tool: export_log")
	return []row{
		{
			name: "params.stream", noted: "requests for pieces are read from params.stream",
			server: translator{in: func(m object) {
				params := child(m, "params")
				meta := child(params, "_meta")
				delete(meta, "stream")
				delete(meta, prefix+"stream")
				if params["stream"] == true {
					meta["stream"] = true
				}
			}},
		},
		{
			name: "chunks as progress", noted: "chunks come as notifications/progress",
			server: translator{in: carried.remember, out: carried.carry},
		},
		{
			name: "an older name of resume", noted: "resume is offered as operations/resume",
			server: translator{in: func(m object) {
				switch m["method"] {
				case "resume":
					m["method"] = "unknown"
				case "operations/resume":
					m["method"] = "resume"
				}
			}},
		},
		{
			name: "a call that is made again", noted: "the call was made again with operation_id and checkpoint_token",
			unseen: "resume-without-params resume-without-token resume-without-operation",
			server: translator{in: func(m object) {
				params, _ := m["params"].(object)
				meta, _ := params["_meta"].(object)
				switch {
				case m["method"] == "resume":
					m["method"] = "unknown"
				case m["method"] == "tools/call" && meta["checkpoint_token"] != nil:
					m["method"] = "resume"
					params["operation_id"], params["checkpoint_token"] = meta["operation_id"], meta["checkpoint_token"]
				}
			}},
		},
		{
			name: "nothing can be resumed", unseen: resumptions + " resume-continues resume-no-double-effect checkpoint-token",
			server: translator{
				in: func(m object) {
					if m["method"] == "resume" {
						m["method"] = "unknown"
					}
				},
				out: func(m object) bool {
					if params, ok := m["params"].(object); ok {
						delete(params, "checkpoint_token")
						delete(child(params, "_meta"), "checkpoint_token")
					}
					return true
				},
			},
		},
		{
			name: "checkpoints that are counted by operation", unseen: "resume-foreign-token",
			server: translator{in: counted.back, out: counted.count},
		},
		{
			name:   "a progress record has each checkpoint before its chunk does",
			server: translator{fault: &fault.Fault{Send: ahead}},
		},
		{
			name: "only progress records have checkpoints", server: translator{out: func(m object) bool {
				if m["method"] == "notifications/stream_chunk" {
					delete(child(m, "params"), "checkpoint_token")
				}
				return true
			}},
		},
		{name: "one call at a time", server: translator{fault: &fault.Fault{Serial: true}}},
		{
			name: "no place for flags", unseen: "flag-matches flag-matches-slow",
			server: translator{out: func(m object) bool {
				result, _ := m["result"].(object)
				tools, _ := result["tools"].([]any)
				for _, tool := range tools {
					delete(tool.(object), "supports_streaming")
				}
				return true
			}},
		},
		{
			name: "a slow tool that has no flag and does not stream",
			server: translator{out: func(m object) bool {
				result, _ := m["result"].(object)
				tools, _ := result["tools"].([]any)
				for _, tool := range tools {
					if entry := tool.(object); entry["name"] == "export_log" {
						delete(entry, "supports_streaming")
					}
				}
				params, _ := m["params"].(object)
				_, page := params["data"].(string)
				return m["method"] != "notifications/stream_chunk" || !page
			}},
		},
		{
			name: "no final mark", warns: "final-marked",
			server: translator{out: func(m object) bool {
				if m["method"] == "notifications/stream_chunk" {
					delete(child(m, "params"), "is_final")
				}
				return true
			}},
		},
		{name: "an array in an object", server: translator{out: onArray(inObject)}},
		{name: "a text block for each item", server: translator{out: onArray(inBlocks(func(item any) any { return item }))}},
		{name: "a text block with an array for each chunk", server: translator{out: onArray(inBlocks(func(item any) any { return []any{item} }))}},
		{
			name: "another array in an object", unseen: "joins",
			server: translator{out: onArray(func(result object, all []any) {
				result["structuredContent"] = object{"entries": all[1:], "others": []any{}}
				result["content"] = []any{object{"type": "text", "text": "All but the first entry."}}
			})},
		},
		{name: "strings that are joined", config: exported},
		{
			name: "one tool in both roles, which is not flagged", config: exported, warns: "flag-matches", unseen: "flag-matches-slow",
			server: translator{fault: &fault.Fault{Ext: served.Switches{Unflagged: "export_log"}}},
		},
	}
}

// ahead sends the checkpoint of a chunk in a progress record before the chunk.
func ahead(x fault.Exchange, m fault.Message) []fault.Message {
	meta, _ := x.Param("_meta").(object)
	chunk, ok := m["params"].(object)
	if m["method"] != "notifications/stream_chunk" || !ok || meta["progressToken"] == nil {
		return []fault.Message{m}
	}
	n, _ := chunk["sequence"].(int)
	return []fault.Message{{"jsonrpc": "2.0", "method": "notifications/progress", "params": object{
		"progressToken": meta["progressToken"], "progress": float64(n) + 0.5, "_meta": object{
			"type": "progress", "operation_id": chunk["operation_id"], "checkpoint_token": chunk["checkpoint_token"],
		},
	}}, m}
}

// onArray changes the results whose text is a JSON array.
func onArray(change func(result object, all []any)) func(object) bool {
	return func(m object) bool {
		result, _ := m["result"].(object)
		content, _ := result["content"].([]any)
		if len(content) != 1 {
			return true
		}
		var all []any
		if text, ok := content[0].(object)["text"].(string); ok && json.Unmarshal([]byte(text), &all) == nil {
			change(result, all)
		}
		return true
	}
}

func inObject(result object, all []any) {
	whole := object{"count": len(all), "entries": all, "missing": []any{}}
	text, _ := json.Marshal(whole)
	result["structuredContent"], result["content"] = whole, []any{object{"type": "text", "text": string(text)}}
}

// inBlocks puts each item into a text block of its own, strings as they are.
func inBlocks(held func(item any) any) func(result object, all []any) {
	return func(result object, all []any) {
		var content []any
		for _, item := range all {
			text, plain := held(item).(string)
			if !plain {
				written, _ := json.Marshal(held(item))
				text = string(written)
			}
			content = append(content, object{"type": "text", "text": text})
		}
		result["content"] = content
	}
}

// counts are what a dialect has to remember of one conversation to the next
// message; conversations of one run share them.
type counts struct {
	mu   sync.Mutex
	held map[string]any
}

func (c *counts) put(key string, value any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil {
		c.held = map[string]any{}
	}
	c.held[key] = value
}

func (c *counts) get(key string) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held[key]
}

// count gives a checkpoint the number of the step behind which it lies.
func (c *counts) count(m object) bool {
	params, _ := m["params"].(object)
	meta, _ := params["_meta"].(object)
	for _, record := range []object{params, meta} {
		if token, ok := record["checkpoint_token"].(string); ok {
			step, _, _ := strings.Cut(token, ".")
			record["checkpoint_token"] = "ck-" + step
			c.put(fmt.Sprint(record["operation_id"], " ck-", step), token)
		}
	}
	return true
}

func (c *counts) back(m object) {
	params, _ := m["params"].(object)
	if m["method"] != "resume" || params["checkpoint_token"] == nil {
		return
	}
	if token := c.get(fmt.Sprint(params["operation_id"], " ", params["checkpoint_token"])); token != nil {
		params["checkpoint_token"] = token
	}
}

// remember keeps the token of a request by its operation.
func (c *counts) remember(m object) {
	params, _ := m["params"].(object)
	meta, _ := params["_meta"].(object)
	for _, id := range []any{meta["operation_id"], params["operation_id"]} {
		if id != nil && meta["progressToken"] != nil {
			c.put(fmt.Sprint(id), meta["progressToken"])
		}
	}
}

// carry lets chunks ride on progress notifications, and leaves out the others of
// such a call.
func (c *counts) carry(m object) bool {
	params, _ := m["params"].(object)
	if m["method"] != "notifications/stream_chunk" {
		return true
	}
	done, _ := params["sequence"].(json.Number)
	m["method"] = "notifications/progress"
	m["params"] = object{"progressToken": c.get(fmt.Sprint(params["operation_id"])), "progress": done, "_meta": params}
	return true
}
