
# What is there now: devs is asked, and says nothing where there is no log.
function __devs_ask
    set -l words (commandline -opc)
    set -l current (string replace -r -- '^--[a-z-]+=' '' (commandline -ct))
    set -l log
    if set -l at (contains -i -- --db $words)
        set log --db $words[(math $at + 1)]
    end
    $words[1] $log completion --list $argv[1] -- "$current" (commandline -opc)[2..] "$current" \
        2>/dev/null
end

# Is this command typed (no name: none yet), and is its operand of that number next? "+" behind
# the number: that one, or any behind it.
function __devs_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l command ''
    set -l count 0
    set -l rest
    set -l value
    for word in $words
        if set -q value[1]
            set -e value[1]
        else if set -q rest[1]
            set count (math $count + 1)
        else if test "$word" = --
            set rest yes
        else if string match -q -- '-*' "$word"
            __devs_takes_value "$command $word"
            and set value yes
        else if test -z "$command"
            set command $word
        else
            set count (math $count + 1)
            test "$command" = exec
            and set rest yes
        end
    end
    test "$command" = "$argv[1]"
    or return 1
    set -q argv[2]
    or begin
        not set -q rest[1]
        return
    end
    set -l wanted (string replace + '' -- $argv[2])
    set count (math $count + 1)
    test $count -eq $wanted
    or begin
        string match -q '*+' -- $argv[2]
        and test $count -gt $wanted
    end
end
