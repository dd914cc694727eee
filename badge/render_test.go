package badge

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Chromium draws the badges at four times their size, one below the other, and
// the picture has to show them: two fields of the right colors with round
// corners, and text that stays inside its field.
func TestRendered(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed, so no badge is drawn")
	}
	drawn := rows()
	page := `<!doctype html><meta charset="utf-8"><style>body{margin:0;background:#00f}img{display:block;height:80px}</style>`
	dir := t.TempDir()
	for i, r := range drawn {
		name := fmt.Sprintf("%d.svg", i)
		if err := os.WriteFile(filepath.Join(dir, name), written(t, SVG, r.verdict), 0o600); err != nil {
			t.Fatal(err)
		}
		page += `<img src="` + name + `">`
	}
	html, shot := filepath.Join(dir, "badges.html"), filepath.Join(dir, "badges.png")
	if err := os.WriteFile(html, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
		"--force-device-scale-factor=1", "--user-data-dir="+filepath.Join(dir, "profile"),
		fmt.Sprintf("--window-size=2400,%d", 80*len(drawn)), "--screenshot="+shot, "file://"+html)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, out)
	}
	keep(t, shot)
	file, err := os.Open(shot)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	picture, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range drawn {
		t.Run(r.name, func(t *testing.T) { judge(t, picture, 80*i, r) })
	}
}

// keep saves the picture for a person to look at.
func keep(t *testing.T, shot string) {
	t.Helper()
	to := os.Getenv("BADGES_PNG")
	if to == "" {
		return
	}
	data, err := os.ReadFile(shot)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func judge(t *testing.T, p image.Image, top int, r row) {
	t.Helper()
	const scale = 4
	left, right := scale*(textWidth(Label)+2*padding), scale*(textWidth(r.message)+2*padding)
	_, c := face(r.verdict)
	near := func(x, y int, what, want string) {
		t.Helper()
		if got := p.At(x, top+y); distance(got, hex(t, want)) > 24 {
			t.Errorf("%s at %d,%d is %v, want about %s", what, x, y, got, want)
		}
	}
	near(0, 0, "the corner", "#0000ff")
	near(left+right+2, 40, "what is beside the badge", "#0000ff")
	near(scale*2, 40, "the label's field", labelFill)
	near(left+scale*2, 40, "the message's field", c.value)
	near(left+right-scale*2, 40, "the message's field", c.value)
	// White is text. It stands in the middle of its field, with the padding free.
	for _, field := range []struct{ from, to int }{{0, left}, {left, left + right}} {
		first, last := field.to, field.from
		for x := field.from; x < field.to; x++ {
			for y := 8; y < 72; y++ {
				if red, green, blue, _ := p.At(x, top+y).RGBA(); min(red, green, blue) > 0xe000 {
					first, last = min(first, x), max(last, x)
				}
			}
		}
		before, after := first-field.from, field.to-last
		if before < scale*(padding-2) || after < scale*(padding-2) || before > scale*(padding+3) || after > scale*(padding+3) {
			t.Errorf("text stands %d pixels from the left and %d from the right of its field, want about %d", before, after, scale*padding)
		}
	}
}

func distance(got interface{ RGBA() (r, g, b, a uint32) }, want [3]int) int {
	r, g, b, _ := got.RGBA()
	most := 0
	for i, v := range []uint32{r, g, b} {
		most = max(most, int(v>>8)-want[i], want[i]-int(v>>8))
	}
	return most
}

func hex(t *testing.T, s string) (rgb [3]int) {
	t.Helper()
	s = strings.TrimPrefix(s, "#")
	if len(s) == 3 {
		s = string([]byte{s[0], s[0], s[1], s[1], s[2], s[2]})
	}
	if _, err := fmt.Sscanf(s, "%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2]); err != nil {
		t.Fatal(err)
	}
	return rgb
}
