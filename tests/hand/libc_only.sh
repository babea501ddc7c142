#!/bin/sh
# libc_only.sh DEVS-HAND...: each needs no library but libc, because it is copied to other machines.
command -v readelf >/dev/null || {
	echo 'skipped: no readelf (binutils)'
	exit 77
}
status=0
for program; do
	needed=$(readelf -dW "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^libc\.so')
	# The sanitizers add their own.
	needed=$(echo "$needed" | grep -vE '^(lib(asan|ubsan|tsan|m|dl|pthread|rt|gcc_s|gcov)\.so.*|)$')
	[ -z "$needed" ] || {
		echo "$program needs $needed"
		status=1
	}
	case $program in
	*/static/*)
		if readelf -lW "$program" | grep -q INTERP; then
			echo "$program is not static"
			status=1
		fi
		;;
	esac
done
exit $status
