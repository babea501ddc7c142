#!/bin/sh
# man.sh DEVS: the manual pages: what is in them, nothing of it is a request by chance, and those who
# read such pages have nothing to say against them.
devs=$1
cd "$(dirname "$0")/../.." || exit 1
source=$PWD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
failed=0
pages='devs.1 devs-hand.1 devs.config.5 devs-plan.5 devs-log.7'

fail() {
	echo "FAILED $*"
	failed=1
}

for page in $pages; do
	"$source/scripts/make-man" "$devs" "$page" >"$dir/$page" 2>"$dir/err" ||
		fail "make-man $page ends with an error"
	[ ! -s "$dir/err" ] || fail "make-man $page: $(cat "$dir/err")"
	bad=$(grep "^[.']" "$dir/$page" | grep -vE '^\.(TH|SH|SS|TP|IP|PP|I|B|IR|BR|EX|EE|RS|RE|br|nr HY|nh|ad|PD)( |$)')
	[ -z "$bad" ] || fail "$page: requests by chance: $bad"
	for part in NAME DESCRIPTION 'SEE ALSO'; do
		grep -qx "\.SH $part" "$dir/$page" || fail "$page has no $part"
	done
	if command -v groff >/dev/null; then
		groff -man -Kutf8 -Tutf8 -ww -z "$dir/$page" 2>"$dir/warnings"
		[ ! -s "$dir/warnings" ] || fail "$(cat "$dir/warnings")"
		# An item of a list begins with a dot that is not one byte.
		wide=$(groff -man -Kutf8 -Tascii -rLL=80n -P-cbou "$dir/$page" | awk 'length > 80')
		[ -z "$wide" ] || fail "$page: wider than a terminal: $wide"
		divided=$(groff -man -Kutf8 -Tutf8 -rLL=60n -P-cbou "$dir/$page" | grep '‐$')
		[ -z "$divided" ] || fail "$page: words that are divided: $divided"
	fi
	if command -v mandoc >/dev/null; then
		mandoc -Tlint -Wwarning "$dir/$page" >"$dir/warnings" || fail "$(cat "$dir/warnings")"
	fi
	if command -v lexgrog >/dev/null; then
		lexgrog "$dir/$page" | grep -q "\"${page%.*} - " || fail "$page: whatis knows no words"
	fi
done

# --- devs.1
for part in SYNOPSIS COMMANDS KEYS 'EXIT STATUS' ENVIRONMENT FILES EXAMPLES BUGS; do
	grep -qx "\.SH $part" "$dir/devs.1" || fail "devs.1 has no $part"
done
commands=$("$devs" help all | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -gt 20 ] || fail 'devs help all lists its commands'
for command in $commands; do
	grep -qx "\.SS \"devs $(echo "$command" | sed 's/-/\\\\-/g')\"" "$dir/devs.1" ||
		fail "no section of $command"
done
for option in jobs what-if older; do
	grep -q "^\.B \".*\\\\-\\\\-$(echo $option | sed 's/-/\\\\-/g')[ \"]" "$dir/devs.1" ||
		fail "no --$option"
done
want=$(LC_ALL=C XDG_CONFIG_HOME=/nonexistent "$devs" keys | sed '/^$/,$d' | wc -l)
have=$(sed -n '/^\.SH KEYS/,/^\.SH EXIT/p' "$dir/devs.1" | grep -c '^[a-z].*: .*(.*)$')
[ "$want" -gt 50 ] && [ "$want" -eq "$have" ] || fail "$have of $want keys"
for code in 0 4 75 130; do
	sed -n '/^\.SH EXIT/,/^\.SH ENV/p' "$dir/devs.1" | grep -qx "\.B $code" || fail "no exit code $code"
done

# --- the others: what their sources say last
grep -q '^\\fBpolicies.NAME.max_attempts\\fR$' "$dir/devs.config.5" || fail 'devs.config.5: keys'
[ "$("$devs" validate --schema config --words | grep -c '^[^ ]')" -eq \
	"$(sed -n '/^\.SH KEYS/,/^\.SH FILES/p' "$dir/devs.config.5" | grep -c '^\.TP$')" ] ||
	fail 'devs.config.5 has not every key'
grep -q '^\\fBneeds\\fR$' "$dir/devs-plan.5" || fail 'devs-plan.5: keys of a task'
grep -q '^\\fBbase_delay_ms\\fR$' "$dir/devs-plan.5" || fail 'devs-plan.5: fields of a policy'
grep -q '^SELECT' "$dir/devs-log.7" || fail 'devs-log.7: queries'
grep -qE '\]\(|^\||^```|\*\*' "$dir"/devs-*.[57] && fail 'marks of the source are left'

# --- how a page is turned into one
cat >"$dir/page.md" <<'END'
# Title

A `co-de\x` and **bold**, a [link](x.md#y) and [site](https://e.org).
.dot

## A heading

- one
  more
- two

```sh
.EX \n
```

| key | value | means |
| --- | --- | --- |
| `a\|b` | 1 | words |

Next: [Other](other.md)
END
cat >"$dir/wanted" <<'END'
A \fBco\-de\ex\fR and \fBbold\fR, a link and site (https://e.org). .dot
.SH "A HEADING"
.IP "\(bu" 4
one more
.IP "\(bu" 4
two
.PP
.RS 4
.EX
\&.EX \en
.EE
.RE
.TP
\fBa|b\fR
value: 1.
.br
words
END
scripts/md-to-man "$dir/page.md" >"$dir/got"
diff "$dir/wanted" "$dir/got" || fail 'md-to-man'
exit $failed
