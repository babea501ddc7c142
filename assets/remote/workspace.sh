# The workspace of a task on another machine. devs sends this script with ssh and reads its answer:
#
#   sh -c SCRIPT devs OP DIR CACHE RUN TASK FORMAT BASE NAME EMAIL IGNORED [STEP] [BYTES] [TREE]
#
# DIR/cache/CACHE.git    a bare repository with the objects of a user's repository. A ref
#                        refs/devs/base/COMMIT exists if all objects of COMMIT are there.
# DIR/work/RUN/TASK/     tree: the worktree; git: our own repository, for all commands on the tree;
#                        admin: a link to git's folder of the worktree; snapshots/STEP: copies of
#                        the tree and of that folder
#
# An attempt may have changed everything in the cache and in the tree. So commands that read files
# of the tree use our own repository, whose configuration is written each time: no hook, filter or
# setting that an attempt has left has an effect. A login shell may print text of its own: the
# answer begins with the line "@devs-workspace 1".
set -u
LC_ALL=C
export LC_ALL
op=$1 dir=$2 cache=$3 run=$4 task=$5 format=$6 base=$7 name=$8 email=$9
shift 9
ignored=$1 step=${2-0} bytes_max=${3-0} known=${4-}
# shellcheck disable=SC2088 # a leading ~/ is expanded here, and not by a shell
case $dir in "~/"*) dir=${HOME:?}/${dir#"~/"} ;; esac
LACKS=20 GONE=21 LARGE=22 BLOCKED=23

fail() {
  code=$1
  shift
  printf '%s\n' "$*" >&2
  exit "$code"
}

for program in git flock; do
  command -v $program >/dev/null || fail 1 "$program is not installed there"
done

# Runs git without the settings of the machine and of the login.
clean_git() {
  env -i PATH="$PATH" HOME="${HOME:-/}" LC_ALL=C GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null \
    GIT_ATTR_NOSYSTEM=1 GIT_NO_REPLACE_OBJECTS=1 GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none \
    GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0 GIT_EDITOR=false GIT_PAGER=cat GIT_ASKPASS=false \
    GIT_AUTHOR_NAME=devs GIT_AUTHOR_EMAIL=devs@localhost \
    GIT_COMMITTER_NAME=devs GIT_COMMITTER_EMAIL=devs@localhost ${index:+GIT_INDEX_FILE="$index"} \
    git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.attributesFile=/dev/null \
    -c core.excludesFile=/dev/null -c gc.auto=0 -c maintenance.auto=false -c core.commitGraph=false "$@"
}
index=

in_cache() { clean_git --git-dir="$cache" "$@"; }
# Runs git on the tree, with the index file $1.
with_index() {
  index=$1
  shift
  clean_git --git-dir="$work/git" --work-tree="$work/tree" "$@"
  code=$?
  index=
  return $code
}
in_tree() { with_index "$work/index" "$@"; }

# Removes a folder, including folders in it that lack permissions.
remove() {
  [ -e "$1" ] || [ -L "$1" ] || return 0
  rm -rf "$1" 2>/dev/null && return 0
  find "$1" -type d ! -perm -700 -exec chmod u+rwx {} \;
  rm -rf "$1"
}

copy() { cp -a --reflink=auto "$1" "$2" 2>/dev/null || { remove "$2"; cp -a "$1" "$2"; }; }

# Only a request that makes the workspace makes its folder: another one may arrive late, from a devs
# that was killed, when the workspace has already been removed.
open_work() {
  work=$dir/work/$run/$task
  while :; do
    case $op in
      make | ship) (umask 077 && mkdir -p "$dir/cache" "$work") || exit 1 ;;
      drop) [ -d "$work" ] || exit 0 ;;
      *) [ -d "$work" ] || fail $GONE "$work is gone" ;;
    esac
    exec 9>"$work/lock" || exit 1
    flock -w 600 9 || fail 1 "another devs uses $work"
    [ "$work/lock" -ef /proc/self/fd/9 ] && break # otherwise it was removed meanwhile
  done
  dir=$(cd -P "$dir" && pwd) || exit 1
  cache=$dir/cache/$cache.git work=$dir/work/$run/$task
  admin=$(readlink "$work/admin")
  case $admin in */../* | */..) admin= ;; "$cache"/worktrees/*/*) admin= ;; "$cache"/worktrees/?*) ;; *) admin= ;; esac
}

want_tree() {
  [ -d "$work/tree" ] && [ ! -L "$work/tree" ] && [ -n "$admin" ] || fail $GONE "$work/tree is gone"
}

lock_cache() {
  exec 8>"$dir/cache/lock" || exit 1
  flock -w 600 8 || fail 1 "another devs uses $dir/cache"
}

make_cache() {
  [ -e "$cache/HEAD" ] && return
  remove "$cache.new"
  clean_git init -q --bare --template= --object-format="$format" "$cache.new" || exit 1
  mv "$cache.new" "$cache" || exit 1
}

# Returns whether the cache has all objects of the base.
has_base() {
  in_cache show-ref --verify -q "refs/devs/base/$base" && return
  in_cache cat-file -e "$base^{commit}" 2>/dev/null &&
    [ -n "$(in_cache for-each-ref --count=1 --contains "$base" refs/devs/base/ 2>/dev/null)" ] &&
    in_cache update-ref "refs/devs/base/$base" "$base"
}

# Takes the bundle on stdin: its header, then its pack.
take_bundle() {
  found=
  while IFS= read -r line && [ -n "$line" ]; do
    case $line in
      "# v2 git bundle" | "# v3 git bundle" | "@"* | "-"*) ;;
      "$base refs/"*) found=1 ;;
      *) fail 1 "unexpected line in the bundle" ;;
    esac
  done
  [ -n "$found" ] || fail 1 "the bundle is incomplete"
  find "$cache/objects/pack" -name 'tmp_*' -mmin +60 -exec rm -f {} + 2>/dev/null
  in_cache index-pack --stdin --fix-thin >/dev/null || exit 1
  in_cache update-ref "refs/devs/base/$base" "$base" || exit 1
}

# Our own repository: borrows the objects of the cache, and has only our settings.
write_own() {
  own=$work/git
  (umask 077 && mkdir -p "$own/info" "$own/objects/info" "$own/refs") || exit 1
  version=0 extension=
  [ "$format" = sha1 ] || version=1 extension="[extensions]
	objectFormat = $format"
  {
    printf '[core]\n\tbare = false\n\trepositoryFormatVersion = %s\n' $version
    printf '\tlogAllRefUpdates = false\n\tuntrackedCache = false\n\tsplitIndex = false\n'
    printf '[commit]\n\tgpgSign = false\n[submodule]\n\trecurse = false\n[index]\n\tsparse = false\n'
    printf '[advice]\n\taddEmbeddedRepo = false\n%s\n' "$extension"
  } >"$own/config.new" && mv -f "$own/config.new" "$own/config" &&
    printf 'ref: refs/heads/none\n' >"$own/HEAD" &&
    printf '%s\n' "$cache/objects" >"$own/objects/info/alternates" &&
    printf '%s' "$ignored" >"$own/info/exclude" || exit 1
}

drop_tree() {
  [ -n "$admin" ] && remove "$admin"
  for part in admin snapshots index tree trash git; do
    remove "$work/$part" || exit 1
  done
}

# Removes what other runs have left here and did not use for 30 days.
prune() {
  find "$dir/work" -mindepth 2 -maxdepth 2 -type d -mtime +30 ! -path "$work" 2>/dev/null |
    while IFS= read -r old; do
      link=$(readlink "$old/admin")
      case $link in */../* | */..) ;; "$dir"/cache/*.git/worktrees/*/*) ;; "$dir"/cache/*.git/worktrees/?*) remove "$link" ;; esac
      remove "$old"
      rmdir "$(dirname "$old")" 2>/dev/null
    done
}

make() {
  lock_cache
  make_cache
  [ "$1" = ship ] && ! has_base && take_bundle
  if ! has_base; then
    printf '@devs-workspace 1\n'
    in_cache for-each-ref --sort=-committerdate --count=64 --format='have %(objectname)' refs/devs/base/
    printf '\n'
    exit $LACKS
  fi
  prune
  drop_tree
  write_own
  mkdir -p "$cache/info" && printf '%s' "$ignored" >"$cache/info/exclude" || exit 1
  [ -z "$name" ] || { in_cache config user.name "$name" && in_cache config user.email "$email"; } || exit 1
  clean_git --git-dir="$cache" worktree add -q -f --no-checkout --detach "$work/tree" "$base" || exit 1
  admin=$(clean_git -C "$work/tree" rev-parse --absolute-git-dir) || exit 1
  case $admin in "$cache"/worktrees/?*) ;; *) fail 1 "unexpected worktree folder" ;; esac
  ln -s "$admin" "$work/admin" || exit 1
  exec 8>&-
  with_index "$admin/index" read-tree --reset -u "$base" || exit 1
  printf '@devs-workspace 1\npath %s\n\n' "$work/tree"
}

# Reads the tree: sets `head`, `tree`, `files` and `bytes`, and writes the names of nested
# repositories, which are left out, to the file `left`.
read_tree() {
  want_tree
  write_own
  cd "$work/tree" || exit 1
  head=$(clean_git --git-dir="$admin" rev-parse --verify -q 'HEAD^{commit}') || head=$base
  blocker=$(find . \( -name .gitignore -o -name .gitattributes -o -name .gitmodules -o -name HEAD \
    -o -name commondir -o -name .git \) ! -type f ! -type d \
    \( ! -type l -o -exec test -e {} \; ! -exec test -f {} \; ! -exec test -d {} \; \) -print | head -n 1)
  [ -z "$blocker" ] || fail $BLOCKED "'$blocker' is not a file: git would wait for it"
  rm -f "$work/index.lock"
  in_tree read-tree -m "$head" 2>/dev/null || { rm -f "$work/index" && in_tree read-tree "$head"; } || exit 1
  in_tree ls-files -s | sed -n 's/^160000 [0-9a-f]* [0-3]	//p' |
    in_tree update-index --force-remove --stdin || exit 1
  find . -mindepth 2 -name .git -prune -exec sh -c '
    for path; do path=${path%/.git}; printf "%s\n" "${path#./}"; done' sh {} + >"$work/left" || exit 1
  {
    printf '.\0'
    find . -mindepth 2 -name .git -prune -exec sh -c '
      for path; do path=${path%/.git}; printf ":(exclude,literal)%s\0" "${path#./}"; done' sh {} +
  } | in_tree add -A --pathspec-from-file=- --pathspec-file-nul || exit 1
  tree=$(in_tree write-tree) || exit 1
  files=$(find . -name .git -prune -o -type f -print | wc -l)
  kib=$(du -sk . | cut -f 1)
}

tell_tree() {
  printf '@devs-workspace 1\nhead %s\ntree %s\nfiles %s\nkib %s\n' "$head" "$tree" "$files" "$kib"
}

save() {
  want_tree
  kib=$(du -sk "$work/tree" | cut -f 1)
  if [ "$kib" -gt $((bytes_max / 1024)) ]; then
    fail $LARGE "the workspace holds $kib KiB, but a snapshot holds $((bytes_max / 1024)) KiB at most"
  fi
  new=$work/snapshots/new
  remove "$new" && mkdir -p "$new" && copy "$work/tree" "$new/tree" && copy "$admin" "$new/admin" || exit 1
  remove "$work/snapshots/$step" && mv "$new" "$work/snapshots/$step" || exit 1
  read_tree
  tell_tree
  printf '\n'
}

# Restores the snapshot as a whole: what is left of the old tree cannot have an effect.
reset() {
  old=$work/snapshots/$step
  [ -d "$old/tree" ] && [ -n "$admin" ] || fail $GONE "$old is gone"
  changed=$(read_tree 2>/dev/null; printf '%s' "${tree-}") || changed=
  remove "$work/trash" || exit 1
  [ ! -e "$work/tree" ] || mv "$work/tree" "$work/trash" || exit 1
  copy "$old/tree" "$work/tree" && remove "$admin" && mkdir -p "$cache/worktrees" &&
    copy "$old/admin" "$admin" || exit 1
  remove "$work/trash"
  read_tree
  if [ -n "$changed" ]; then
    changed=$(in_tree diff-tree -r --name-only "$changed" "$tree" 2>/dev/null | wc -l)
  else # the old tree could not be read: all of it was replaced
    changed=$(in_tree ls-tree -r --name-only "$tree" | wc -l)
  fi
  tell_tree
  printf 'changed %s\n\n' "$changed"
}

# Sends what has changed since the tree that is known: the number of paths, then the paths, the
# numbers of lines, and a diff. Each list ends with an empty item, also if it is cut.
changes() {
  read_tree
  tell_tree
  printf 'changed %s\n\n' "$(in_tree diff-tree -r --no-renames --name-only "$known" "$tree" | wc -l)"
  for form in --raw --numstat; do
    in_tree diff-tree -r -z --no-renames $form "$known" "$tree" | head -c 1000000
    printf '\0\0'
  done
  in_tree diff-tree -r -p --no-renames --no-color --no-ext-diff --no-textconv --full-index \
    --src-prefix=a/ --dst-prefix=b/ "$known" "$tree" | head -c "$bytes_max"
}

# Sends the tree and the task's own commits as a bundle, under a commit that devs replaces.
keep() {
  read_tree
  commit=$(in_tree commit-tree "$tree" -p "$head" -m result) || exit 1
  in_tree update-ref refs/devs/result "$commit" || exit 1
  tell_tree
  sed 's/^/left /' "$work/left" | head -n 1000
  printf '\n'
  in_tree bundle create -q - refs/devs/result "^$base" || exit 1
}

open_work
touch -c "$work"
case $op in
  make | ship) make "$op" ;;
  save) save ;;
  reset) reset ;;
  look)
    read_tree
    tell_tree
    printf '\n'
    ;;
  changes) changes ;;
  keep) keep ;;
  drop)
    lock_cache
    drop_tree
    remove "$work"
    rmdir "$dir/work/$run" "$dir/work" 2>/dev/null
    exit 0
    ;;
  *) fail 1 "unknown request $op" ;;
esac
