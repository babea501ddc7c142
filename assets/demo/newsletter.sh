#!/bin/sh
# usage: sh newsletter.sh COUNT
# Says a line every third of a second.
count=$1
letter=0
while [ "$letter" -lt "$count" ]; do
    letter=$((letter + 1))
    echo "$(date +%H:%M:%S) letter $letter of $count: greeting, 3 offers, footer"
    sleep 0.3
done
echo "$count letters are ready, none was sent"
