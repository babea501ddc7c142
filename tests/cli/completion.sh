#!/bin/sh
# completion.sh DEVS: what Tab offers, in the shells themselves.
source=$(cd "$(dirname "$0")" && pwd)
. "$source/check.sh"
unset DEVS_DB
PATH="$(cd "$(dirname "$devs")" && pwd):$PATH"
export XDG_STATE_HOME="$dir/state" HOME="$dir"

mkdir project files && cd project || exit 1
cat >plan.json <<'END'
{"version": 1, "name": "lamps", "tasks": [
 {"id": "tax", "title": "Round tax: half to 'even'", "steps": [{"phase": "RED", "run": ["true"]}]},
 {"id": "total", "steps": [{"phase": "RED", "run": ["true"]}]}]}
END
for shell in bash zsh fish; do
	devs completion $shell >"$dir/files/devs.$shell" || want "$shell" 1 0
done
mv "$dir/files/devs.zsh" "$dir/files/_devs"
want 'no log: nothing, and no complaint' "$(devs completion --list target 2>&1)" ''
want 'and no log is made' "$(ls -A)" plan.json
devs exec -- true
devs run --plain plan.json >/dev/null 2>&1

tab=$(printf '\t')
want 'runs, newest first' "$(devs completion --list run)" "2${tab}lamps
1${tab}exec"
want 'those that begin so' "$(devs completion --list run 1)" "1${tab}exec"
want 'runs to go on with: none is unfinished' "$(devs completion --list unfinished)" \
	"last${tab}the newest unfinished run"
want 'tasks of a run' "$(devs completion --list target 2/)" "2/tax${tab}Round tax: half to 'even'
2/total${tab}"
want 'of no run' "$(devs completion --list target 7/)$(devs completion --list target x/)" ''
cat >"$dir/other plan.json" <<'END'
{"version": 1, "tasks": [{"id": "roof", "title": "Mend it"}, {"id": "road"}, {"steps": 3}]}
END
want 'tasks of the plan that the line names, good or not' \
	"$(devs completion --list plan_task -- ro run "$dir/other plan.json" --only ro)" \
	"roof${tab}Mend it
road${tab}"
want 'of the plan of devs init, where it names none' \
	"$(devs completion --list plan_task -- to run --only to)" "total${tab}"
cp "$dir/other plan.json" own.json
want 'of a plan that is not there' "$(devs completion --list plan_task -- '' run no.json 2>&1)" ''
want_in 'policies' "$(devs completion --list policy d)" 'default'
echo '{"policies": {"slow": {"like": "default"}}}' >devs.config.json
want_in 'policies of the project' "$(devs completion --list policy slo)" 'slow'
echo '{"agents": {"mine": {"program": "sh"}}}' >devs.config.json
want 'an agent of settings that nobody has trusted' "$(devs completion --list agent mi)" ''
trust
want_in 'and of trusted ones' "$(devs completion --list agent mi)" 'mine'
devs trust --revoke >/dev/null
echo '{' >devs.config.json
want 'settings with a mistake' "$(devs completion --list policy 2>&1)" ''
rm devs.config.json
devs completion --list nonsense >/dev/null 2>&1
want 'no such list' $? 2
devs completion tcsh 2>"$dir/err"
want 'no such shell' $? 2
want_in 'which there are' "$(cat "$dir/err")" 'bash, zsh or fish'

# Names that strangers wrote: Tab never inserts what a shell would interpret.
mkdir "$dir/hostile" && cd "$dir/hostile" || exit 1
pwn='touch${IFS}PWNTAB'
cat >plan.json <<END
{"version": 1, "tasks": [{"id": "\$($pwn)", "title": "t"}, {"id": "\`$pwn\`"}, {"id": "t;$pwn"},
 {"id": "t\\u000a\$($pwn)"}, {"id": "t|$pwn"}, {"id": "t&$pwn"}, {"id": "t>PWNTAB"}, {"id": "~t"},
 {"id": "t*"}, {"id": "-t"}, {"id": "t t"}, {"id": "t\\u0009u"}, {"id": "t'"}, {"id": "t\\""},
 {"id": "t\\u202eu"}, {"id": "t!!"}, {"id": "{t,u}"}, {"id": "t#"}, {"id": "../t"}, {"id": ""},
 {"id": "tidy", "title": "one\\u000a\$($pwn)\\u000dtwo\\u0009three"}]}
END
want 'hostile ids: only good ones' "$(devs completion --list plan_task -- '' run --only '')" \
	"tidy${tab}one two     three"
cat >devs.config.json <<END
{"policies": {"\$($pwn)": {"like": "default"}, "a b": {"like": "default"}},
 "agents": {"\`$pwn\`": {"program": "x"}, "a;b": {"program": "x"}}}
END
for list in policy agent run target run_task task unfinished plan_task; do
	devs completion --list $list -- '' run --only '' >"$dir/offered" 2>&1
	want "hostile names: $list" "$(cut -f1 "$dir/offered" | grep -vcE '^[A-Za-z0-9][A-Za-z0-9._/-]*$')" 0
done
rm devs.config.json
devs exec -- true
for list in run target; do
	want "names of a log: $list" "$(devs completion --list $list | cut -f1 | head -1)" 1
done
cd ../project || exit 1

# What is offered of fixed lists is taken.
for view in $(sed -n "s/^ *view) words='\\(.*\\)' ;;/\\1/p" "$dir/files/devs.bash"); do
	devs debug --logs 1 --frame 80x24 --view "$view" >/dev/null 2>&1
	want "view $view" $? 0
done
for format in $(sed -n "s/^ *format) words='\\(.*\\)' ;;/\\1/p" "$dir/files/devs.bash"); do
	devs export 1 --format "$format" -y -o "$dir/run.$format" >/dev/null 2>&1
	want "format $format" $? 0
done
for schema in $(sed -n "s/^ *schema) words='\\(.*\\)' ;;/\\1/p" "$dir/files/devs.bash"); do
	devs validate --schema "$schema" >/dev/null 2>&1
	want "schema $schema" $? 0
done

# in_bash LINE: its words; the last one is where Tab is pressed. compopt works in a terminal alone.
in_bash() {
	bash --norc -c '
		source "$0"
		compopt() { :; }
		read -ra COMP_WORDS <<<"$1"
		[[ $1 != *" " ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_devs devs
		printf "%s\n" "${COMPREPLY[@]}"' "$dir/files/devs.bash" "$1"
}
in_zsh() {
	sed -n "/^== $(echo "$1" | sed 's/[\/\\]/\\&/g')\$/,/^== /{/^== /d;p;}" "$dir/zsh"
}
in_fish() {
	fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$dir/files/devs.fish" "$1" |
		sed "s/$tab.*//"
}

# offers SHELL LINE WORD...: these words and no others, in any order
offers() {
	shell=$1 line=$2
	shift 2
	want "$shell: $line" "$(in_$shell "$line" | sort | xargs)" "$(printf '%s\n' "$@" | sort | xargs)"
}

check_shell() {
	command -v "$1" >/dev/null || { echo "$1 is not installed: not tried"; return; }
	[ "$1" != zsh ] || zsh -f "$source/completion.zsh" "$dir/files" 'devs st' 'devs run pl' \
		'devs why 2/t' 'devs correct tax NET' 'devs export --format p' 'devs exec --phase R' \
		'devs log --try ' 'devs run --pl' 'devs cancel to' 'devs run own.json --only ' \
		'devs run --only t' 'devs trust --re' 'devs help re' \
		'devs replay 2/t' 'devs what-if pl' >"$dir/zsh" 2>&1
	offers "$1" 'devs st' status
	offers "$1" 'devs run pl' plan.json
	offers "$1" 'devs why 2/t' 2/tax 2/total
	offers "$1" 'devs correct tax NET' NETWORK_TIMEOUT
	offers "$1" 'devs export --format p' perfetto
	offers "$1" 'devs exec --phase R' RED REFACTOR
	offers "$1" 'devs log --try '
	offers "$1" 'devs run --pl' --plain
	offers "$1" 'devs cancel to' total
	offers "$1" 'devs run own.json --only ' roof road
	offers "$1" 'devs run --only t' tax total
	offers "$1" 'devs trust --re' --revoke
	offers "$1" 'devs help re' release replay retry
	offers "$1" 'devs replay 2/t' 2/tax 2/total
	offers "$1" 'devs what-if pl' plan.json
}
cd "$dir/hostile" || exit 1
want 'bash: hostile ids' "$(in_bash 'devs run --only ')" tidy
if command -v fish >/dev/null; then
	want 'fish: hostile ids' "$(in_fish 'devs run --only ')" tidy
fi
if command -v zsh >/dev/null; then
	zsh -f "$source/completion.zsh" "$dir/files" 'devs run --only ' >"$dir/zsh" 2>&1
	want 'zsh: hostile ids' "$(in_zsh 'devs run --only ')" tidy
fi
want 'nothing of it was run' "$(ls)" plan.json
cd ../project || exit 1
check_shell bash
check_shell zsh
check_shell fish
want 'bash: --option=value is three words' "$(in_bash 'devs run --theme = mo')" mono
want 'bash: the log that is named' "$(in_bash 'devs --db /nonexistent log ')" ''
want 'bash: the plan behind the cursor' "$(bash --norc -c '
	source "$0"; compopt() { :; }
	COMP_WORDS=(devs run --only "" own.json) COMP_CWORD=3; _devs devs; echo "${COMPREPLY[@]}"
	' "$dir/files/devs.bash")" 'roof road'
if command -v fish >/dev/null; then
	want 'fish: a value has no words of its option beside it' \
		"$(fish --no-config -c 'source $argv[1]; complete -C "devs export --format p"' \
			"$dir/files/devs.fish")" perfetto
fi
want 'bash: a command of its own' "$(in_bash 'devs exec -- ls --pl')" ''
finish
