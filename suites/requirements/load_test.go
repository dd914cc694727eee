package requirements

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const soundRow = `{"id": "acme-berths", "area": "acme", "clauses": [{"since": "2024-11-05",
	"level": "MUST", "basis": "keyword", "page": "berths", "text": "Every berth is counted."}]}`

// acme is a catalogue with one area and these rows.
func acme(rows string) fstest.MapFS {
	return fstest.MapFS{order: {Data: []byte(`[{"name": "acme"}]`)}, "data/acme.json": {Data: []byte(rows)}}
}

func TestAreasAreStrict(t *testing.T) {
	t.Parallel()
	rows := []struct{ name, text, want string }{
		{"unknown key", `[{"name": "acme", "colour": "red"}]`, "colour"},
		{"no name", `[{}]`, "name is missing"},
		{"unknown grade", `[{"name": "acme", "grade": "core"}]`, `unknown grade "core"`},
		{"unknown transport", `[{"name": "acme", "transport": "smoke"}]`, `unknown transport "smoke"`},
		{"twice", `[{"name": "acme"}, {"name": "acme"}]`, "listed twice"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			data := acme("[]")
			data[order] = &fstest.MapFile{Data: []byte(row.text)}
			if _, err := load(data); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got error %v, want one that says %q", err, row.want)
			}
		})
	}
}

func TestLoadIsStrict(t *testing.T) {
	t.Parallel()
	rows := []struct{ name, old, replacement, want string }{
		{"unknown key", `"area"`, `"colour": "red", "area"`, "colour"},
		{"unknown key in a clause", `"level"`, `"colour": "red", "level"`, "colour"},
		{"key in other letters", `"area"`, `"Area"`, "Area"},
		{"repeated key", `"area"`, `"area": "acme", "area"`, "duplicate"},
		{"other area", `"area": "acme"`, `"area": "other"`, `has the area "other"`},
		{"unknown level", `MUST`, `must`, `unknown level "must"`},
		{"no JSON", `{`, ``, "read data/acme.json"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			text := "[" + strings.Replace(soundRow, row.old, row.replacement, 1) + "]"
			_, err := load(acme(text))
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got error %v, want one that says %q", err, row.want)
			}
		})
	}
}

func TestLoadRefusesAnIDTwice(t *testing.T) {
	t.Parallel()
	if _, err := load(acme("[" + soundRow + "," + soundRow + "]")); err == nil || !strings.Contains(err.Error(), "the id is taken") {
		t.Errorf("got error %v", err)
	}
}

func TestLoadNamesAMissingFile(t *testing.T) {
	t.Parallel()
	data := acme("[]")
	delete(data, "data/acme.json")
	if _, err := load(data); err == nil || !strings.Contains(err.Error(), "data/acme.json") {
		t.Errorf("got error %v", err)
	}
	delete(data, order)
	if _, err := load(data); err == nil || !strings.Contains(err.Error(), order) {
		t.Errorf("got error %v", err)
	}
}

// A file that no area names would be embedded and never read.
func TestEveryFileIsAnArea(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(files, "data/*.json")
	if err != nil {
		t.Fatal(err)
	}
	areas, err := readAreas(files)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{order}
	for _, area := range areas {
		want = append(want, "data/"+area.Name+".json")
	}
	slices.Sort(want)
	if !slices.Equal(want, names) {
		t.Errorf("areas and files differ:\nareas %v\nfiles %v", want, names)
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load(); err != nil {
			b.Fatal(err)
		}
	}
}
