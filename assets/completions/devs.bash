
# The variables that these set are those of _devs, which calls them.

# What follows an option, if anything does: kind.
_devs_kind_of()
{
    local each
    kind=
    for each in $options; do
        [[ $each != "$1="* ]] || kind=${each#*=}
    done
}

# Add to COMPREPLY what begins with the word. File names are for bash to quote.
_devs_offer()
{
    local words word line
    case $1 in
    FILE)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        ;;
    DIR)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        ;;
    COMMAND) mapfile -t COMPREPLY < <(compgen -c -- "$current") ;;
    @*)
        while IFS= read -r line; do
            word=${line%%$'\t'*}
            COMPREPLY+=("$word")
        done < <("$program" "${log[@]}" completion --list "${1#@}" -- "$current" \
            "${COMP_WORDS[@]:1}" 2>/dev/null)
        [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != */ ]] || compopt -o nospace
        ;;
    *)
        _devs_list "$1"
        for word in $words; do
            [[ $word != "$current"* ]] || COMPREPLY+=("$word")
        done
        ;;
    esac
}

_devs_offer_options()
{
    local each
    for each in $options; do
        each=${each%%=*}
        [[ $each != "$current"* ]] || COMPREPLY+=("$each")
    done
}

# The operand that is next; the last one may be there any number of times.
_devs_offer_operand()
{
    local kinds
    read -r -a kinds <<<"$operands"
    if [[ $count -lt ${#kinds[@]} ]]; then
        _devs_offer "${kinds[count]%+}"
    elif [[ ${#kinds[@]} -gt 0 && ${kinds[-1]} == *+ ]]; then
        _devs_offer "${kinds[-1]%+}"
    fi
}

# One word before the cursor.
_devs_take()
{
    if [[ -n $kind ]]; then
        [[ $1 == = ]] && return # "--task=tax" is three words
        [[ $option != --db ]] || log=(--db "$1")
        kind=
    elif [[ -n $rest ]]; then
        count=$((count + 1))
    elif [[ $1 == -- ]]; then
        rest=yes
    elif [[ $1 == -* ]]; then
        option=$1
        _devs_kind_of "$1"
    elif [[ -z $command ]]; then
        command=$1
        _devs_table "$command" || return 1
    else
        count=$((count + 1))
        [[ $stops != yes ]] || rest=yes
    fi
}

_devs()
{
    local program=$1 current=${COMP_WORDS[COMP_CWORD]} command='' option='' kind='' rest=''
    local options operands stops word count=0 log=()
    COMPREPLY=()
    _devs_table ''
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        _devs_take "$word" || return 0
    done
    [[ $current != = ]] || current=
    if [[ -n $kind ]]; then
        _devs_offer "$kind"
    elif [[ -z $rest && $current == -* ]]; then
        _devs_offer_options
    elif [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_devs_commands" -- "$current")
    else
        _devs_offer_operand
    fi
}

complete -F _devs devs
