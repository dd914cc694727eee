# Every target needs only Go, except that the race detector needs a C compiler. Tools are pinned and run through the
# module proxy; go.mod lists none of them.
GOLANGCI_LINT = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.5.0
ACTIONLINT    = github.com/rhysd/actionlint/cmd/actionlint@v1.7.7
KUBEVALIDATE  = sigs.k8s.io/kubectl-validate@v0.0.4
GOVULNCHECK   = golang.org/x/vuln/cmd/govulncheck@v1.1.4

.PHONY: help build check test lint actionlint manifests vet vuln selftest selftest-full bench peer corpus fuzz load waits release clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/mcp-conform
	go build -o bin/mcp-conform ./cmd/mcp-conform

check: ## what has to pass, as CI runs it: format, tidy modules, vet, the built binary, tests with and without the race detector
	bash .ci/run

vet: ## go vet for every system the kit is built for
	go vet ./...
	GOOS=darwin go vet ./...
	GOOS=windows go vet ./...

test: ## run the tests
	go test ./...

lint: ## run the linter (slow the first time)
	go run $(GOLANGCI_LINT) run ./...

actionlint: ## check the workflows, ours and those of the README
	go run $(ACTIONLINT) .github/workflows/*.yml docs/ci/*.yml

manifests: ## judge the Kubernetes manifests by the API's own schema (slow the first time)
	go run $(KUBEVALIDATE) docs/fleet/job.yaml docs/fleet/join.yaml

vuln: ## look for known vulnerabilities in what we build on
	go run $(GOVULNCHECK) ./...

selftest: build ## judge every broken server and print who noticed, and how long it took
	bin/mcp-conform selftest

selftest-full: ## the same with every case, instead of those near the fault (an hour of one processor)
	go test -run '^TestFaultsInWholeRuns$$' -timeout 4h -v ./suites -whole '*'

bench: ## wall time, memory and frames of whole runs, next to a bare client; how long a large report takes to write and to open
	go test -run '^$$' -bench . -benchtime 5x ./suites/... ./reports/...

peer: ## judge three servers with the official suite too (npm fetches it), and write docs/parity.md
	go run ./internal/peer -write

corpus: ## judge the real servers of fixtures/corpus over HTTP (npm and the Go proxy fetch them), and say what is new, gone or changed
	go run ./internal/corpus

FUZZTIME = 20s
FUZZERS  = suites/frame:FuzzRead suites/internal/wire:FuzzLines suites/internal/wire:FuzzEventParser suites/internal/wire:FuzzHead \
	suites/internal/wire:FuzzEndpoint suites/probe:FuzzChallenges suites/config:FuzzParse suites/config:FuzzSplitCommand \
	suites/config/redact:FuzzHide suites/roles:FuzzScan schemas:FuzzCompile reference-server/envelope:FuzzRead \
	reports/jsonfile:FuzzRead cmd/mcp-conform:FuzzFormats

fuzz: ## run each fuzz test for FUZZTIME, 20s; a crasher lands in testdata/fuzz, to be mended and committed as a seed
	@set -e; for each in $(FUZZERS); do \
		echo "$${each%:*} $${each#*:}"; go test -run '^$$' -fuzz "^$${each#*:}\$$" -fuzztime $(FUZZTIME) ./$${each%:*}; done

load: ## judge three servers on a machine that is kept busy, ten times each, and compare with a quiet run (half an hour)
	go run ./internal/load

waits: ## judge servers that leave the kit waiting, over stdio and HTTP, and print how long it took (a quarter of an hour)
	go run ./suites/internal/broken/measure

release: ## build what a release holds into dist/ (VERSION=v1.2.3): archives, npm packages, lists of parts, checksums
	go run ./internal/release -version $(VERSION)

clean: ## remove what was built
	rm -rf bin dist mcp-conform-report
