/*
 * flood.c - a child that writes the output of a build as fast as it can.
 *
 * usage: bench_flood BYTES
 */
#include <stdlib.h>
#include <unistd.h>

#include "build_log.h"
#include "parse.h"

enum { BLOCK = 1024 * 1024 };

int main(int argc, char **argv)
{
    struct str text = {0};
    int64_t left = 0;
    if (argc != 2 || !parse_i64(argv[1], 0, INT64_MAX, &left, NULL))
        return 2;
    build_log_write(BUILD_LOG_CMAKE, BLOCK, &text);
    while (left > 0) {
        const size_t len = (uint64_t)left < text.len ? (size_t)left : text.len;
        const ssize_t wrote = write(STDOUT_FILENO, text.data, len);
        if (wrote < 0)
            return 1;
        left -= wrote;
    }
    str_done(&text);
    return 0;
}
