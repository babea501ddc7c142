#!/bin/sh
# Checks the mutants that scripts/mutate makes: each kind once, none where it would be noise.
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 >/dev/null || {
	echo "skipped: python3 is not installed"
	exit 77
}
tree=$(mktemp -d "${TMPDIR:-/tmp}/devs-mutants-XXXXXX") || exit 2
trap 'rm -rf "$tree"' EXIT
failed=0

# mutants: prints those of the C code on standard input, one per line.
mutants() {
	cat >"$tree/code.c"
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$here/../../scripts" python3 - "$tree/code.c" <<-'SCRIPT'
		import sys, mutants
		text = open(sys.argv[1]).read()
		for m in mutants.Mutator("code.c", text, mutants.find_enums([text])).mutants():
		    assert m.apply(text).count("\n") == text.count("\n")
		    print(f"{m.function or '-'}: {m.change}")
	SCRIPT
}

# gives NAME: the code in $1 has exactly the mutants on standard input, in this order.
gives() {
	cat >"$tree/want"
	printf '%s\n' "$1" | mutants >"$tree/got"
	diff -u "$tree/want" "$tree/got" && return
	echo "FAILED: $1"
	failed=$((failed + 1))
}

gives 'enum { MAX = 3 };' <<'END'
-: 3 -> 2
-: 3 -> 4
END

gives 'bool f(int a) { return a < 0; }' <<'END'
f: a < 0 -> !(a < 0)
f: < -> <=
f: < -> >=
f: 0 -> 1
END

gives 'void f(struct x *p) { if (p->on && !p->off) p->n += 2; else stop(p); }' <<'END'
f: && -> ||
f: ! -> nothing
f: p->n += 2 -> nothing
f: += -> -=
f: 2 -> 1
f: 2 -> 3
f: stop(p) -> nothing
END

gives 'static int *f(int a) { if (a) return NULL; for (;; a++) go(-a); return ask(a) ? x : y; }' <<'END'
f: a -> !(a)
f: ++ -> --
f: go(-a) -> nothing
f: ask(a) ? x : y -> NULL
f: x : y -> y : x
END

gives 'enum end { END_GOOD, END_BAD, END_COUNT }; int f(void) { out->end = END_BAD; return END_GOOD; }' <<'END'
-: END_GOOD -> END_BAD
-: END_BAD -> END_GOOD
f: out->end = END_BAD -> nothing
f: END_BAD -> END_GOOD
f: END_GOOD -> END_BAD
END

# The same change in an identical line of the function gets another number.
gives 'void f(void) {
go(1);
go(1);
}' <<'END'
f: go(1) -> nothing
f: 1 -> 0
f: 1 -> 2
f: go(1) -> nothing (2)
f: 1 -> 0 (2)
f: 1 -> 2 (2)
END

# Assertions, comments, strings, directives and code that only frees are left alone.
gives '#define MAX 3
/* a == b */ // 1
static_assert(MAX == 3, "3");
void f(void) { assert(a == 1); free(x); str_done(&s); const char *t = "1 == 1"; (void)t; }' </dev/null

exit "$failed"
