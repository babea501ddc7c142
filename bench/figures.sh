# shellcheck shell=sh
# For the benchmarks that are shell scripts: . "$(dirname "$0")/figures.sh"

# An interrupted benchmark ends, and cleans up in its EXIT trap.
trap 'exit 130' INT TERM

figures=$(dirname "$(realpath "$0")")/figures.py

# figure WHAT NUMBER UNIT [PEER [NUMBER [WANTED]]]: one line of the table (figures.py). A missing
# value is "-": figure 'log on disk' 61 MiB - - 'at most 64 MiB'
figure() {
	python3 "$figures" "$@"
}

# us COMMAND...: its wall time in microseconds; its output is discarded.
us() {
	us_from=$(date +%s%N)
	"$@" >/dev/null
	us_to=$(date +%s%N)
	echo $(((us_to - us_from) / 1000))
}

# less A B: the smaller of two whole numbers; A may be empty.
less() {
	if [ -z "$1" ] || [ "$2" -lt "$1" ]; then echo "$2"; else echo "$1"; fi
}

# by NUMBER DIVISOR: the quotient, for `us` in other units
by() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.6f\n", a / b }'
}

# share SHARE: the number that this share (0 to 1) of the lines on stdin does not exceed
share() {
	sort -n | awk -v share="$1" '{ all[NR] = $1 }
		END { at = int(share * NR) + 1; if (at > NR) at = NR; print all[at] }'
}

# plan_of_true COUNT: a plan of COUNT tasks of `true`, on stdout
plan_of_true() {
	awk -v n="$1" 'BEGIN {
		printf "{\"version\":1,\"name\":\"true\",\"idempotent\":true,\"tasks\":["
		for (i = 1; i <= n; i++)
			printf "%s{\"id\":\"t%d\",\"steps\":[{\"run\":[\"true\"]}]}", (i > 1 ? "," : ""), i
		print "]}"
	}'
}

# built DEVS PROGRAM: the path of a benchmark in C, in the build folder of this devs
built() {
	built_dir=$(dirname "$1")
	cmake --build "$built_dir" --target "$2" >/dev/null
	echo "$built_dir/bench/$2"
}

# figures_of PROGRAM [ARGUMENT...]: the figures of a benchmark in C
figures_of() {
	python3 "$figures" --of "$@"
}
