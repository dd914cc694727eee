package suite

import "github.com/mcp-conform/mcp-conform/suites/probe"

// A Part is a part of what a server sends.
type Part = probe.Part

// The depths of a Part.
const (
	Itself   = probe.Itself   // a value, and nothing that it holds
	AsObject = probe.AsObject // that a value is an object, and nothing else of it
)

// Owned are the parts that the cases of all suites own.
func Owned(of []Suite) []probe.Owned {
	var all []probe.Owned
	for _, s := range of {
		for i := range s.Cases {
			for _, p := range s.Cases[i].Owns {
				all = append(all, probe.Owned{Part: p, Case: s.Cases[i].ID})
			}
		}
	}
	return all
}
