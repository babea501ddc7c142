#!/bin/sh
# install.sh DEVS BUILD CMAKE: what is installed, and where.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/cli/check.sh"
build=$2 cmake=$3
unset DEVS_DB

# install_to PREFIX: below $dir/root
install_to() {
	rm -rf root
	DESTDIR="$dir/root" "$cmake" --install "$build" --prefix "$1" --strip >log 2>&1 ||
		want "install to $1" "$(cat log)" ''
}

has() { [ -f "root$1" ] && passed=$((passed + 1)) || want "$1" missing there; }

install_to /opt/tools
want 'all of it is below the prefix' "$(ls -A root) $(ls -A root/opt)" 'opt tools'
for file in bin/devs bin/devs-hand share/man/man1/devs.1 share/man/man1/devs-hand.1 share/man/man5/devs.config.5 \
	share/man/man5/devs-plan.5 share/man/man7/devs-log.7 \
	share/bash-completion/completions/devs share/fish/vendor_completions.d/devs.fish \
	share/zsh/site-functions/_devs share/doc/devs/README.md share/doc/devs/CHANGELOG.md \
	share/doc/devs/copyright share/doc/devs/docs/tour.md share/doc/devs/docs/pictures/tasks.svg \
	share/doc/devs/examples/demo/plan.json share/doc/devs/examples/starter-plan.json; do
	has "/opt/tools/$file"
done
installed=root/opt/tools/bin/devs
want 'it runs' "$($installed --version)" "$("$devs" --version)"
want 'what Tab asks in bash' "$("$devs" completion bash)" \
	"$(cat root/opt/tools/share/bash-completion/completions/devs)"
want 'nothing else may be written' "$(find root -perm /022 ! -type l)" ''

# Links between the pages that are installed lead to pages that are installed.
cd root/opt/tools/share/doc/devs || exit 1
for page in README.md docs/*.md; do
	for to in $(grep -o '](\([^)#]*\)' "$page" | sed 's/](//; /^http/d' | sort -u); do
		[ -e "$(dirname "$page")/$to" ] || want "$page" "a link to $to" 'none that is dead'
	done
done
cd "$dir" || exit 1

install_to /usr
has /usr/share/zsh/vendor-completions/_devs
finish
