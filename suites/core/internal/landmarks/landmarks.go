// Package landmarks names files outside a server that many machines have and that hold no
// secret. A text in them shows that a server went there.
package landmarks

import "strings"

// Levels are more than paths of served files have.
const Levels = 24

// A File is one landmark.
type File struct {
	Path  string // below the root
	holds []string
}

// All are the landmarks of the usual systems.
func All() []File {
	return []File{
		{"etc/hosts", []string{"127.0.0.1", "localhost"}}, {"C:/Windows/win.ini", []string{"for 16-bit app support"}},
	}
}

// In reports whether a text holds what the file holds.
func (f File) In(text string) bool {
	for _, part := range f.holds {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
