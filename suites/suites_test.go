package suites_test

import (
	"context"
	"flag"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/extensions/globals"
	"github.com/onsi/gomega"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
)

var target = flag.String("target", "", "command of the server that the Ginkgo suite judges, instead of the reference server")

// TestGinkgo is the Ginkgo suite: ginkgo ./suites, with its filters.
func TestGinkgo(t *testing.T) {
	globals.Reset() // other tests of this package use Ginkgo too
	gomega.RegisterFailHandler(ginkgo.Fail)
	plan := suites.Plan{Seed: 1}
	if *target == "" {
		plan.Config, plan.Local = proof.Config(t), inprocess.Server(nil)
		plan.Config.Transport = config.HTTP
	} else {
		plan.Config = config.Default()
		plan.Config.Target.Command = strings.Fields(*target)
	}
	// The specs outlive the function that builds their tree.
	if err := suites.Register(context.WithoutCancel(t.Context()), plan); err != nil {
		t.Fatal(err)
	}
	specs := 0
	ginkgo.ReportAfterEach(func(ginkgo.SpecReport) { specs++ })
	ginkgo.RunSpecs(t, "mcp-conform")
	if specs == 0 {
		t.Error("the suite has no specs")
	}
}

// TestRun uses the kit inside go test as the author of a server does.
func TestRun(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2)}
	suites.Run(t, suites.Plan{Config: config.Default(), Local: &suites.Local{Serve: server.Serve}})
}
