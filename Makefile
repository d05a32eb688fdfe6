# Two commands matter: `make run` shows the main job on a sample page, `make test`
# passes the tests. Both do their own set-up and say what they do.

GO       ?= go
FUZZTIME ?= 20s
BENCH    ?= .
COUNT    ?= 5
BIN      := bin/proofmark
# What a test of must not be skipped for want of it. The tests' Electron is for Linux on
# x64 alone, and where it cannot be fetched its tests are skipped and say so.
REQUIRE   = env PROOFMARK_REQUIRE_CHROMIUM=1 $$(test -x $(CURDIR)/desktop/.electron/electron && echo PROOFMARK_REQUIRE_ELECTRON=1)

.PHONY: build web desktop shell electron run test unit e2e lint fmt fuzz bench faults load peers fixture soak chromium display clean

build: web
	$(GO) build -trimpath -o $(BIN) ./gateway/cmd/proofmark

# The workbench that the program embeds; installs its packages with npm ci.
web:
	@sh scripts/web.sh

# A sample page in the desktop app where there are an Electron and a display, else in
# a window of Chromium, else in the terminal.
run: chromium build
	@sh scripts/run.sh

# The desktop app as it is installed, as far as it can be built on this machine.
desktop: build shell
	@sh scripts/package.sh

# The desktop's shell.
shell:
	@sh scripts/desktop.sh

# The Electron that tests run; about 200 MB, once.
electron:
	@sh scripts/electron.sh

test: chromium display build shell electron
	cd webui && npm test --silent
	cd desktop && $(REQUIRE) npm test --silent
	$(REQUIRE) $(GO) test -timeout 40m ./...

unit:
	$(GO) test -short ./gateway/... ./bridge/... ./internal/... ./migrations/...

e2e: chromium display build shell electron
	$(REQUIRE) $(GO) test -count=1 -timeout 40m ./e2e/...

# Kill the program at every point of its work, fail every write, and more; about
# an hour on two cores. make test runs a short form.
faults: chromium
	PROOFMARK_REQUIRE_CHROMIUM=1 PROOFMARK_FAULTS=full $(GO) test ./e2e/faults -count=1 -v -timeout 6h

# 200 clients at once for a minute against a running gateway. make test runs a
# short form.
load:
	$(GO) test ./e2e/load -run Load -count=1 -v -timeout 10m -args -for 60s

lint:
	@sh scripts/web.sh packages
	cd webui && npm run --silent check
	@sh scripts/desktop.sh packages
	cd desktop && npm run --silent check
	@bad=$$($(GO) tool gofumpt -l bridge e2e examples gateway internal migrations scripts webui/*.go); \
	if [ -n "$$bad" ]; then echo "gofumpt would change:"; echo "$$bad"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags faults ./gateway/store ./internal/faultpoint
	$(GO) tool staticcheck ./...
	sh scripts/size.sh

fmt:
	$(GO) tool gofumpt -w bridge e2e examples gateway internal migrations webui/*.go

# Every fuzz target of every package, FUZZTIME each.
fuzz:
	sh scripts/fuzz.sh $(FUZZTIME)

# The figures of docs/benchmarks.md: repeat, then medians by benchstat.
bench: chromium peers
	sh scripts/bench.sh '$(BENCH)' $(COUNT)

# The map beside html.Parse and parse5, in one run; installs parse5 with npm ci.
peers:
	sh gateway/htmlsrc/testdata/peers/run.sh

# Ask Chromium again what it makes of the html5lib corpus.
fixture: chromium
	$(GO) test ./gateway/htmlsrc -run TestHTML5Lib -timeout 20m -args -update

# The long runs: a million random documents, a hundred thousand cuts.
soak: chromium
	sh scripts/soak.sh

chromium:
	@sh scripts/chromium.sh

# A screen for tests that open windows.
display:
	@sh scripts/display.sh

clean:
	rm -rf bin webui/static/app webui/node_modules desktop/dist desktop/out desktop/node_modules desktop/.electron
