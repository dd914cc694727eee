package action_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
)

// archive is a release with a program that only knows its version.
func archive(t *testing.T) []byte {
	t.Helper()
	const program = "#!/bin/sh\necho prebuilt \"$@\"\n"
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	files := tar.NewWriter(zipped)
	if err := files.WriteHeader(&tar.Header{Name: "mcp-conform", Mode: 0o755, Size: int64(len(program))}); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Write([]byte(program)); err != nil {
		t.Fatal(err)
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// The step takes the binary of a release if the action is used at the tag of the
// release, and only with the checksum of the release.
func TestInstall(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed, so no release is fetched")
	}
	const name = "mcp-conform_1.2.3_linux_amd64.tar.gz"
	content := archive(t)
	sums := fmt.Sprintf("%x  other.tar.gz\n%x  %s\n", sha256.Sum256(nil), sha256.Sum256(content), name)
	for _, row := range []struct {
		name, ref, version, sums string
		installed, fails         string // texts of the log
	}{
		{"a tag", "v1.2.3", "", sums, "installed the release v1.2.3", ""},
		{"a version", "main", "v1.2.3", sums, "installed the release v1.2.3", ""},
		{"another checksum", "v1.2.3", "", strings.ReplaceAll(sums, name, "other"), "", "does not have the checksum"},
		{"no such version", "main", "v9.9.9", sums, "", "no binary of the release that the input version names"},
		{"hostile version", "main", "v1.2.3/../$(touch pwned)", sums, "", "no binary of the release that the input version names"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				const folder = "/mcp-conform/mcp-conform/releases/download/v1.2.3/"
				switch req.URL.Path {
				case folder + name:
					_, _ = w.Write(content)
				case folder + "checksums.txt":
					_, _ = w.Write([]byte(row.sums))
				default:
					http.NotFound(w, req)
				}
			}))
			t.Cleanup(server.Close)
			r := newRunner(t, "")
			r.more = map[string]string{"ref": row.ref, "GITHUB_SERVER_URL": server.URL}
			out := r.run(t, map[string]string{"version": row.version, "command": "x", "artifact": ""})
			if row.installed != "" && (!strings.Contains(out.log, row.installed) || !strings.Contains(out.log, "prebuilt version")) {
				t.Errorf("got %s", out.log)
			}
			if row.fails != "" && (!out.failed || !strings.Contains(out.log, row.fails) || out.values["steps.install.outputs.program"] != "") {
				t.Errorf("got %v, %s", out.failed, out.log)
			}
			clean(t, r)
		})
	}
}
