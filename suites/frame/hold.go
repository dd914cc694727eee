package frame

// Hold keeps the reading of a long frame until release is called, for whoever
// shows the frame to many that ask for it: each would read it again otherwise,
// whenever the garbage collector has been there in between.
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
