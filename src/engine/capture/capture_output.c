/* capture_output.c - a capture's part about output. */
#include "capture_parts.h"

#include "test_report.h"

static void add_number(struct str *out, const char *key, int64_t number)
{
    if (number >= 0)
        str_json_i64(out, key, number);
}

static void add_report(struct str *out, const struct test_report *report, const char *stream)
{
    str_json_key(out, "tests");
    str_add_char(out, '{');
    str_json_text(out, "form", report->form);
    add_number(out, "passed", report->passed);
    add_number(out, "failed", report->failed);
    add_number(out, "skipped", report->skipped);
    add_number(out, "total", report->total);
    str_json_text(out, "stream", stream);
    str_json_text(out, "line", report->line);
    str_add_char(out, '}');
}

static void add_tests(struct capture_writer *writer, const struct attempt *attempt)
{
    for (int i = 0; i < 2; i++) {
        const struct classify_text tail = output_tail(&attempt->streams[i], CLASSIFY_TAIL_MAX);
        struct test_report report;
        if (test_report_find(&tail, &report)) {
            add_report(writer->out, &report, i == 0 ? "stdout" : "stderr");
            return;
        }
    }
    capture_lacks(writer, "tests", "no summary of a test program in the last 64 KiB");
}

void capture_output(struct capture_writer *writer)
{
    static const char *const keys[] = {"stdout_tail", "stderr_tail"};
    static const char *const offsets[] = {"stdout_tail_at", "stderr_tail_at"};
    const struct attempt *attempt = writer->facts->attempt;
    if (!attempt) {
        capture_lacks(writer, "output", "it was over before: the log has what was kept of it");
        capture_lacks(writer, "tests", "it was over before");
        return;
    }
    for (int i = 0; i < 2; i++) {
        struct classify_text tail = output_tail(&attempt->streams[i], CAPTURE_TAIL_BYTES);
        str_json_key(writer->out, keys[i]);
        str_add_json(writer->out, tail.len > 0 ? tail.bytes : "", tail.len);
        str_json_i64(writer->out, offsets[i], tail.offset);
    }
    str_json_i64(writer->out, "silent_ms", writer->attempt->ended.mono_ms - attempt->heard_ms);
    add_tests(writer, attempt);
}
