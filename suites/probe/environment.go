package probe

import (
	"fmt"
	"time"
)

// An environment is what the kit has for a case beside the conversation: what
// other cases learned, schemas, tokens, and documents that the target serves.
type environment struct {
	within *scope
	column *column
}

// Learn keeps a result of learn for all cases of the column. Where learn ends
// its case, Learn ends every case that asks for the key.
func (e *environment) Learn(key string, learn func() string) string {
	value, err := e.column.setup.Memory.Learn(speaker(e.column), key, func() (value string, err error) {
		err = e.within.Try(func() { value = learn() })
		return value, err
	})
	e.within.Must(err)
	return value
}

// Versions are the revisions that the target spoke in handshakes. Discovery
// asks for some of them only when a case needs them.
func (e *environment) Versions() Versions {
	if e.column.setup.Survey.AskVersions == nil {
		return Versions{}
	}
	found, err := e.column.setup.Survey.AskVersions(e.within.live())
	e.within.Must(err)
	return found
}

// SchemaProblem says how a value breaks a definition of the revision's schema;
// it is empty where the value fits.
func (e *environment) SchemaProblem(definition, pointer string, value any) string {
	problem, err := schemaProblem(e.column.setup.Schemas, string(e.column.Revision()), definition, pointer, value)
	e.within.Must(err)
	return problem
}

// ExtensionProblem says how a value breaks a definition of an extension's
// schema; it is empty where the value fits. The pointer is the place of the
// value in its message.
func (e *environment) ExtensionProblem(extension, definition, pointer string, value any) string {
	set, err := e.column.setup.Schemas.Extension(extension)
	e.within.Must(err)
	if !set.Has(definition) {
		e.within.Stop(fmt.Errorf("the schema of %s has no %s", extension, definition))
	}
	return Faults(pointer, set.Validate(definition, value))
}

// Mint gets a token for a scope and a resource from principals.token-command.
func (e *environment) Mint(scope, resource string) string {
	if e.column.setup.Mint == nil {
		e.within.Undecide("principals.token-command is not set")
	}
	token, err := e.column.setup.Mint(e.within.live(), scope, resource)
	if err != nil {
		e.within.live()
		e.within.Undecide("principals.token-command: " + err.Error())
	}
	e.column.Survey().Tokens.Add(token)
	return token
}

// Visit makes a plain HTTP request without credentials. It asks only an address
// that is Near, and follows no redirects.
func (e *environment) Visit(v Visit) Document {
	if v.Within == 0 {
		v.Within = e.column.setup.Waits.Answer
	}
	if !e.column.Near(v.At) {
		e.within.Undecide("the kit does not contact " + v.At +
			", which is not at the host and port of the server; set external: true to allow it")
	}
	d, err := e.column.setup.Documents.Visit(e.within.live(), v)
	e.within.Must(err)
	return d
}

// CapabilitiesDocument fetches the manifest at its own address, which the
// configuration may name. It is empty over stdio.
func (e *environment) CapabilitiesDocument(within time.Duration) (d Document, named bool) {
	served := e.column.setup.Documents
	if served.Capabilities == "" || served.Get == nil {
		return Document{}, false
	}
	d, err := served.Get(e.within.live(), served.Capabilities, within)
	e.within.Must(err)
	return d, served.Named
}

// WellKnownAddress is where the well-known document of the target is expected: at its
// origin, unless the configuration names an address. It is empty over stdio.
func (e *environment) WellKnownAddress() string { return e.column.setup.Documents.WellKnown }
