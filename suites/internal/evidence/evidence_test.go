package evidence

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// A frame that was kept twice is shown once; two that say the same at the same time are two.
func TestEachFrameIsShownOnce(t *testing.T) {
	t.Parallel()
	first := frame.New(frame.Received, frame.KindEvent, []byte("id: 1"))
	first.Seq = 1
	second := first
	second.Seq = 2
	if got := Frames([]frame.Frame{first, second, first}); len(got) != 2 {
		t.Errorf("%d frames are shown, want two: %+v", len(got), got)
	}
}
