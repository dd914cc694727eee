// Package pages lists the kit's own suites, and says what is wrong with suites that are
// to be judged together.
package pages

import (
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/core/authorization"
	"github.com/mcp-conform/mcp-conform/suites/core/caching"
	"github.com/mcp-conform/mcp-conform/suites/core/cancellation"
	"github.com/mcp-conform/mcp-conform/suites/core/completion"
	"github.com/mcp-conform/mcp-conform/suites/core/discover"
	"github.com/mcp-conform/mcp-conform/suites/core/elicitation"
	coreerrors "github.com/mcp-conform/mcp-conform/suites/core/errors"
	"github.com/mcp-conform/mcp-conform/suites/core/http"
	"github.com/mcp-conform/mcp-conform/suites/core/icons"
	"github.com/mcp-conform/mcp-conform/suites/core/jsonrpc"
	"github.com/mcp-conform/mcp-conform/suites/core/lifecycle"
	"github.com/mcp-conform/mcp-conform/suites/core/logging"
	"github.com/mcp-conform/mcp-conform/suites/core/meta"
	"github.com/mcp-conform/mcp-conform/suites/core/mrtr"
	"github.com/mcp-conform/mcp-conform/suites/core/pagination"
	"github.com/mcp-conform/mcp-conform/suites/core/ping"
	"github.com/mcp-conform/mcp-conform/suites/core/progress"
	"github.com/mcp-conform/mcp-conform/suites/core/prompts"
	"github.com/mcp-conform/mcp-conform/suites/core/resources"
	"github.com/mcp-conform/mcp-conform/suites/core/roots"
	"github.com/mcp-conform/mcp-conform/suites/core/sampling"
	"github.com/mcp-conform/mcp-conform/suites/core/schema"
	"github.com/mcp-conform/mcp-conform/suites/core/security"
	"github.com/mcp-conform/mcp-conform/suites/core/stdio"
	"github.com/mcp-conform/mcp-conform/suites/core/tasks"
	"github.com/mcp-conform/mcp-conform/suites/core/tools"
	"github.com/mcp-conform/mcp-conform/suites/ext/confirmation"
	"github.com/mcp-conform/mcp-conform/suites/ext/content"
	"github.com/mcp-conform/mcp-conform/suites/ext/cost"
	"github.com/mcp-conform/mcp-conform/suites/ext/dashdash"
	"github.com/mcp-conform/mcp-conform/suites/ext/datareferences"
	"github.com/mcp-conform/mcp-conform/suites/ext/degradation"
	extdiscovery "github.com/mcp-conform/mcp-conform/suites/ext/discovery"
	exterrors "github.com/mcp-conform/mcp-conform/suites/ext/errors"
	"github.com/mcp-conform/mcp-conform/suites/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/suites/ext/intent"
	"github.com/mcp-conform/mcp-conform/suites/ext/manifest"
	"github.com/mcp-conform/mcp-conform/suites/ext/multimodal"
	"github.com/mcp-conform/mcp-conform/suites/ext/permissions"
	extprogress "github.com/mcp-conform/mcp-conform/suites/ext/progress"
	"github.com/mcp-conform/mcp-conform/suites/ext/provenance"
	"github.com/mcp-conform/mcp-conform/suites/ext/push"
	"github.com/mcp-conform/mcp-conform/suites/ext/sessionstate"
	"github.com/mcp-conform/mcp-conform/suites/ext/streaming"
	"github.com/mcp-conform/mcp-conform/suites/ext/transactions"
	"github.com/mcp-conform/mcp-conform/suites/ext/wellknown"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// All lists the kit's own suites in reading order.
func All() []suite.Suite { return slices.Clone(all()) }

// all builds the suites once: a command reads them for its flags, its configuration and its plan.
//
//nolint:gochecknoglobals // see above
var all = sync.OnceValue(func() []suite.Suite {
	return []suite.Suite{
		lifecycle.Suite(),
		discover.Suite(),
		meta.Suite(),
		jsonrpc.Suite(),
		coreerrors.Suite(),
		schema.Suite(),
		icons.Suite(),
		stdio.Suite(),
		http.Suite(),
		tools.Suite(),
		resources.Suite(),
		prompts.Suite(),
		completion.Suite(),
		logging.Suite(),
		progress.Suite(),
		cancellation.Suite(),
		pagination.Suite(),
		caching.Suite(),
		ping.Suite(),
		mrtr.Suite(),
		sampling.Suite(),
		elicitation.Suite(),
		roots.Suite(),
		tasks.Suite(),
		authorization.Suite(),
		security.Suite(),
		manifest.Suite(),
		intent.Suite(),
		cost.Suite(),
		permissions.Suite(),
		idempotency.Suite(),
		transactions.Suite(),
		confirmation.Suite(),
		provenance.Suite(),
		extprogress.Suite(),
		streaming.Suite(),
		datareferences.Suite(),
		multimodal.Suite(),
		exterrors.Suite(),
		extdiscovery.Suite(),
		push.Suite(),
		wellknown.Suite(),
		content.Suite(),
		dashdash.Handshake(),
		dashdash.Tools(),
		dashdash.Help(),
		dashdash.Resources(),
		sessionstate.Suite(),
		degradation.Suite(),
	}
})

// Skill is a suite of one case, which makes a skill file instead of judging anything.
func Skill(keep func(text string, missing []string)) suite.Suite { return dashdash.SkillFile(keep) }

// Catalogue is the union of the kit's rules and those of the suites.
func Catalogue(of []suite.Suite) (*requirements.Catalogue, error) {
	c, err := requirements.Load()
	if err != nil {
		return nil, err
	}
	var rules []requirements.Requirement
	for _, s := range of {
		rules = append(rules, s.Rules...)
	}
	return c.With(rules...)
}

// Roles lists the roles of a configuration: the kit's own and those of the
// suites.
func Roles(of []suite.Suite) []roles.Spec {
	known := slices.Clone(roles.Known())
	for _, s := range of {
		known = append(known, s.Roles...)
	}
	return known
}
