package schemas

import "fmt"

// Invalid is a published schema that is no schema in its dialect.
type Invalid struct{ Faults []Fault }

func (e *Invalid) Error() string {
	f := e.Faults[0]
	return fmt.Sprintf("invalid schema: at %q there is %s, want %s", f.Pointer, f.Got, f.Want)
}

// TooComplex is a published schema that would cost too much to apply.
type TooComplex struct{ What string }

func (e *TooComplex) Error() string { return "schema too complex: " + e.What }

// UnknownDialect is a published schema in a dialect that is not supported here.
type UnknownDialect struct{ Dialect string }

func (e *UnknownDialect) Error() string { return fmt.Sprintf("unknown schema dialect %q", e.Dialect) }

// Unresolved is a published schema that refers to a document it does not hold.
// Such a reference is never followed.
type Unresolved struct{ Reference string }

func (e *Unresolved) Error() string { return fmt.Sprintf("unresolved reference %q", e.Reference) }
