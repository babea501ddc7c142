/*
 * How long a judgment takes with all rules, compared with the bare limit: one pass of memchr and
 * one of a single regular expression over the same bytes. usage: bench_classify ROWS.jsonl
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classify.h"
#include "figure.h"
#include "json.h"
#include "rule_pattern.h"
#include "str.h"

enum { SMALL = 4 * 1024, LARGE = 64 * 1024, LEAST_MS = 20, ROUNDS = 5 };

struct bench {
    struct classifier *classifier;
    struct rule_matcher *matcher;
    struct rule_pattern *pattern;
    struct str rows;
    size_t kept; /* so that no pass is optimized away */
};

typedef void work_fn(struct bench *bench, const struct str *text);

static void judge(struct bench *bench, const struct str *text)
{
    const struct classify_input input = {
        .outcome = {.kind = OUTCOME_EXIT, .code = 1},
        .err = {.bytes = str_text(text), .len = text->len},
        .memory_killed = -1,
        .now_ms = 1795224000000,
    };
    struct verdict verdict;
    classify(bench->classifier, &input, &verdict);
    bench->kept += (size_t)verdict.class;
}

static void scan_raw(struct bench *bench, const struct str *text)
{
    const char *at = str_text(text);
    const char *end = at + text->len;
    while (at && at < end) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
        bench->kept++;
    }
    const struct rule_subject subject = {
        .bytes = str_text(text), .len = text->len, .begins = true, .ends = true};
    bench->kept +=
        rule_pattern_match(bench->pattern, bench->matcher, &subject, NULL) == RULE_MATCH_YES;
}

/* Returns the microseconds of one call: the best of a few rounds. */
static double measure(struct bench *bench, work_fn *work, const struct str *text)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        const double start_ms = figure_cpu_ms();
        double spent_ms = 0;
        int calls = 0;
        while (spent_ms < LEAST_MS) {
            work(bench, text);
            calls++;
            spent_ms = figure_cpu_ms() - start_ms;
        }
        const double one = spent_ms * 1000 / calls;
        best = one < best ? one : best;
    }
    return best;
}

static void report(struct bench *bench, const char *name, const struct str *text)
{
    char what[96];
    (void)snprintf(what, sizeof(what), "judge %zu KiB: %s", (text->len + 1023) / 1024, name);
    figure_print(&(const struct figure){
        .what = what,
        .value = measure(bench, judge, text),
        .unit = "us",
        .peer = "memchr and one pattern",
        .peer_value = measure(bench, scan_raw, text),
        .wanted = text->len <= SMALL ? "at most 100 us" : "at most 1,500 us",
    });
}

static void fill(struct str *text, const char *piece, size_t size)
{
    str_clear(text);
    while (text->len < size && piece[0] != '\0')
        str_add_n(text, piece, strlen(piece) < size - text->len ? strlen(piece) : size - text->len);
}

/* The output of a build, with a failure at its end. */
static void fill_typical(struct str *text, size_t size)
{
    static const char end[] = "fatal: unable to access 'https://git.test/r.git/': "
                              "Could not resolve host: git.test\n";
    str_clear(text);
    for (int i = 0; text->len + sizeof(end) + 80 < size; i++)
        str_addf(text, "[%3d/400] Building C object src/core/CMakeFiles/core.dir/part_%d.c.o\n",
                 i % 400, i);
    str_add(text, end);
}

static void fill_literals(struct str *text, const struct classifier *classifier, size_t size)
{
    struct json *json = NULL;
    struct str all = {0};
    const char *rules = classifier_rules(classifier);
    if (!json_parse(rules, strlen(rules), &json, NULL, NULL))
        abort();
    const struct json *list = json_get(json, "rules");
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *needs = json_get(json_at(list, i), "need");
        for (size_t k = 0; k < json_count(needs); k++)
            str_addf(&all, "%s%s", json_text(json_at(needs, k), ""), k % 4 == 3 ? "\n" : " ");
    }
    fill(text, str_text(&all), size);
    str_done(&all);
    json_free(json);
}

static void report_corpus(struct bench *bench, size_t size)
{
    struct str text = {0};
    struct str worst = {0};
    double most = 0;
    for (const char *line = str_text(&bench->rows); *line != '\0';) {
        const size_t len = strcspn(line, "\n");
        struct json *row = NULL;
        if (!json_parse(line, len, &row, NULL, NULL))
            abort();
        const char *words = json_text(json_get(row, "stderr"), "");
        fill(&text, words[0] != '\0' ? words : json_text(json_get(row, "stdout"), ""), size);
        double us = 1e9;
        for (int i = 0; i < ROUNDS; i++) {
            const double start_ms = figure_cpu_ms();
            for (int k = 0; k < ROUNDS; k++)
                judge(bench, &text);
            const double one = (figure_cpu_ms() - start_ms) * 1000 / ROUNDS;
            us = one < us ? one : us;
        }
        if (us > most) {
            most = us;
            fill(&worst, str_text(&text), size);
        }
        json_free(row);
        line += len + (line[len] == '\n');
    }
    report(bench, "worst of the captured failures", &worst);
    str_done(&text);
    str_done(&worst);
}

static void report_size(struct bench *bench, size_t size)
{
    struct str text = {0};
    fill_typical(&text, size);
    report(bench, "typical", &text);
    report_corpus(bench, size);
    fill(&text, "error ", size);
    report(bench, "one line of 'error error'", &text);
    fill(&text, "error error error\n", size);
    report(bench, "lines of 'error error error'", &text);
    fill(&text, "\n", size);
    report(bench, "line feeds", &text);
    fill(&text, "abcdefghijklmnop", size);
    report(bench, "one line without a literal", &text);
    fill_literals(&text, bench->classifier, size);
    report(bench, "every literal of every rule", &text);
    str_done(&text);
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    struct err err = {0};
    FILE *file = argc == 2 ? fopen(argv[1], "re") : NULL;
    char part[4096];
    size_t got = 0;
    while (file && (got = fread(part, 1, sizeof(part), file)) > 0)
        str_add_n(&bench.rows, part, got);
    if (!file || !classifier_open(&bench.classifier, NULL, &err) ||
        !rule_pattern_open(&bench.pattern, "ETIMEDOUT|rate limit|No space left", &err)) {
        (void)fprintf(stderr, "bench_classify: %s\n", file ? err.message : "no rows");
        return 2;
    }
    (void)fclose(file);
    bench.matcher = rule_matcher_new();
    report_size(&bench, SMALL);
    report_size(&bench, LARGE);
    rule_matcher_free(bench.matcher);
    rule_pattern_close(bench.pattern);
    classifier_close(bench.classifier);
    str_done(&bench.rows);
    return bench.kept == 0;
}
