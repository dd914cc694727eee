package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"index/suffixarray"
	"io"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	leakedFrame = 64 << 10
	// longestPart is how much of a secret may remain at a cut.
	longestPart = 6
)

// A server repeats the secrets of its operator everywhere, in every form and at every
// cut: none of them gets into the output of the command.
//
// Not parallel: a run takes every child of this process for one of its server's, and
// scripts start some.
func TestSecretsStaySecret(t *testing.T) {
	secrets := []string{canary(20), canary(100), canary(2000)}
	parts := partsOf(secrets)
	server := httptest.NewServer(&leaker{secrets: secrets, frame: leakedFrame})
	t.Cleanup(server.Close)
	for name, row := range map[string]struct {
		target  []string
		code    int
		inherit bool // the server gets a secret from the environment of the kit
	}{
		"stdio":               {[]string{"--", "leaking-server"}, 1, false},
		"environment":         {[]string{"--", "leaking-server"}, 1, true},
		"HTTP":                {[]string{"--url", server.URL + "/mcp"}, 1, false},
		"no server":           {[]string{"--", "leaking-server", "and nothing else"}, 3, false},
		"start command fails": {[]string{"--url", "http://127.0.0.1:1/mcp", "--", "leaking-server", "and nothing else"}, 3, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			token := "SERVICE_TOKEN"
			environ := func() []string { return nil }
			if row.inherit {
				token = "SERVICE_NAME"
				environ = func() []string { return []string{"SERVICE_TOKEN=" + secrets[1]} }
			}
			args := []string{"run", "--config", declared(t, dir, secrets, token), "--out", filepath.Join(dir, "out"), "--verbose", "--timeout", "200ms"}
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), append(args, row.target...), world{
				in: strings.NewReader(""), out: &stdout, err: &stderr, env: os.LookupEnv, environ: environ, now: time.Now,
				self: os.Executable, exit: func(int) {},
			})
			if code != row.code {
				t.Fatalf("exit code %d, want %d: %s", code, row.code, stderr.String())
			}
			// Some output of a start command may be missing when the command has ended.
			if !strings.Contains(stdout.String(), "[redacted]") && name != "start command fails" {
				t.Error("nothing was hidden, so nothing was tried")
			}
			texts := map[string][]string{"stdout": {stdout.String()}, "stderr": {stderr.String()}}
			files, err := os.ReadDir(filepath.Join(dir, "out"))
			if err != nil || len(files) < 4 {
				t.Fatal("no files were written", err)
			}
			for _, file := range files {
				data, err := os.ReadFile(filepath.Join(dir, "out", file.Name()))
				if err != nil {
					t.Fatal(err)
				}
				texts[file.Name()] = written(t, file.Name(), data)
			}
			for where, all := range texts {
				leaked(t, where, strings.Join(all, "\n"), parts)
			}
		})
	}
}

// canary is a secret full of characters that some format escapes.
func canary(n int) string {
	random := rand.New(rand.NewPCG(uint64(n), 7))
	alphabet := []rune("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789/+=&<>\"'\\%é漢😀/&_-.")
	secret := make([]rune, n)
	for i := range secret {
		secret[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(secret)
}

// declared writes a configuration that declares the first secret; the second is in the
// environment, under this name, and the third in both.
func declared(t *testing.T, dir string, secrets []string, token string) string {
	t.Helper()
	told, err := json.Marshal(secrets)
	if err != nil {
		t.Fatal(err)
	}
	file := map[string]any{
		"secrets": []string{secrets[0], secrets[2]},
		"target":  map[string]any{"env": map[string]string{token: secrets[1], "LEAKED": strings.ReplaceAll(string(told), "${", "$${")}},
		"limits":  map[string]any{"frame": fmt.Sprint(leakedFrame)},
	}
	data, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "canary.yaml")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// written gives the texts of a file with and without the escapes of its format.
func written(t *testing.T, name string, data []byte) []string {
	t.Helper()
	texts := []string{string(data)}
	switch filepath.Ext(name) {
	case ".json":
		var value any
		if err := json.Unmarshal(data, &value); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.Join(stringsOf(value), "\n"))
	case ".xml", ".svg":
		decoder := xml.NewDecoder(bytes.NewReader(data))
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				return texts
			}
			if err != nil {
				t.Fatal(err)
			}
			switch token := token.(type) {
			case xml.CharData:
				texts = append(texts, string(token))
			case xml.StartElement:
				for _, a := range token.Attr {
					texts = append(texts, a.Value)
				}
			}
		}
	}
	return texts
}

func stringsOf(value any) []string {
	var all []string
	switch value := value.(type) {
	case string:
		all = append(all, value)
	case []any:
		for _, item := range value {
			all = append(all, stringsOf(item)...)
		}
	case map[string]any:
		for name, member := range value {
			all = append(append(all, name), stringsOf(member)...)
		}
	}
	return all
}

// A sought holds the parts of a secret in one form; no output may show any of them.
type sought struct {
	form  string
	parts []string
}

// partsOf cuts secrets into parts, in all their forms.
func partsOf(secrets []string) []sought {
	var all []sought
	add := func(form string, secret string, pieces []string) {
		s := sought{form: fmt.Sprintf("%s of %d", form, len(secret))}
		for i := range len(pieces) - longestPart {
			s.parts = append(s.parts, strings.Join(pieces[i:i+longestPart+1], ""))
		}
		all = append(all, s)
	}
	for _, secret := range secrets {
		for _, form := range leaks {
			add(form.name, secret, pieces(secret, form.piece))
		}
		for offset := range 3 {
			for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				encoded := encoding.EncodeToString([]byte(strings.Repeat("u", offset) + secret))
				add("base64", secret, strings.Split(encoded[4:len(encoded)-2], ""))
			}
		}
	}
	return all
}

// leaked looks for parts of secrets.
func leaked(t *testing.T, where, text string, secrets []sought) {
	t.Helper()
	index := suffixarray.New([]byte(text))
	for _, s := range secrets {
		count, example := 0, ""
		for _, part := range s.parts {
			if at := index.Lookup([]byte(part), 1); at != nil {
				count++
				if text := index.Bytes(); example == "" {
					example = string(text[max(0, at[0]-60):min(len(text), at[0]+60)])
				}
			}
		}
		if count > 0 {
			t.Errorf("%s, %s: %d parts of more than %d characters, the first in %q", where, s.form, count, longestPart, example)
		}
	}
}
