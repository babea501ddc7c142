#!/bin/sh
# Reads every script of this folder without running it.
bad=0
for script in *.sh; do
    sleep 0.3
    if sh -n "$script"; then
        echo "$script: fine"
    else
        bad=1
    fi
done
exit "$bad"
