package jsonfile_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
)

// Any file is a report or a mistake, the same one each time. A report that is read says of
// itself what its findings say, and is the same report when it is written and read again.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"empty.json", "every-status.json", "partial.json", "pass.json", "unjudged.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, seed := range []string{"", "{", "[]", `{"format":1}`, `{"format":1e0}`, `{"format":1,"format":2}`, " \n{}x", "\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 1 << 16
		r, err := jsonfile.ReadWithin(bytes.NewReader(data), limit)
		if _, again := jsonfile.ReadWithin(bytes.NewReader(data), limit); fmt.Sprint(err) != fmt.Sprint(again) {
			t.Fatalf("%v, then %v", err, again)
		}
		if err != nil {
			return
		}
		if len(data) > limit {
			t.Fatalf("%d bytes are read, the limit is %d", len(data), limit)
		}
		v, counts := r.Verdict, reports.Tally(r.Findings)
		if counts.Fail > 0 && (v.ExitCode == reports.ExitPassed || v.Status == reports.Passed) {
			t.Errorf("%d findings fail, and the verdict is %s with exit code %d", counts.Fail, v.Status, v.ExitCode)
		}
		if v.Total() != counts {
			t.Errorf("the verdict counts %+v, the findings are %+v", v.Total(), counts)
		}
		var first, second bytes.Buffer
		if err := jsonfile.Write(&first, r); err != nil {
			t.Fatal(err)
		}
		same, err := jsonfile.Read(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("a report that was read and written is no report: %v", err)
		}
		if err := jsonfile.Write(&second, same); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s\nbecame\n%s", first.Bytes(), second.Bytes())
		}
	})
}
