// Package dataref serves the data-references extension: large data goes from one server to
// another by a reference with a signed address, and not through the client.
//
// Export hands a reference out, and the handler serves its data to whoever has the signed
// address, until that ends. Import fetches the data of another server's reference.
package dataref

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Prefix begins the keys of the extension where they need a namespace.
const Prefix = "io.github.mcp-extension-proposals/"

// Path begins the paths of the addresses.
const Path = "/ref/"

const (
	lifetime = 10 * time.Minute // of a reference, unless ttl_seconds says otherwise
	maxKept  = 1000             // references; the oldest are forgotten first
)

// Options are the options of the extension.
type Options struct {
	Now func() time.Time
	// Result returns the data of a result id and its MIME type; nil for an unknown id.
	Result func(id string) (data []byte, mime string)
	Fault  *fault.Fault // nil keeps every rule
}

// A Desk hands references out and takes them in.
type Desk struct {
	Options
	faults Switches
	secret []byte

	mu     sync.Mutex
	kept   map[string]string // result ids by reference
	order  []string          // references, the oldest first
	tables int               // imported so far
}

// New makes a desk.
func New(o Options) *Desk {
	return &Desk{Options: o, faults: switches(o.Fault), secret: []byte(rand.Text()), kept: map[string]string{}}
}

// Extension is the extension of the desk.
func (d *Desk) Extension() core.Extension {
	return core.Extension{
		Name: "data-references", Key: Prefix + "data_references",
		Methods: map[string]func(*core.Turn) (fault.Message, *core.Error){"export_result_ref": d.export, "import_from_ref": d.take},
	}
}

// export answers export_result_ref.
func (d *Desk) export(t *core.Turn) (fault.Message, *core.Error) {
	var params struct {
		Result string   `json:"result_id"`
		TTL    *float64 `json:"ttl_seconds"`
	}
	if json.Unmarshal(t.Params(), &params) != nil || params.TTL != nil && *params.TTL < 1 {
		return nil, refuse(t, "INVALID_INPUT", core.InvalidInput, "result_id is not a string, or ttl_seconds not a positive number.")
	}
	data, mime := d.Result(params.Result)
	if data == nil {
		return nil, refuse(t, "RESOURCE_NOT_FOUND", core.Permanent, "There is no such result.")
	}
	end := d.Now().Add(lifetime)
	if params.TTL != nil {
		end = d.Now().Add(time.Duration(*params.TTL * float64(time.Second)))
	}
	sum := sha256.Sum256(d.faults.summed(data))
	id := d.keep(params.Result)
	reference := fault.Message{
		"ref_id": id, "origin_server": t.Identity().Name, "mime_type": mime, "size_bytes": len(data),
		"expires_at": end.UTC().Format(time.RFC3339Nano),
		"checksum":   map[string]any{"algorithm": "sha256", "value": hex.EncodeToString(sum[:])},
	}
	if host := t.Host(); host != "" {
		seconds := strconv.FormatInt(end.Unix(), 10)
		query := url.Values{"exp": {seconds}, "sig": {d.sign(id, seconds)}}
		reference["access_url"] = (&url.URL{Scheme: "http", Host: host, Path: Path + id, RawQuery: query.Encode()}).String()
	}
	if d.faults.Inline {
		reference["data"] = string(data)
	}
	return reference, nil
}

// keep gives a result a reference of its own.
func (d *Desk) keep(result string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	id := d.faults.id(len(d.order), "ref-"+strings.ToLower(rand.Text()))
	d.kept[id] = result
	if d.order = append(d.order, id); len(d.order) > maxKept {
		delete(d.kept, d.order[0])
		d.order = d.order[1:]
	}
	return id
}

// sign signs what an address says.
func (d *Desk) sign(id, end string) string {
	switch {
	case d.faults.IDUnsigned:
		id = ""
	case d.faults.EndUnsigned:
		end = ""
	}
	mac := hmac.New(sha256.New, d.secret)
	_, _ = fmt.Fprintf(mac, "%q %q", id, end) // a write to a hash never fails
	return hex.EncodeToString(mac.Sum(nil))
}

// ServeHTTP serves the data of a reference to whoever has its signed address.
func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if d.faults.Serve != nil && d.faults.Serve(w, r) {
		return
	}
	id, query := strings.TrimPrefix(r.URL.Path, Path), r.URL.Query()
	end, err := strconv.ParseInt(query.Get("exp"), 10, 64)
	signed := hmac.Equal([]byte(query.Get("sig")), []byte(d.sign(id, query.Get("exp"))))
	signed = signed || d.faults.MayLack && query.Get("sig") == ""
	d.mu.Lock()
	result, known := d.kept[id]
	d.mu.Unlock()
	switch {
	case r.Method != http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case err != nil || !signed && !d.faults.Unsigned || !known:
		w.WriteHeader(http.StatusForbidden)
	case d.Now().Unix() > end && !d.faults.NeverEnds:
		w.WriteHeader(http.StatusGone)
	default:
		data, mime := d.Result(result)
		w.Header().Set("Content-Type", mime)
		_, _ = w.Write(data)
	}
}

func refuse(t *core.Turn, code string, category core.Category, text string) *core.Error {
	return t.RefuseError(envelope.InvalidParams, text, core.Refusal{Code: code, Category: category})
}
