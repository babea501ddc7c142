#!/bin/sh
# version.sh DEVS CMAKE: which version and commit a build of devs says it is.
script=$(cd "$(dirname "$0")/../.." && pwd)/cmake/write_version.cmake
. "$(dirname "$0")/check.sh"
cmake=$2

write() { "$cmake" -DSOURCE="$dir/source" -DVERSION=1.2.3 -DFILE="$dir/version.c" -P "$script"; }
text() { sed -n 's/.*return "\(.*\)";/\1/p' "$dir/version.c"; }

version=$("$devs" --version)
want 'one line' "$(echo "$version" | grep -cE '^devs [0-9]+\.[0-9]+\.[0-9]+( \([0-9a-f]{7}\+?\))?$')" 1
want 'a letter for it' "$("$devs" -V)" "$version"

mkdir source && echo one >source/file
write
want 'no checkout: the version only' "$(text)" 1.2.3

git -C source init -q
write
want 'no commit yet' "$(text)" 1.2.3

commit() { git -C source -c user.name=Ann -c user.email=ann@example.org commit -q -a -m "$1"; }
git -C source add file && commit one
head=$(git -C source rev-parse HEAD | cut -c 1-7)
write
want 'the commit' "$(text)" "1.2.3 ($head)"
touch -d 2020-01-01 version.c && write
want 'nothing new: not written again' "$(date -r version.c +%Y)" 2020
GIT_DIR=/nonexistent write
want "a hook's own variables" "$(text)" "1.2.3 ($head)"

echo untracked >source/other && write
want 'a file that git does not know' "$(text)" "1.2.3 ($head)"
echo two >source/file && write
want 'changed' "$(text)" "1.2.3 ($head+)"
git -C source add file && write
want 'changed, and staged' "$(text)" "1.2.3 ($head+)"
commit two && write
want 'the next commit' "$(text)" "1.2.3 ($(git -C source rev-parse HEAD | cut -c 1-7))"

mkdir source/tarball
"$cmake" -DSOURCE="$dir/source/tarball" -DVERSION=1.2.3 -DFILE="$dir/version.c" -P "$script"
want 'a tarball unpacked in somebody'"'"'s checkout' "$(text)" 1.2.3
finish
