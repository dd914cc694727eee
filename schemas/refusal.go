package schemas

import "fmt"

// Invalid is the error of a published schema that breaks the rules of its dialect.
type Invalid struct{ Faults []Fault }

func (e *Invalid) Error() string {
	f := e.Faults[0]
	return fmt.Sprintf("invalid schema: at %q there is %s, want %s", f.Pointer, f.Got, f.Want)
}

// TooComplex is the error of a published schema that would cost too much to apply.
type TooComplex struct{ What string }

func (e *TooComplex) Error() string { return "schema too complex: " + e.What }

// UnknownDialect is the error of a published schema in an unsupported dialect.
type UnknownDialect struct{ Dialect string }

func (e *UnknownDialect) Error() string { return fmt.Sprintf("unknown schema dialect %q", e.Dialect) }

// Unresolved is the error of a published schema that refers to another document. Such a
// reference is never followed.
type Unresolved struct{ Reference string }

func (e *Unresolved) Error() string { return fmt.Sprintf("unresolved reference %q", e.Reference) }
