// Package faults holds the ways to break the data-references extension.
package faults

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/dataref"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const (
	suite     = "ext-data-references/"
	exporting = "export_result_ref"
	importing = "import_from_ref"
)

// Faults lists the faults of the extension.
func Faults() []fault.Fault { return slices.Concat(references(), addresses(), imports()) }

func set(pointer string, value any) fault.Change {
	return fault.Set(exporting, "/result/"+pointer, value)
}

// renamed gives a member of a reference another name.
func renamed(name, other string) fault.Change {
	return fault.OnResult(exporting, func(reference fault.Message) {
		reference[other] = reference[name]
		delete(reference, name)
	})
}

// at sets the end of a reference.
func at(end func(now time.Time) any) fault.Change {
	return fault.OnResult(exporting, func(reference fault.Message) { reference["expires_at"] = end(time.Now()) })
}

// overHTTP are the columns of faults in addresses, which stdio does not have.
func overHTTP() []fault.Column {
	return fault.OverHTTP(requirements.R20250618, requirements.R20260728)
}

func references() []fault.Fault {
	const required, size, ahead, unique = "ext-dataref-required", "ext-dataref-size", "ext-dataref-expiry-ahead", "ext-dataref-unique"
	declared := []string{suite + "size-declared"}
	return []fault.Fault{
		{Breaks: required, Each: []fault.Fault{
			{Name: "dataref-nameless", Title: "a reference has no ref_id", Reply: fault.Drop(exporting, "/result/ref_id")},
			{Name: "dataref-content-type", Title: "a reference has content_type in place of mime_type", Reply: renamed("mime_type", "content_type")},
			{
				Name: "dataref-server-origin", Title: "a reference has server_origin in place of origin_server",
				Reply: renamed("origin_server", "server_origin"),
			},
		}},
		{Breaks: size, Each: []fault.Fault{
			{Name: "dataref-size-string", Title: `size_bytes is "2.1 kB"`, Kills: declared, Reply: set("size_bytes", "2.1 kB")},
			{Name: "dataref-size-negative", Title: "size_bytes is -1", Kills: declared, Reply: set("size_bytes", -1)},
			{Name: "dataref-size-escaped", Title: "size_bytes counts the data as a JSON string", Kills: []string{suite + "size-delivered"},
				In: overHTTP(),
				Reply: fault.OnResult(exporting, func(reference fault.Message) {
					if size, ok := reference["size_bytes"].(int); ok {
						const lines = 367 // each end of a line is escaped
						reference["size_bytes"] = size + lines + len(`""`)
					}
				})},
		}},
		{Breaks: ahead, Each: []fault.Fault{
			{Name: "dataref-ends-now", Title: "a reference ends at the moment of its issue",
				Reply: at(func(now time.Time) any { return now.UTC().Format(time.RFC3339) })},
			{Name: "dataref-ended", Title: "a reference has ended when it is issued",
				Reply: at(func(now time.Time) any { return now.Add(-time.Hour).UTC().Format(time.RFC3339) })},
			{
				Name: "dataref-ends-millis", Title: "expires_at is a number of milliseconds",
				Reply: at(func(now time.Time) any { return now.UnixMilli() }),
			},
		}},
		{Breaks: unique, Each: []fault.Fault{
			{Name: "dataref-counted", Title: "references are numbered", Ext: dataref.Switches{Counted: true}},
			{Name: "dataref-same-id", Title: "each reference has the same id", Ext: dataref.Switches{Constant: true}},
		}},
		{
			Name: "dataref-inline", Title: "the whole data comes with its reference", Breaks: "ext-dataref-not-inline",
			Ext: dataref.Switches{Inline: true},
		},
		{
			Name: "dataref-foreign-origin", Title: "origin_server is another server", Breaks: "ext-dataref-origin-self",
			Reply: set("origin_server", "warehouse.example"),
		},
	}
}

func addresses() []fault.Fault {
	const address, checksum, fetch, tamper = "ext-dataref-url", "ext-dataref-checksum", "ext-dataref-fetch", "ext-dataref-tamper-refused"
	shape := []string{suite + "checksum-shape"}
	return []fault.Fault{
		{Breaks: address, Each: []fault.Fault{
			{Name: "dataref-url-relative", Title: "access_url is a relative path", Reply: set("access_url", "/ref/log-2025")},
			{Name: "dataref-url-number", Title: "access_url is a number", Reply: set("access_url", 17)},
			{Name: "dataref-url-file", Title: "access_url is a file URI", Reply: set("access_url", "file:///srv/harbour/log.csv")},
		}},
		{Breaks: checksum, Each: []fault.Fault{
			{Name: "dataref-checksum-string", Title: "checksum is a string", Kills: shape,
				Reply: fault.OnResult(exporting, func(reference fault.Message) {
					value, _ := reference.Object("checksum")["value"].(string)
					reference["checksum"] = "sha256:" + value
				})},
			{Name: "dataref-checksum-sha1", Title: "the algorithm of checksum is sha1", Kills: shape, Reply: set("checksum/algorithm", "sha1")},
			{Name: "dataref-checksum-base64", Title: "the value of checksum is base64", Kills: shape,
				Reply: set("checksum/value", base64.StdEncoding.EncodeToString([]byte("a checksum of thirty-two bytes..")))},
			{Name: "dataref-checksum-other", Title: "checksum is that of other bytes", Kills: []string{suite + "checksum-matches"}, In: overHTTP(),
				Ext: dataref.Switches{OtherSum: true}},
		}},
		{Breaks: fetch, In: overHTTP(), Each: []fault.Fault{
			{
				Name: "dataref-fetch-missing", Title: "a live address is answered with status 404",
				Ext: dataref.Switches{Serve: page(http.StatusNotFound)},
			},
			{Name: "dataref-fetch-page", Title: "a live address is answered with an HTML page", Ext: dataref.Switches{Serve: page(http.StatusOK)}},
			{Name: "dataref-fetch-header", Title: "a live address wants a header that the reference does not have",
				Ext: dataref.Switches{Serve: func(w http.ResponseWriter, r *http.Request) bool {
					if r.Header.Get("X-Harbour-Key") == "" {
						w.WriteHeader(http.StatusBadRequest)
						return true
					}
					return false
				}}},
		}},
		{Breaks: tamper, In: overHTTP(), Each: []fault.Fault{
			{Name: "dataref-unsigned", Title: "the signature of an address is not checked", Kills: []string{suite + "altered-url-refused"},
				May: []string{suite + "raised-expiry-refused"}, Ext: dataref.Switches{Unsigned: true}},
			{Name: "dataref-signature-lacks", Title: "an address needs no signature", Kills: []string{suite + "altered-url-refused"},
				May: []string{suite + "raised-expiry-refused"}, Ext: dataref.Switches{MayLack: true}},
			{Name: "dataref-id-unsigned", Title: "the signature of an address leaves its id out",
				Kills: []string{suite + "altered-url-refused"}, Ext: dataref.Switches{IDUnsigned: true}},
			{Name: "dataref-end-unsigned", Title: "the signature of an address leaves its end out",
				Kills: []string{suite + "raised-expiry-refused"}, Ext: dataref.Switches{EndUnsigned: true}},
		}},
		{
			Name: "dataref-never-ends", Title: "an address works beyond its end", Breaks: "ext-dataref-expired-refused", In: overHTTP(),
			Ext: dataref.Switches{NeverEnds: true},
		},
	}
}

func page(status int) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<html><body>Sorry.</body></html>")
		return true
	}
}

// given selects imports by the params.
func given(fits func(params map[string]any) bool) fault.When {
	return fault.On(importing).And(func(x fault.Exchange) bool {
		var params map[string]any
		return json.Unmarshal(x.Params, &params) == nil && fits(params)
	})
}

func imports() []fault.Fault {
	const works, status, failed, mandatory = "ext-import-works", "ext-import-status-enum", "ext-import-failure-structured",
		"ext-import-required-params"
	gone := given(func(params map[string]any) bool {
		address, _ := params["access_url"].(string)
		return strings.Contains(address, "/gone/")
	})
	imported := func(change func(result fault.Message)) fault.Change {
		return fault.OnResult(importing, func(result fault.Message) {
			if result["status"] == "imported" {
				change(result)
			}
		})
	}
	unsuccessful := func(change func(result fault.Message)) fault.Change {
		return fault.OnResult(importing, func(result fault.Message) {
			if result["status"] == "failed" {
				change(result)
			}
		})
	}
	return []fault.Fault{
		{Breaks: works, Each: []fault.Fault{
			{Name: "dataref-import-unfetched", Title: "data is reported as imported, and was not fetched",
				May: []string{suite + "unknown-not-imported", suite + "expired-not-imported", suite + "unreachable-not-imported",
					suite + "checksum-compared", suite + "failure-record"}, Ext: dataref.Switches{NoFetch: true}},
			{Name: "dataref-import-rows", Title: "rows_imported is one too many", Reply: imported(func(result fault.Message) {
				n, _ := result["rows_imported"].(int)
				result["rows_imported"] = n + 1
			})},
			{Name: "dataref-import-rows-string", Title: "rows_imported is a string", Reply: imported(func(result fault.Message) {
				result["rows_imported"] = fmt.Sprint(result["rows_imported"])
			})},
			{Name: "dataref-import-records", Title: "an import has records_imported in place of rows_imported",
				Reply: imported(func(result fault.Message) {
					result["records_imported"] = result["rows_imported"]
					delete(result, "rows_imported")
				})},
		}},
		{Breaks: status, Each: []fault.Fault{
			{
				Name: "dataref-import-ok", Title: `the status of an import is "ok"`,
				Reply: imported(func(result fault.Message) { result["status"] = "ok" }),
			},
			{Name: "dataref-import-success", Title: `the status of an import is "success"`,
				Reply: imported(func(result fault.Message) { result["status"] = "success" })},
			{
				Name: "dataref-import-statusless", Title: "an import has no status",
				Reply: imported(func(result fault.Message) { delete(result, "status") }),
			},
		}},
		{Breaks: failed, Each: []fault.Fault{
			{Name: "dataref-import-anything", Title: "data that cannot be fetched is reported as imported",
				Kills: []string{suite + "unknown-not-imported", suite + "expired-not-imported", suite + "unreachable-not-imported"},
				May:   []string{suite + "checksum-compared"}, Ext: dataref.Switches{TakesAnything: true}},
			{Name: "dataref-error-codeless", Title: "the error of a failed import has no code", Kills: []string{suite + "failure-record"},
				Reply: unsuccessful(func(result fault.Message) { delete(result.Object("error"), "code") })},
			{Name: "dataref-import-hangs", Title: "an import from an origin that cannot be reached is never answered", Hangs: true,
				Kills: []string{suite + "unreachable-not-imported"}, Inbound: gone.Hang()},
			{Name: "dataref-error-string", Title: "the error of a failed import is a string", Kills: []string{suite + "failure-record"},
				Reply: unsuccessful(func(result fault.Message) { result["error"] = "status 404" })},
			{Name: "dataref-error-category", Title: "the error of a failed import has a category that there is not",
				Kills: []string{suite + "failure-record"},
				Reply: unsuccessful(func(result fault.Message) { result.Object("error")["category"] = "temporary" })},
		}},
		{Breaks: "ext-import-checksum-checked", Each: []fault.Fault{
			{Name: "dataref-import-unchecked", Title: "data with another checksum is imported", Ext: dataref.Switches{Unchecked: true}},
			{Name: "dataref-import-md5", Title: "data with another checksum by md5 is imported", Ext: dataref.Switches{MD5Unchecked: true}},
		}},
		{Breaks: mandatory, Each: []fault.Fault{
			{Name: "dataref-import-without-origin", Title: "a reference without origin_server is fetched",
				Kills: []string{suite + "import-without-origin"},
				Ext:   dataref.Switches{AnyParams: true}},
			{Name: "dataref-import-empty-internal", Title: "an import without params is answered with -32603",
				Kills: []string{suite + "import-empty-rejected"},
				Inbound: given(func(params map[string]any) bool { return params["ref_id"] == nil && params["origin_server"] == nil }).
					Refuse(-32603, "nil reference")},
			{Name: "dataref-import-nameless-internal", Title: "an import without ref_id is answered with -32603",
				Kills: []string{suite + "import-without-id"},
				Inbound: given(func(params map[string]any) bool { return params["ref_id"] == nil && params["origin_server"] != nil }).
					Refuse(-32603, "nil reference")},
		}},
	}
}
