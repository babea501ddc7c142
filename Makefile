# Thin: what is built, and how, is CMake's business (CMakePresets.json).

PREFIX ?= /usr/local
DESTDIR ?=
export DESTDIR

.PHONY: all run demo-cluster test chaos bench install package pictures coverage mutate sim fuzz tidy lint packages clean

all: packages
	cmake --log-level=WARNING --preset release
	cmake --build --preset release --target devs share

packages:
	@scripts/install-packages build

# What fails in the demo (1), goes in circles (3), or is cancelled (130), is no error of make's.
run:
	@scripts/install-packages run
	@$(MAKE) --no-print-directory all
	@build/release/devs run assets/demo/plan.json || case $$? in 1|3|130) ;; *) exit 1 ;; esac

# The same on a Slurm cluster of four nodes, which ends with the run.
demo-cluster:
	@scripts/install-packages ci
	cmake --log-level=WARNING --preset release
	cmake --build --preset release --target devs devs-hand
	@tests/support/slurm-up run scripts/demo-cluster build/release/devs build/release/devs-hand $(OPTIONS) \
		|| case $$? in 1|3|130) ;; *) exit 1 ;; esac

test:
	@scripts/install-packages test
	@scripts/run-tests dev

# Simulated runs (docs/testing.md), on every core: two minutes, SECONDS=N of them, or SEEDS=N runs.
# Without SEEDS, or with FULL=1, it also fails if something that is to occur did so too seldom.
sim: packages
	cmake --log-level=WARNING --preset release
	cmake --build --preset release --target sim
	build/release/tests/sim/sim \
		$(if $(SEEDS),--seeds $(SEEDS) $(if $(FULL),--full),--seconds $(or $(SECONDS),120) --full)

# kill -9 at random moments (docs/testing.md): ROUNDS (300), SEED.
chaos: all
	@scripts/install-packages ci
	python3 tests/chaos/kill9.py build/release/devs --rounds $(or $(ROUNDS),300) $(if $(SEED),--seed $(SEED))

# Hostile input (docs/testing.md), each fuzzer for SECONDS (5); FUZZERS names some of them.
fuzz:
	@scripts/install-packages ci
	@scripts/fuzz $(or $(SECONDS),5) $(FUZZERS)

# docs/performance.md; NAMES="dispatch log" measures only these.
bench: all
	@bench/run $(NAMES)

# The pictures of README.md and docs/screens.md, from a made-up run.
pictures:
	@scripts/install-packages test
	@$(MAKE) --no-print-directory all
	cmake --build --preset release --target shop_log
	@scripts/make-pictures

install: all
	cmake --install build/release --prefix "$(PREFIX)" --strip

# The Debian package, in build/; the same bytes each time that a commit is packed.
package: all
	@scripts/install-packages package
	cd build/release && SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct || date +%s) cpack -B ..

# Branches of the retry and classification code; fails under 90 %.
coverage:
	@scripts/install-packages ci
	@scripts/coverage

# One small change of the rules at a time: does a test notice? FILES, SAMPLE=N (each Nth),
# AGAIN=1 (what survived last time), MUTATE_MIN (90).
mutate:
	@scripts/install-packages ci
	@scripts/mutate $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(AGAIN),--again) $(FILES)

lint:
	@tests/lint/tidy.sh .

# STATES of a function are looked at (10,000). Each file in a process of its own: the analyzer's check
# of va_list carries state from file to file.
tidy:
	@scripts/install-packages ci
	cmake --log-level=WARNING --preset tidy -DBUILD_TESTING=$(or $(TESTS),ON)
	@sed -n 's/^ *"file": "\(.*\)".*/\1/p' build/tidy/compile_commands.json | \
		grep -v /build/tidy/ | xargs -P "$$(nproc)" -n 1 \
		clang-tidy -p build/tidy --quiet '--warnings-as-errors=*' \
		$(addprefix --extra-arg=,-Xclang -analyzer-config -Xclang max-nodes=$(or $(STATES),10000))

clean:
	rm -rf build
