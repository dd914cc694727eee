package requirements

import "cmp"

// A Column is one revision over one transport.
type Column struct {
	Revision  Revision
	Transport Transport
}

// String names the column as every report does.
func (c Column) String() string { return string(c.Revision) + " over " + string(c.Transport) }

// Compare puts the newest revision first, and stdio before HTTP.
func (c Column) Compare(other Column) int {
	return cmp.Or(cmp.Compare(other.Revision, c.Revision), cmp.Compare(other.Transport, c.Transport))
}
