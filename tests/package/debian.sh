#!/bin/sh
# debian.sh DEVS BUILD CMAKE: the Debian package, unpacked and looked at. Installing it on a bare
# machine is scripts/try-package.
source=$(cd "$(dirname "$0")/../.." && pwd)
command -v dpkg-shlibdeps >/dev/null || {
	echo 'skipped: no dpkg-shlibdeps (dpkg-dev)'
	exit 77
}
. "$source/tests/cli/check.sh"
build=$2 cpack=$(dirname "$3")/cpack
unset DEVS_DB

export SOURCE_DATE_EPOCH=1700000000
"$cpack" --config "$build/CPackConfig.cmake" -B "$dir/out" >log 2>&1 || want cpack "$(cat log)" ''
package=$(echo out/*.deb)
field() { dpkg-deb -f "$package" "$1"; }

number=$("$devs" --version | cut -d ' ' -f 2)
want 'its version' "$(field Version)" "$number-1"
want 'that of the changelog' "$(sed -n '1s/devs (\(.*\)) .*/\1/p' "$source/packaging/debian/changelog")" \
	"$number-1"
want 'who maintains it is who signed the changelog' "$(field Maintainer)" \
	"$(sed -n 's/^ -- \(.*>\)  .*/\1/p;' "$source/packaging/debian/changelog" | head -n 1)"
want 'its name' "$package" "out/devs_$number-1_$(dpkg --print-architecture).deb"
for library in libsqlite3-0 libncursesw6 libjansson4 libuv1 libpcre2-8-0; do
	want_in "needs $library" "$(field Depends)" "$library (>="
done
want 'what it can do without' "$(field Recommends)" 'bubblewrap, git'

dpkg-deb -x "$package" root
want 'it runs' "$(root/usr/bin/devs --version)" "$("$devs" --version)"
want 'without its debug information' "$(readelf -SW root/usr/bin/devs | grep -c '\.debug_info')" 0
want 'pages are compressed' "$(cd root/usr/share/man && echo man*/*)" \
	'man1/devs-hand.1.gz man1/devs.1.gz man5/devs-plan.5.gz man5/devs.config.5.gz man7/devs-log.7.gz'
want 'and are pages' "$(zcat root/usr/share/man/man*/*.gz | grep -c '^\.SH SEE ALSO$')" 5
want 'the licence is ours' "$(sed -n '/^License: Expat$/,/^$/p' root/usr/share/doc/devs/copyright |
	sed -n '/^ Permission/,$s/^ //p' | sed 's/^\.$//' | cksum)" \
	"$(sed -n '/^Permission/,$p' "$source/LICENSE" | cksum)"
want 'all is owned by root' "$(dpkg-deb -c "$package" | grep -v ' root/root ')" ''
finish
