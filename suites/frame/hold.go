package frame

// Hold keeps the reading of a long frame until release is called, for callers
// that show the frame to many readers: otherwise each of them might read it
// again, after the garbage collector has dropped the reading.
func (f Frame) Hold() (release func()) {
	if f.body == nil || f.Kind != KindMessage {
		return func() {}
	}
	m := f.Message()
	f.body.reading.Lock()
	defer f.body.reading.Unlock()
	if f.body.kept != nil {
		return func() {}
	}
	f.body.kept = &m
	return func() {
		f.body.reading.Lock()
		defer f.body.reading.Unlock()
		f.body.kept = nil
	}
}
