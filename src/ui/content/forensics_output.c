/* forensics_output.c - forensics, the sections about output: stdout, stderr, tests. */
#include <stddef.h>

#include "clock.h"
#include "forensics_parts.h"
#include "log_tail.h"

static void add_lines(struct forensics *out, const struct log_tail *tail, int stream)
{
    for (size_t i = 0; i < tail->count; i++) {
        char hms[CLOCK_TEXT_MAX];
        struct str line = {0};
        if (tail->lines[i].stream != stream)
            continue;
        str_addf(&line, "%s  ", clock_hms(tail->lines[i].at_ms, hms));
        str_add_n(&line, log_tail_line(tail, i), tail->lines[i].len);
        forensics_add(out, FORENSICS_PLAIN, line.data, line.len);
        str_done(&line);
    }
}

static void add_stream(struct forensics *out, const struct forensics_facts *facts, int stream)
{
    enum forensics_section section = stream == 1 ? FORENSICS_OUT : FORENSICS_ERR;
    const struct outcome *outcome = &facts->attempt->outcome;
    const size_t before = out->count;
    bool is_over = facts->attempt->ended.mono_ms != 0;
    struct log_tail tail;
    log_tail_init(&tail);
    log_tail_set(&tail, &out->key, facts->output, INT64_MAX);
    add_lines(out, &tail, stream);
    log_tail_done(&tail);
    if (out->count == before)
        forensics_addf(out, FORENSICS_LACKS, "%s",
                       is_over ? "it wrote nothing here" : "nothing yet");
    if (is_over)
        forensics_note(out, section, "%lld l", (long long)outcome->lines[stream - 1]);
}

void forensics_out(struct forensics *out, const struct forensics_facts *facts)
{
    add_stream(out, facts, 1);
}

void forensics_err(struct forensics *out, const struct forensics_facts *facts)
{
    add_stream(out, facts, 2);
}

static void add_number(const struct json *report, const char *key, struct str *out)
{
    int64_t number = json_i64(json_get(report, key), -1);
    if (number >= 0)
        str_addf(out, "%s%lld %s", out->len > 0 ? ", " : "", (long long)number, key);
}

void forensics_tests(struct forensics *out, const struct forensics_facts *facts)
{
    static const char *const keys[] = {"failed", "passed", "skipped", "total"};
    const struct json *report = forensics_item(facts, "tests");
    struct str numbers = {0};
    if (!report) {
        forensics_lacks(out, facts, "tests", "tests");
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        add_number(report, keys[i], &numbers);
    forensics_pair(out, "tests", "%s", str_text(&numbers));
    forensics_pair(out, "as", "%s writes it to %s", json_text(json_get(report, "form"), "?"),
                   json_text(json_get(report, "stream"), "?"));
    forensics_pair(out, "line", "%s", json_text(json_get(report, "line"), ""));
    int64_t failed = json_i64(json_get(report, "failed"), -1);
    if (failed >= 0)
        forensics_note(out, FORENSICS_TESTS, "%lld failed", (long long)failed);
    str_done(&numbers);
}
