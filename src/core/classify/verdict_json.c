/* verdict_json.c - a verdict as the members of an event, and back. */
#include <stddef.h>
#include <string.h>

#include "json.h"
#include "text.h"
#include "verdict.h"

static void add_text(struct str *out, const char *key, const char *text)
{
    if (text[0] != '\0')
        str_json_text(out, key, text);
}

static void add_near(const struct verdict *verdict, struct str *out)
{
    str_json_key(out, "near");
    for (int i = 0; i < verdict->near_count; i++) {
        const struct verdict_near *near = &verdict->near[i];
        str_add(out, i == 0 ? "[{" : ",{");
        str_json_text(out, "rule", near->rule);
        str_json_text(out, "why", near_why_name(near->why));
        if (near->stream != VERDICT_STREAM_NONE) {
            str_json_text(out, "stream", verdict_stream_name(near->stream));
            str_json_i64(out, "offset", near->offset);
        }
        str_add_char(out, '}');
    }
    str_add_char(out, ']');
}

static void add_lines(struct str *out, const char *key, const char *lines)
{
    str_json_key(out, key);
    str_add_char(out, '[');
    for (const char *line = lines; *line;) {
        size_t len = strcspn(line, "\n");
        str_add(out, line == lines ? "" : ",");
        str_add_json(out, line, len);
        line += len + (line[len] == '\n' ? 1 : 0);
    }
    str_add_char(out, ']');
}

void verdict_to_json(const struct verdict *verdict, struct str *out)
{
    if (verdict->expectation != VERDICT_AS_IT_IS)
        str_json_i64(out, "expectation", (int64_t)verdict->expectation);
    add_text(out, "rule", verdict->rule);
    add_text(out, "subtype", verdict->subtype);
    if (verdict->stream != VERDICT_STREAM_NONE) {
        str_json_text(out, "stream", verdict_stream_name(verdict->stream));
        str_json_i64(out, "offset", verdict->offset);
        str_json_i64(out, "line", verdict->line);
    }
    add_text(out, "match", verdict->match);
    if (verdict->retry_after_ms >= 0)
        str_json_i64(out, "retry_after_ms", verdict->retry_after_ms);
    if (verdict->resume_at_ms >= 0)
        str_json_i64(out, "resume_at_ms", verdict->resume_at_ms);
    add_text(out, "hint_rule", verdict->hint_rule);
    if (verdict->near_count > 0)
        add_near(verdict, out);
    if (verdict->ask)
        str_json_bool(out, "ask", true);
    if (verdict->no_retry)
        str_json_bool(out, "no_retry", true);
    if (verdict->violations[0] != '\0')
        add_lines(out, "violations", verdict->violations);
}

/* The first line: the file may be anybody's, and what is printed stands on one. */
static void read_text(const struct json *object, const char *key, char *out, size_t size)
{
    const char *text = json_text(json_get(object, key), "");
    size_t len = text_cut(text, strcspn(text, "\r\n"), size - 1);
    memcpy(out, text, len);
    out[len] = '\0';
}

static enum verdict_stream stream_parse(const char *text)
{
    if (strcmp(text, verdict_stream_name(VERDICT_STREAM_OUT)) == 0)
        return VERDICT_STREAM_OUT;
    if (strcmp(text, verdict_stream_name(VERDICT_STREAM_ERR)) == 0)
        return VERDICT_STREAM_ERR;
    return VERDICT_STREAM_NONE;
}

/* A reason that is not known is left out: the list is a help for people. */
static void read_near(const struct json *list, struct verdict *out)
{
    out->near_count = 0;
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *item = json_at(list, i);
        const char *why = json_text(json_get(item, "why"), "");
        struct verdict_near near = {.offset = json_i64(json_get(item, "offset"), 0)};
        read_text(item, "rule", near.rule, sizeof(near.rule));
        near.stream = stream_parse(json_text(json_get(item, "stream"), ""));
        int word = 0;
        while (word < NEAR_WHY_COUNT && strcmp(near_why_name((enum near_why)word), why) != 0)
            word++;
        near.why = (enum near_why)word;
        if (word < NEAR_WHY_COUNT)
            verdict_add_near(out, &near);
    }
}

/* Lines that do not fit are left out, as when they were made. */
static void read_lines(const struct json *list, struct verdict *out)
{
    out->violations[0] = '\0';
    for (size_t i = 0; i < json_count(list); i++) {
        const char *text = json_text(json_at(list, i), "");
        size_t len = strcspn(text, "\r\n");
        if (len > 0 && !verdict_add_line(out, text, len))
            return;
    }
}

void verdict_from_json(const struct json *object, struct verdict *out)
{
    read_text(object, "rule", out->rule, sizeof(out->rule));
    int64_t expectation = json_i64(json_get(object, "expectation"), VERDICT_AS_IT_IS);
    bool known = expectation >= 0 && expectation < VERDICT_EXPECTATION_COUNT;
    out->expectation = known ? (enum verdict_expectation)expectation : VERDICT_AS_IT_IS;
    read_text(object, "subtype", out->subtype, sizeof(out->subtype));
    read_text(object, "match", out->match, sizeof(out->match));
    out->stream = stream_parse(json_text(json_get(object, "stream"), ""));
    out->offset = json_i64(json_get(object, "offset"), 0);
    out->line = json_i64(json_get(object, "line"), 0);
    out->retry_after_ms = json_i64(json_get(object, "retry_after_ms"), -1);
    out->resume_at_ms = json_i64(json_get(object, "resume_at_ms"), -1);
    read_text(object, "hint_rule", out->hint_rule, sizeof(out->hint_rule));
    read_near(json_get(object, "near"), out);
    out->ask = json_bool(json_get(object, "ask"), false);
    out->no_retry = json_bool(json_get(object, "no_retry"), false);
    read_lines(json_get(object, "violations"), out);
}
