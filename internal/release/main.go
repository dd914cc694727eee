// Command release builds what a release holds, into a folder: the program for each system as
// an archive, the npm packages, a list of what is inside, and checksums. The same source,
// version and Go give the same bytes. It uploads nothing.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// A system is one that the program is built for, with the names that npm has for it.
type system struct{ os, arch, npmOS, npmArch string }

func (s system) String() string { return s.os + "_" + s.arch }

func systems() []system {
	var all []system
	for _, os := range [][2]string{{"linux", "linux"}, {"darwin", "darwin"}, {"windows", "win32"}} {
		for _, arch := range [][2]string{{"amd64", "x64"}, {"arm64", "arm64"}} {
			all = append(all, system{os[0], arch[0], os[1], arch[1]})
		}
	}
	return all
}

func main() {
	version := flag.String("version", "", "the version, such as v1.2.3")
	out := flag.String("out", "dist", "the folder to write into; it must be empty or new")
	here := flag.Bool("here", false, "build for this system only, to try it")
	flag.Parse()
	if err := release(*version, *out, *here); err != nil {
		fmt.Fprintln(os.Stderr, "release: "+err.Error())
		os.Exit(1)
	}
}

var versions = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$`)

// release must be called from the root of the project.
func release(version, out string, here bool) error {
	if !versions.MatchString(version) {
		return fmt.Errorf("-version %q: want one such as v1.2.3", version)
	}
	if left, err := os.ReadDir(out); err == nil && len(left) > 0 {
		return errors.New(out + " is not empty")
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	notices, err := thirdParties()
	if err != nil {
		return err
	}
	texts := map[string][]byte{"THIRD_PARTY_NOTICES": notices}
	for _, name := range []string{"LICENSE", "README.md"} {
		if texts[name], err = os.ReadFile(name); err != nil {
			return err
		}
	}
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	made := map[string][]byte{}
	for _, s := range systems() {
		if here && (s.os != runtime.GOOS || s.arch != runtime.GOARCH) {
			continue
		}
		if err := s.build(version, work, texts, made); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	if made["mcp-conform-"+plainVersion(version)+".tgz"], err = mainPackage(version, texts); err != nil {
		return err
	}
	var sums strings.Builder
	for _, name := range slices.Sorted(maps.Keys(made)) {
		if err := os.WriteFile(filepath.Join(out, name), made[name], 0o644); err != nil {
			return err
		}
		sum := sha256.Sum256(made[name])
		fmt.Fprintf(&sums, "%s  %s\n", hex.EncodeToString(sum[:]), name)
	}
	return os.WriteFile(filepath.Join(out, "checksums.txt"), []byte(sums.String()), 0o644)
}

// plainVersion is the version as npm writes it.
func plainVersion(version string) string { return strings.TrimPrefix(version, "v") }

// build compiles the program for a system and packs it.
func (s system) build(version, work string, texts, made map[string][]byte) error {
	path := filepath.Join(work, s.String(), s.program())
	cmd := exec.CommandContext(context.Background(), "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X main.stamped="+version, "-o", path, "./cmd/mcp-conform")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+s.os, "GOARCH="+s.arch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	return s.pack(version, path, texts, made)
}

// program is the name of the program's file.
func (s system) program() string {
	if s.os == "windows" {
		return "mcp-conform.exe"
	}
	return "mcp-conform"
}

// pack makes the archive, the npm package and the list of parts of the program at a path.
func (s system) pack(version, path string, texts, made map[string][]byte) error {
	program, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	base := "mcp-conform_" + plainVersion(version) + "_" + s.String()
	files := []file{{s.program(), program, true}}
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		files = append(files, file{text, texts[text], false})
	}
	if s.os == "windows" {
		made[base+".zip"], err = zipped(files)
	} else {
		made[base+".tar.gz"], err = tarred("", files)
	}
	if err != nil {
		return err
	}
	if made[base+".cdx.json"], err = parts(path, version); err != nil {
		return err
	}
	made["mcp-conform-"+s.npmOS+"-"+s.npmArch+"-"+plainVersion(version)+".tgz"], err = s.npmPackage(version, s.program(), program, texts)
	return err
}
