package dataref

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // the proposal has it, for transfers that went wrong
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	exterrors "github.com/mcp-conform/mcp-conform/reference-server/ext/errors"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

const (
	mostTaken = 1 << 20          // bytes of data
	patience  = 10 * time.Second // with another server
)

// A reference is what another server handed out.
type reference struct {
	ID       *string    `json:"ref_id"`
	Origin   *string    `json:"origin_server"`
	Mime     string     `json:"mime_type"`
	End      *time.Time `json:"expires_at"`
	Address  string     `json:"access_url"`
	Checksum struct{ Algorithm, Value string }
}

// take answers import_from_ref.
func (d *Desk) take(t *core.Turn) (fault.Message, *core.Error) {
	var ref reference
	if err := json.Unmarshal(t.Params(), &ref); err != nil || ref.ID == nil || ref.Origin == nil && !d.faults.AnyParams {
		return nil, refuse(t, "INVALID_INPUT", core.InvalidInput, "A reference has ref_id and origin_server, both strings.")
	}
	if d.faults.NoFetch {
		return fault.Message{"status": "imported", "rows_imported": 3}, nil
	}
	data, refusal := d.fetch(t, ref)
	switch {
	case refusal != nil && !d.faults.TakesAnything:
		return fault.Message{"status": "failed", "error": exterrors.Record(*refusal, refusal.Message)}, nil
	case refusal != nil:
		data = nil
	}
	d.mu.Lock()
	d.tables++
	table := d.tables
	d.mu.Unlock()
	return fault.Message{
		"status": "imported", "imported_resource_id": fmt.Sprintf("table-%d", table), "rows_imported": rows(data, ref.Mime),
		"checksum_verified": true,
	}, nil
}

func failure(code string, category core.Category, text string) *core.Refusal {
	return &core.Refusal{Code: code, Category: category, Message: text, RetryAfter: time.Second}
}

// fetch gets the data of a reference from this machine alone: whoever may name an address
// must not make the server ask others.
func (d *Desk) fetch(t *core.Turn, ref reference) ([]byte, *core.Refusal) {
	at, err := url.Parse(ref.Address)
	switch {
	case ref.End != nil && !d.Now().Before(*ref.End):
		return nil, failure("RESOURCE_NOT_FOUND", core.Permanent, "The reference has ended.")
	case err != nil || at.Scheme != "http" || !loopback(at.Hostname()):
		return nil, failure("UNSUPPORTED_OPERATION", core.Permanent, "Data is fetched from addresses of this machine only.")
	}
	data, status, err := get(t, at.String())
	switch {
	case err != nil:
		return nil, failure("SERVER_UNAVAILABLE", core.Transient, "The origin cannot be reached.")
	case status != http.StatusOK:
		return nil, failure("RESOURCE_NOT_FOUND", core.Permanent, fmt.Sprintf("The origin answered with status %d.", status))
	case !ref.fits(data) && !d.faults.Unchecked && (ref.Checksum.Algorithm != "md5" || !d.faults.MD5Unchecked):
		return nil, failure("CHECKSUM_MISMATCH", core.Permanent, "The data has another checksum than the reference.")
	}
	return data, nil
}

func loopback(host string) bool {
	at, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && at.IsLoopback()
}

// get follows no redirects, and keeps no connection.
func get(t *core.Turn, address string) (data []byte, status int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	go func() {
		select {
		case <-t.Stopped():
			cancel()
		case <-ctx.Done():
		}
	}()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, 0, err
	}
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = response.Body.Close() }()
	data, err = io.ReadAll(io.LimitReader(response.Body, mostTaken))
	return data, response.StatusCode, err
}

// fits compares the checksum; a reference may have none.
func (r reference) fits(data []byte) bool {
	var sum string
	switch r.Checksum.Algorithm {
	case "sha256":
		whole := sha256.Sum256(data)
		sum = hex.EncodeToString(whole[:])
	case "md5":
		whole := md5.Sum(data) //nolint:gosec // see above
		sum = hex.EncodeToString(whole[:])
	default:
		return r.Checksum.Value == ""
	}
	return strings.EqualFold(sum, r.Checksum.Value)
}

// rows counts the entries of a JSON array, or else lines.
func rows(data []byte, mime string) int {
	var list []json.RawMessage
	if mime == "application/json" && json.Unmarshal(data, &list) == nil {
		return len(list)
	}
	return bytes.Count(data, []byte("\n"))
}
