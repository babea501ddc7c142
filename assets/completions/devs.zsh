
# What is there now: devs is asked, and says nothing where there is no log.
_devs_ask() {
  local -a lines words_described open_ended
  local line word about
  lines=("${(@f)$("$devs_program" $devs_log completion --list $1 -- "$PREFIX" \
    "${(@Q)words}" 2>/dev/null)}")
  for line in $lines; do
    word=${${line%%$'\t'*}//:/\\:}
    about=${line#*$'\t'}
    if [[ $word == */ ]]; then
      open_ended+=("$word${about:+:$about}")
    else
      words_described+=("$word${about:+:$about}")
    fi
  done
  local -i failed=1
  (( $#words_described )) && _describe -V -t "$1" "$1" words_described && failed=0
  (( $#open_ended )) && _describe -V -t "$1s" "$1" open_ended -S '' && failed=0
  return failed
}

_devs() {
  local curcontext=$curcontext state state_descr line devs_program=${(Q)words[1]}
  local -A opt_args
  local -a devs_log specs
  _devs_specs ''
  _arguments -C -S $specs '1:command:->command' '*:: :->rest' && return
  (( $+opt_args[--db] )) && devs_log=(--db ${(Q)opt_args[--db]})
  case $state in
    command) _describe -V -t commands command _devs_commands ;;
    rest)
      curcontext=${curcontext%:*:*}:devs-$words[1]:
      _devs_specs $words[1] && _arguments -S $specs
      ;;
  esac
}

# The first call comes from the file that was autoloaded; else it was read by hand.
if [[ $funcstack[1] == _devs ]]; then
  _devs "$@"
else
  compdef _devs devs
fi
