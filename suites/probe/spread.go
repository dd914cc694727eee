package probe

import (
	"bytes"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// A Spread is a response over several lines of stdout, where a message has one line: each line by itself is
// no message, so that a client reads none.
type Spread struct {
	Text  string // on one line, for people
	Lines int
	At    time.Duration // when its last line came
}

// SpreadResponse is the first such response among frames. What a server logs is none, in however many lines:
// it has no member jsonrpc.
func SpreadResponse(all []Seen) (first Spread, found bool) {
	var open lines
	for _, s := range all {
		if s.Dir != frame.Received || s.Kind != frame.KindMessage {
			continue
		}
		switch class := s.Message().Class; class {
		case frame.NotJSON, frame.NotAMessage: // a line within an object may be JSON
			text, whole := open.add(s.Raw())
			if !whole {
				break
			}
			if m := frame.Read(text); m.Responds() && m.Members["jsonrpc"] != nil {
				return Spread{s.Hide(strings.Join(strings.Fields(string(text)), " ")), open.count, s.At}, true
			}
		case frame.Request, frame.Notification, frame.Result, frame.Error, frame.Batch:
			open = lines{}
		}
	}
	return Spread{}, false
}

// lines are those of an object whose end has not come.
type lines struct {
	text            []byte
	count, depth    int
	quoted, escaped bool
}

// most is how long an object is followed: the response to an opening is far shorter.
const most = 256 << 10

// add reads one more line, and gives the text of the object that ends with it.
func (l *lines) add(line []byte) (text []byte, whole bool) {
	line = bytes.TrimRight(line, "\r\n")
	if begins := bytes.HasPrefix(line, []byte("{")); begins && !l.quoted || l.depth == 0 || len(l.text) > most {
		if *l = (lines{}); !begins {
			return nil, false // a nested object is indented, and other text begins none
		}
	}
	if l.count++; l.count > 1 {
		if l.quoted {
			l.text = append(l.text, `\n`...) // the line break stands in a string
		} else {
			l.text = append(l.text, '\n')
		}
	}
	l.text = append(l.text, line...)
	for _, b := range line {
		switch {
		case l.escaped:
			l.escaped = false
		case l.quoted:
			l.escaped = b == '\\'
			l.quoted = b != '"'
		case b == '"':
			l.quoted = true
		case b == '{', b == '[':
			l.depth++
		case b == '}', b == ']':
			l.depth--
		}
	}
	return l.text, l.depth == 0 && l.count > 1
}
