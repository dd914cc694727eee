package frame

import "bytes"

// The memory that parts of a frame take beside their bytes, as measured: the
// frame in a growing list, a string, an object of a reading with its first
// members, and each further value.
const (
	costFrame  = 800
	costString = 24
	costObject = 400
	costValue  = 48
)

// Cost is about how many bytes of memory the frame takes, so that callers who
// keep many frames can limit them. Short frames often take ten times the bytes
// on the wire.
func (f Frame) Cost() int64 {
	raw := f.Raw()
	n := costFrame + len(raw)
	if f.SSE != nil {
		n += costFrame/4 + costString*(len(f.SSE.Data)+len(f.SSE.Comments))
		for _, line := range f.SSE.Lines {
			n += costString + len(line)
		}
	}
	if f.HTTP != nil {
		n += costFrame / 4
		for name, values := range f.HTTP.Header {
			n += costValue + len(name)
			for _, value := range values {
				n += costString + len(value)
			}
		}
	}
	if f.End != nil {
		n += costFrame/4 + len(f.End.Stderr) + len(f.End.Unterminated)
	}
	return int64(n) + f.readingCost()
}

// readingCost is 0 for a reading that the garbage collector may drop.
func (f Frame) readingCost() int64 {
	if f.body == nil || f.Kind != KindMessage {
		return 0
	}
	f.body.reading.Lock()
	kept := f.body.remembers()
	f.body.reading.Unlock()
	if !kept {
		return 0
	}
	raw := f.body.raw
	objects := bytes.Count(raw, []byte("{"))
	values := bytes.Count(raw, []byte(",")) + bytes.Count(raw, []byte("["))
	return int64(2*len(raw) + costObject*(1+objects) + costValue*values)
}
