#!/bin/sh
# usage: sh tips.sh
# Loops: only clock, pid and the name of the notes differ from try to try.
echo "$(date +%H:%M:%S) tips[$$]: asks for a tip, takes notes in $(mktemp -u)"
echo 'tip: lamps are brighter at night'
echo 'not ok 1 - the tip is about prices'
exit 1
