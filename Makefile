# Thin: what is built, and how, is CMake's business (CMakePresets.json).

PREFIX ?= /usr/local
DESTDIR ?=
export DESTDIR

.PHONY: all run test bench install pictures coverage tidy lint packages clean

all: packages
	cmake --log-level=WARNING --preset release
	cmake --build --preset release --target devs

packages:
	@scripts/install-packages build

# What fails in the demo (1), or is cancelled in it (130), is no error of make's.
run:
	@scripts/install-packages run
	@$(MAKE) --no-print-directory all
	@build/release/devs run assets/demo/plan.json || case $$? in 1|130) ;; *) exit 1 ;; esac

test:
	@scripts/install-packages test
	@scripts/run-tests dev

bench: all
	@bench/run

pictures: all
	@scripts/make-pictures

install: all
	cmake --install build/release --prefix "$(PREFIX)"

coverage:
	@scripts/install-packages ci
	@scripts/run-tests coverage
	@gcovr --root . --object-directory build/coverage --filter src/ --exclude-throw-branches \
		--print-summary --html-details build/coverage/report.html
	@echo "see build/coverage/report.html"

lint:
	@tests/lint/tidy.sh .

tidy:
	@scripts/install-packages ci
	cmake --preset tidy
	cmake --build --preset tidy -- -k 0

clean:
	rm -rf build
