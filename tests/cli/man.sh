#!/bin/sh
# man.sh DEVS: devs(1) has every command and every key, nothing of it is a request by chance, and
# it is installed beside the program.
devs=$1
cd "$(dirname "$0")/../.." || exit 1
source=$PWD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
page=$dir/devs.1
failed=0

fail() {
	echo "FAILED $*"
	failed=1
}

"$source/scripts/make-man" "$devs" >"$page" 2>"$dir/err" || fail 'make-man ends with an error'
[ ! -s "$dir/err" ] || fail "make-man: $(cat "$dir/err")"

commands=$("$devs" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -gt 20 ] || fail 'devs --help lists its commands'
for command in $commands; do
	grep -qx "\.SS devs $(echo "$command" | sed 's/-/\\\\-/g')" "$page" || fail "no section of $command"
done

want=$(LC_ALL=C XDG_CONFIG_HOME=/nonexistent "$devs" keys | sed '/^$/,$d' | wc -l)
have=$(sed -n '/^\.SH KEYS/,/^\.SH EXIT/p' "$page" | grep -c ' (.*)$')
[ "$want" -gt 50 ] && [ "$want" -eq "$have" ] || fail "$have of $want keys"

bad=$(grep "^[.']" "$page" | grep -vE '^\.(TH|SH|SS|TP|I|B|IR|EX|EE)( |$)')
[ -z "$bad" ] || fail "requests by chance: $bad"
if command -v groff >/dev/null; then
	groff -man -Tascii -ww -z "$page" 2>"$dir/warnings"
	[ ! -s "$dir/warnings" ] || fail "$(cat "$dir/warnings")"
fi
exit $failed
