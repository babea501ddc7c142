/*
 * The cost of deciding whether an output is new: normalizing and hashing, compared with the fastest
 * passes over the same bytes: copying, hashing the whole, counting lines.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "attr.h"
#include "build_log.h"
#include "entropy.h"
#include "figure.h"
#include "fingerprint.h"
#include "str.h"

enum {
    LOG_BYTES = 16 * 1024 * 1024,
    PIECE = 64 * 1024, /* bytes that a pipe gives at once */
    ROUNDS = 5,
    LEAST_MS = 50,
    FLOOD_BYTES = 1000 * 1000 * 1000,
};

struct bench {
    struct str log;
    struct str copy;
    struct normaliser_words *words;
    uint64_t kept; /* so that no pass is optimized away */
};

typedef void work_fn(struct bench *bench);

static void copy_whole(struct bench *bench)
{
    memcpy(bench->copy.data, bench->log.data, bench->log.len);
    bench->kept += (unsigned char)bench->copy.data[bench->log.len / 2];
}

static void hash_whole(struct bench *bench)
{
    bench->kept += XXH3_128bits(bench->log.data, bench->log.len).low64;
}

static void count_lines(struct bench *bench)
{
    const char *end = bench->log.data + bench->log.len;
    for (const char *at = bench->log.data; (at = memchr(at, '\n', (size_t)(end - at))); at++)
        bench->kept++;
}

static void take_pieces(struct bench *bench, const struct fingerprint_setting *setting)
{
    struct fingerprint *fingerprint = NULL;
    fingerprint_open(&fingerprint, setting);
    for (size_t at = 0; at < bench->log.len; at += PIECE) {
        const size_t left = bench->log.len - at;
        fingerprint_add(fingerprint, 0, bench->log.data + at, left < PIECE ? left : PIECE);
    }
    bench->kept += fingerprint_finish(fingerprint, OUTCOME_EXIT, 1).digest.lo;
    fingerprint_close(fingerprint);
}

static void fingerprint_plain(struct bench *bench)
{
    take_pieces(bench, NULL);
}

static void remember(void *ctx, const struct fingerprint_line *line)
{
    entropy_memory_hashed_line(ctx, line);
}

/* Like the engine, which also finds the new lines. */
static void fingerprint_and_remember(struct bench *bench)
{
    struct entropy_memory *memory = NULL;
    const struct entropy_limits limits = entropy_limits_new();
    entropy_memory_open(&memory, &limits);
    entropy_memory_begin_attempt(memory, (struct digest){.lo = 1});
    take_pieces(bench, &(const struct fingerprint_setting){.line = remember, .ctx = memory});
    entropy_memory_close(memory);
}

static void fingerprint_with_words(struct bench *bench)
{
    take_pieces(bench, &(const struct fingerprint_setting){.words = bench->words});
}

/* Returns megabytes per second: the best of a few rounds. */
static double measure(struct bench *bench, work_fn *work)
{
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const double start_ms = figure_cpu_ms();
        int calls = 0;
        double spent_ms = 0;
        while (spent_ms < LEAST_MS) {
            work(bench);
            calls++;
            spent_ms = figure_cpu_ms() - start_ms;
        }
        const double rate = (double)calls * (double)bench->log.len / spent_ms / 1e3;
        best = rate > best ? rate : best;
    }
    return best;
}

/* Each pass of the engine has a limit to compare with. */
static const struct {
    const char *what;
    work_fn *work;
    const char *peer;
    work_fn *peer_work;
    const char *wanted;
} ways[] = {
    {"fingerprint", fingerprint_plain, "XXH3 of all", hash_whole, "at least 200 MB/s"},
    {"fingerprint with the call masked", fingerprint_with_words, "memcpy", copy_whole,
     "at least 200 MB/s"},
    {"fingerprint, and finding new lines", fingerprint_and_remember, "count lines", count_lines,
     "at least 200 MB/s"},
};

static void report(struct bench *bench, enum build_log kind)
{
    str_clear(&bench->log);
    build_log_write(kind, LOG_BYTES, &bench->log);
    str_clear(&bench->copy);
    str_add_n(&bench->copy, bench->log.data, bench->log.len);
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        char what[96];
        (void)snprintf(what, sizeof(what), "%s: %s", build_log_name(kind), ways[i].what);
        figure_print(&(const struct figure){
            .what = what,
            .value = measure(bench, ways[i].work),
            .unit = "MB/s",
            .peer = ways[i].peer,
            .peer_value = measure(bench, ways[i].peer_work),
            .wanted = ways[i].wanted,
        });
    }
}

static void ignore_line(void *ctx, const struct normaliser_line *line)
{
    uint64_t *kept = ctx;
    *kept += XXH3_128bits(line->bytes, line->len).low64;
}

static long resident_kib_max(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
}

/* Sends 1 GB through one normalizer, followed by a line that never ends. */
static void report_memory(struct bench *bench)
{
    struct normaliser *normaliser = NULL;
    normaliser_open(&normaliser, bench->words, ignore_line, &bench->kept);
    normaliser_add(normaliser, bench->log.data, bench->log.len);
    const long before = resident_kib_max();
    for (size_t done = 0; done < FLOOD_BYTES; done += bench->log.len)
        normaliser_add(normaliser, bench->log.data, bench->log.len);
    memset(bench->log.data, 'x', bench->log.len);
    normaliser_add(normaliser, bench->log.data, bench->log.len);
    normaliser_end(normaliser);
    normaliser_close(normaliser);
    figure_print(&(const struct figure){
        .what = "additional memory for 1 GB more",
        .value = (double)(resident_kib_max() - before),
        .unit = "KiB",
    });
}

int main(void)
{
    static const char call[] = "cmake --build build/release --target engine -j2 tests/core";
    struct bench bench = {0};
    normaliser_words_open(&bench.words);
    normaliser_words_add(bench.words, call, sizeof(call) - 1);
    for (enum build_log kind = 0; kind < BUILD_LOG_COUNT; kind++)
        report(&bench, kind);
    report_memory(&bench);
    normaliser_words_close(bench.words);
    str_done(&bench.log);
    str_done(&bench.copy);
    return bench.kept == 0;
}
