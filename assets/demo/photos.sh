#!/bin/sh
# Hangs after the third photo, until its time is used up.
for photo in desk-lamp.jpg floor-lamp.jpg lantern.jpg; do
    echo "scaling $photo to 320x240"
    sleep 0.4
done
echo "scaling broken.tif to 320x240"
sleep 30
