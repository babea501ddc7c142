#!/bin/sh
# Checks that run_page rejects a page that is not true: test_run_page.sh DEVS SHOP_LOG
here=$(cd "$(dirname "$0")" && pwd)
devs=$1 shop_log=$2
tree=$(mktemp -d "${TMPDIR:-/tmp}/devs-pages-XXXXXX") || exit 2
trap 'rm -rf "$tree"' EXIT
failed=0

# says EXIT WORDS: run_page exits with this code for the page on standard input, and prints these
# words
says() {
	cat >"$tree/page.md"
	TMPDIR=$tree "$here/run_page" "$devs" "$shop_log" "$tree/page.md" >"$tree/said" 2>&1
	got=$?
	[ "$got" -eq "$1" ] && grep -qF -e "$2" "$tree/said" && return
	echo "FAILED: exit $got, wanted $1 and: $2"
	sed 's/^/    /' "$tree/said"
	failed=$((failed + 1))
}

says 0 'page.md: 3 commands run, 0 not run' <<'END'
```sh
cat >note <<'TEXT'
one
two
TEXT
mkdir deeper && cd deeper
```

```sh
cat ../note; echo 'at 14:02:37'
```

<!-- prints -->
```text
one
...
at 09:00:00
```
END

says 0 '2 not run: it costs money' <<'END'
<!-- not run: it costs money -->
```sh
buy this
buy that
```
END

says 0 '1 not run: no such-a-program-there-is-not here' <<'END'
<!-- needs: such-a-program-there-is-not -->
```sh
such-a-program-there-is-not
```
END

says 1 'exit 1: false' <<'END'
```sh
true
false
```
END

says 0 '2 commands run' <<'END'
<!-- exits: 1 -->
```sh
true
false
```
END

says 1 'wanted exit codes 0 [1], got' <<'END'
<!-- exits: 1 -->
```sh
true
```
END

says 0 '1 commands run' <<'END'
<!-- env: PLACE=$HOME/shop -->
```sh
[ "$PLACE" = "$HOME/shop" ]
```
END

says 1 'is shown, but was not printed: two' <<'END'
```sh
printf 'two\none\n'
```

<!-- prints -->
```text
one
two
```
END

says 1 'did not end: exit 0' <<'END'
```sh
exit 0
```
END

says 1 "the set-up 'false' failed" <<'END'
<!-- first: false -->
```sh
true
```
END

says 1 'this is not JSON' <<'END'
```json
{"a": 1,}
```
END

says 1 '[WRONG_TYPE] /retry_limit: wrong type' <<'END'
```json
{"retry_limit": "many"}
```
END

says 1 "no comment begins with 'nto run'" <<'END'
<!-- nto run: misspelt -->
```sh
true
```
END

says 1 'the block does not end' <<'END'
```sh
true
END
exit "$failed"
