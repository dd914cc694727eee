package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const version = "v1.2.3"

// built packs the program of this system, whose packages come from the cache of go test.
func built(t *testing.T, root string) (here system, made map[string][]byte) {
	t.Helper()
	i := slices.IndexFunc(systems(), func(s system) bool { return s.os == runtime.GOOS && s.arch == runtime.GOARCH })
	if i < 0 {
		t.Skip("there is no package for " + runtime.GOOS + "/" + runtime.GOARCH)
	}
	here = systems()[i]
	path := filepath.Join(t.TempDir(), here.program())
	cmd := exec.CommandContext(t.Context(), "go", "build", "-ldflags", "-s -w -X main.stamped="+version, "-o", path, "./cmd/mcp-conform")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	made = madeOf(t, here, path)
	base := "mcp-conform_1.2.3_" + here.String()
	if again, err := parts(path, version); err != nil || !bytes.Equal(again, made[base+".cdx.json"]) {
		t.Errorf("the parts are not the same the second time: %v", err)
	}
	return here, made
}

// madeOf is what a release makes of a program, except its checksums.
func madeOf(t *testing.T, here system, path string) map[string][]byte {
	t.Helper()
	texts := map[string][]byte{"LICENSE": []byte("a licence\n"), "THIRD_PARTY_NOTICES": []byte("notices\n"), "README.md": []byte("# read me\n")}
	made := map[string][]byte{}
	if err := here.pack(version, path, texts, made); err != nil {
		t.Fatal(err)
	}
	var err error
	if made["mcp-conform-1.2.3.tgz"], err = mainPackage(version, texts); err != nil {
		t.Fatal(err)
	}
	return made
}

// The same program gives the same bytes, in the archives of each kind.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	small, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	all := systems()
	for _, s := range []system{all[0], all[len(all)-1]} { // the first has a tar archive, the last a zip archive
		first, second := madeOf(t, s, small), madeOf(t, s, small)
		for name, text := range first {
			if !bytes.Equal(text, second[name]) {
				t.Errorf("%s is not the same the second time", name)
			}
		}
	}
}

// unpacked are the files of a tar archive.
func unpacked(t *testing.T, archive []byte) map[string]*tar.Header {
	t.Helper()
	plain, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*tar.Header{}
	for r := tar.NewReader(plain); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all[h.Name] = h
	}
}

// TestPackages: the archives hold the program, the licences and nothing else, the list of parts
// names what is inside, and npm's packages run in a folder without a network.
func TestPackages(t *testing.T) {
	t.Parallel()
	here, made := built(t, filepath.Join("..", ".."))
	npm := "mcp-conform-" + here.npmOS + "-" + here.npmArch + "-1.2.3.tgz"
	base := "mcp-conform_1.2.3_" + here.String()
	want := []string{npm, "mcp-conform-1.2.3.tgz", base + ".cdx.json", base + ".tar.gz"}
	if here.os == "windows" {
		want[3] = base + ".zip"
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(made)); !slices.Equal(got, want) {
		t.Fatalf("made %q, want %q", got, want)
	}
	var parts struct {
		Components []struct{ Name, Version, PURL string }
	}
	if err := json.Unmarshal(made[base+".cdx.json"], &parts); err != nil || len(parts.Components) < 10 {
		t.Errorf("%d parts, %v", len(parts.Components), err)
	}
	holds := map[string][]string{npm: {"package/LICENSE", "package/README.md", "package/THIRD_PARTY_NOTICES", "package/bin/" + here.program(), "package/package.json"}}
	if here.os != "windows" {
		holds[base+".tar.gz"] = []string{"LICENSE", "README.md", "THIRD_PARTY_NOTICES", "mcp-conform"}
	}
	for name, want := range holds {
		files := unpacked(t, made[name])
		if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
		for file, h := range files {
			if runs := strings.HasSuffix(file, here.program()); runs != (h.Mode == 0o755) {
				t.Errorf("%s: the mode of %s is %o", name, file, h.Mode)
			}
		}
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed")
	}
	dir := t.TempDir()
	for name, text := range made {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	script, err := os.ReadFile(filepath.Join("testdata", "server.test.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "server.test.mjs"), script, 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(name string, arguments ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, arguments...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, arguments, err, out)
		}
		return string(out)
	}
	run("npm", "install", "--offline", "--no-audit", "--no-fund", "./"+npm, "./mcp-conform-1.2.3.tgz")
	if said := run("npx", "mcp-conform", "version"); !strings.HasPrefix(said, "mcp-conform v1.2.3 ") {
		t.Errorf("npx mcp-conform version says %q", said)
	}
	run("node", "--test", "server.test.mjs")
}

// TestNotices: every module that is built in stands in the notices with its licence.
func TestNotices(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	text, err := thirdParties()
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range []string{"The Go standard library", "github.com/spf13/cobra", "github.com/mark3labs/mcp-go", "github.com/onsi/ginkgo/v2"} {
		if !bytes.Contains(text, []byte("\n"+module)) {
			t.Errorf("%s is missing", module)
		}
	}
}

func TestWrongVersion(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "1.2.3", "v1.2", "v1.2.3;x"} {
		if err := release(version, t.TempDir(), true); err == nil || !strings.Contains(err.Error(), "want one such as v1.2.3") {
			t.Errorf("%q: %v", version, err)
		}
	}
}
