package probe

import "github.com/mcp-conform/mcp-conform/suites/protocol"

// A Trait is a fact that discovery learns about the server in one column; no
// configuration sets it.
type Trait string

// The traits.
const (
	Modern                      Trait = "modern"                  // serves requests without a handshake
	Legacy                      Trait = "legacy"                  // serves a handshake
	DualEra                     Trait = "dual-era"                // serves both
	ModernOnly                  Trait = "modern-only"             // refuses every handshake
	Launched                    Trait = "launched"                // the kit started the server
	Durable                     Trait = "durable"                 // state survives the process
	Sessions                    Trait = "sessions"                // hands out an Mcp-Session-Id
	AnyPaginates                Trait = "paginates"               // some list came in several pages
	Guarded                     Trait = "guarded"                 // refuses requests without credentials
	AuthorizationFramework      Trait = "authorization-framework" // refuses them as the authorization pages say
	ResourceTemplates           Trait = "resource-templates"
	FileResources               Trait = "file-resources"
	PromptWithRequiredArguments Trait = "prompt-with-required-arguments"
)

// Paginates is the trait of a server that cuts the list into pages.
func Paginates(l protocol.List) Trait { return Trait("paginates:" + l.Method) }

// Traits returns every trait.
func Traits() []Trait {
	all := []Trait{
		Modern, Legacy, DualEra, ModernOnly, Launched, Durable, Sessions, AnyPaginates, Guarded, AuthorizationFramework,
		ResourceTemplates, FileResources, PromptWithRequiredArguments,
	}
	for _, l := range protocol.Lists() {
		all = append(all, Paginates(l))
	}
	return all
}
