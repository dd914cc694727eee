package dataref

import (
	"fmt"
	"net/http"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Switches make the extension misbehave for a fault. The zero Switches keep every rule.
type Switches struct {
	Serve       func(w http.ResponseWriter, r *http.Request) bool // answers requests for data
	OtherSum    bool                                              // the checksum is that of other bytes
	Inline      bool                                              // the data comes with its reference
	Counted     bool                                              // references are numbered
	Constant    bool                                              // each reference has the same id
	Unsigned    bool                                              // signatures are not checked
	MayLack     bool                                              // an address needs no signature
	IDUnsigned  bool                                              // the signature leaves the id out
	EndUnsigned bool                                              // the signature leaves the end out
	NeverEnds   bool                                              // addresses work beyond their end

	AnyParams     bool // a reference may lack its origin
	NoFetch       bool // data is reported as imported, and not fetched
	TakesAnything bool // data that cannot be fetched is reported as imported
	Unchecked     bool // checksums are not compared
	MD5Unchecked  bool // checksums of md5 are not compared
}

func switches(f *fault.Fault) Switches {
	if f == nil {
		return Switches{}
	}
	own, _ := f.Ext.(Switches) // zero if Ext holds another extension's switches
	return own
}

func (f Switches) summed(data []byte) []byte {
	if f.OtherSum {
		return data[1:]
	}
	return data
}

func (f Switches) id(before int, random string) string {
	switch {
	case f.Counted:
		return fmt.Sprintf("ref-%d", before+1)
	case f.Constant:
		return "ref-latest"
	}
	return random
}
