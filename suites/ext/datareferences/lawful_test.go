package datareferences_test

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

type object = map[string]any

const asTool = `
roles:
  data-reference:
    export: {tool: tool_1, arguments: {text: log}}
`

const taken = asTool + `
    import: {tool: tool_1, arguments: {text: "take", reference: "${reference}"}}
`

// A shelf is a small server whose tool_1 hands references out and takes them in. It shares
// no code with the reference server.
type shelf struct {
	put     func(result, reference object) // where the reference stands
	guarded bool                           // nothing is fetched from this machine
	pending bool                           // imports are done later
	only    string                         // the one type that it imports; empty: any
}

func (s shelf) server(offers ...string) *fakeserver.Server {
	return &fakeserver.Server{
		Capabilities: fakeserver.Offers(append([]string{"tools"}, offers...)...), Tools: fakeserver.Tools(2),
		Answer: fakeserver.Answers{"tools/call": s.call},
	}
}

func (s shelf) call(r fakeserver.Request) any {
	name, _ := r.Params["name"].(string)
	arguments, _ := r.Params["arguments"].(object)
	switch {
	case name != "tool_0" && name != "tool_1":
		return &fakeserver.Error{Code: -32602, Message: "unknown tool"}
	case !fakeserver.HasText(r):
		return fakeserver.Flagged(r)
	case arguments["text"] == "take":
		reference, _ := arguments["reference"].(object)
		return s.take(reference)
	case arguments["text"] != "log" || s.put == nil:
		return fakeserver.Text("fine")
	}
	result := fakeserver.Text("The log is ready.")
	s.put(result, object{
		"ref_id": rand.Text(), "origin_server": "rigged", "mime_type": "text/csv; charset=utf-8", "size_bytes": 48213,
	})
	return result
}

// versioned serves its data where the address of a reference says. The version of the data
// stands there, too: it is no signature, and the newest one comes where it is missing. An id of
// an export is no end, and a design no signature.
func (s shelf) versioned(offers ...string) *fakeserver.Server {
	const data = "berth,fee\nA1,12\n"
	whole := sha256.Sum256([]byte(data))
	version := hex.EncodeToString(whole[:])
	var host atomic.Value
	var kept sync.Map
	s.put = func(result, reference object) {
		id := reference["ref_id"]
		kept.Store(id, true)
		reference["size_bytes"], reference["expires_at"] = len(data), time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		reference["access_url"] = fmt.Sprintf("http://%s/data/%s?version=%s&export_id=7&design=blue", host.Load(), id, version)
		result["_meta"] = object{"data_reference": reference}
	}
	server := s.server(offers...)
	server.HTTP.Around = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id, asked := strings.CutPrefix(r.URL.Path, "/data/")
			_, known := kept.Load(id)
			wanted := r.URL.Query().Get("version")
			switch {
			case !asked:
				host.Store(r.Host)
				next.ServeHTTP(w, r)
			case !known || wanted != "" && wanted != version:
				http.NotFound(w, r)
			default:
				w.Header().Set("Content-Type", "text/csv; charset=utf-8")
				_, _ = io.WriteString(w, data)
			}
		})
	}
	return server
}

// signed serves its data where the address has the right signature. The address says by which
// algorithm it is signed, and of which version the signature is: there is only one of each, so
// that both may be missing.
func (s shelf) signed(offers ...string) *fakeserver.Server {
	const data = "berth,fee\nA1,12\n"
	key := []byte(rand.Text())
	var host atomic.Value
	sign := func(id string) string {
		sum := hmac.New(sha256.New, key)
		_, _ = io.WriteString(sum, id)
		return hex.EncodeToString(sum.Sum(nil))
	}
	s.put = func(result, reference object) {
		id := fmt.Sprint(reference["ref_id"])
		reference["size_bytes"], reference["expires_at"] = len(data), time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		reference["access_url"] = fmt.Sprintf("http://%s/data/%s?sig=%s&sig_alg=sha256&sign-version=1", host.Load(), id, sign(id))
		result["_meta"] = object{"data_reference": reference}
	}
	server := s.server(offers...)
	server.HTTP.Around = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id, asked := strings.CutPrefix(r.URL.Path, "/data/")
			said := r.URL.Query()
			switch {
			case !asked:
				host.Store(r.Host)
				next.ServeHTTP(w, r)
			case said.Get("sig") != sign(id), cmp.Or(said.Get("sig_alg"), "sha256") != "sha256", cmp.Or(said.Get("sign-version"), "1") != "1":
				http.Error(w, "the signature is wrong", http.StatusForbidden)
			default:
				w.Header().Set("Content-Type", "text/csv; charset=utf-8")
				_, _ = io.WriteString(w, data)
			}
		})
	}
	return server
}

// take imports by text alone, and refuses by a tool error.
func (s shelf) take(reference object) any {
	failed := func(text string) any { return object{"isError": true, "content": fakeserver.Text(text)["content"]} }
	address, _ := reference["access_url"].(string)
	switch {
	case reference["ref_id"] == nil || reference["origin_server"] == nil:
		return failed("ref_id and origin_server are needed")
	case s.guarded:
		return failed("Only TLS transfers are taken.")
	case s.only != "" && reference["mime_type"] != s.only:
		return failed("Only " + s.only + " is imported here.")
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(address)
	if err != nil {
		return failed("the origin is away")
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	switch {
	case err != nil || response.StatusCode != http.StatusOK:
		return failed("the origin refuses")
	case !sums(reference, data):
		return failed("the checksum differs")
	case s.pending:
		return fakeserver.Text(`{"status":"pending"}`)
	}
	return fakeserver.Text(`{"status":"imported"}`)
}

func sums(reference object, data []byte) bool {
	checksum, _ := reference["checksum"].(object)
	whole := sha256.Sum256(data)
	return checksum["value"] == hex.EncodeToString(whole[:])
}

func TestLawful(t *testing.T) {
	const claim = "ext:data_references"
	beside := func(result, reference object) { result["_meta"] = object{"data_reference": reference} }
	lawful.Servers(t, "ext-data-references", []lawful.Row{
		{Name: "a tool that exports only", Config: asTool, Server: shelf{put: beside}.server(claim)},
		{Name: "a list of references", Config: asTool, Server: shelf{put: func(result, reference object) {
			result["_meta"] = object{"data_reference": []any{reference}}
		}}.server(claim)},
		// It has no output schema for it, which another page may warn of.
		{Name: "the reference is the answer", Config: asTool, Warned: []string{"ext-content/output-schema-declared"}, Server: shelf{put: func(result, reference object) {
			result["structuredContent"] = reference
		}}.server(claim)},
		{Name: "imports by a tool, and refuses by tool errors", Config: taken, Server: shelf{put: beside}.server(claim)},
		{Name: "imports that are done later", Config: taken, Server: shelf{put: beside, pending: true}.server(claim)},
		{Name: "fetches nothing from its own machine", Config: taken, Server: shelf{put: beside, guarded: true}.server(claim)},
		{Name: "imports tables of one type", Config: taken, Server: shelf{put: beside, only: "text/csv"}.server(claim)},
		{Name: "the newest data comes where its address names no version", Config: asTool, Over: requirements.HTTP,
			Server: shelf{}.versioned(claim),
			Judged: []string{"ext-data-references/altered-url-refused", "ext-data-references/fetched"}},
		{Name: "an address that may leave out how it is signed", Config: asTool, Over: requirements.HTTP,
			Server: shelf{}.signed(claim), Judged: []string{"ext-data-references/altered-url-refused"}},
		{Name: "claims data references, and has no such methods", Config: asTool, Server: shelf{}.server(claim)},
	})
}
