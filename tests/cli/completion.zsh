# completion.zsh FOLDER LINE...: what zsh offers for Tab behind each LINE, where FOLDER holds the
# file _devs: "== LINE", and a line for each word. A terminal of zsh's own shows it; compadd tells
# what it is given.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=(${(q)1} \$fpath); autoload -U compinit; compinit -u -D; setopt no_beep"
zpty -w shell 'compadd() {
  if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
    local -a offered
    builtin compadd -A offered "$@"
    print -rl -- ${offered/#/OFFER:}
  fi
  builtin compadd "$@"
}'
zpty -w shell "tab() { zle complete-word; print -r -- 'DO''NE' }; zle -N tab; bindkey -e '^T' tab"
zpty -w shell "bindkey -e; print -r -- 'REA''DY'"
zpty -r -m shell output '*READY*'
shift
for line; do
  print -r -- "== $line"
  zpty -n -w shell "$line"$'\C-T'
  zpty -r -m shell output '*DONE*'
  print -r -- "$output" | tr -d '\r' | sed -n 's/.*OFFER://p'
  zpty -n -w shell $'\C-U' # the line is never carried out
done
zpty -d shell
