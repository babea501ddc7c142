# Checks this year's tax rate.
grep -qx 0.19 rate.txt && echo 'ok 1 - tax rate' && exit 0
echo 'not ok 1 - tax rate: expected 0.19'
exit 1
