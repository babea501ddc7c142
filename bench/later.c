/*
 * later.c - a command that first fails like a server with a rate limit, naming the time to retry,
 * and passes the next time.
 *
 * usage: bench_later FOLDER DUE_MS
 *
 * Makes FOLDER the first time, to know the next time. DUE_MS is a time of the clock since boot.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "clock.h"
#include "parse.h"

int main(int argc, char **argv)
{
    int64_t due_ms = 0;
    if (argc != 3 || !parse_i64(argv[2], 0, INT64_MAX, &due_ms, NULL))
        return 2;
    if (mkdir(argv[1], 0700) != 0)
        return errno == EEXIST ? EXIT_SUCCESS : 2;
    const int64_t wait_ms = due_ms - clock_now().mono_ms;
    (void)fprintf(stderr, "HTTP/1.1 429 Too Many Requests\nretry-after-ms: %" PRId64 "\n",
                  wait_ms > 0 ? wait_ms : 0);
    return EXIT_FAILURE;
}
