#include "entropy_row.h"

#include <string.h>

#include "entropy.h"
#include "entropy_memory.h"
#include "json.h"
#include "json_repair.h"
#include "near_word.h"

/* One trajectory while it is judged. */
struct judging {
    const struct entropy_limits *limits;
    struct entropy_memory *memory;
    struct entropy_state state;
    struct entropy_verdict worst; /* the first of the highest level */
    int64_t worst_step;           /* of the row, from 1 */
};

static bool is_person(const char *tool, const struct json *args)
{
    return strcmp(tool, "user") == 0 ||
           (strcmp(tool, "message") == 0 &&
            strcmp(json_text(json_get(args, "role"), ""), "user") == 0);
}

static void judge(struct judging *judging, const struct json *step, int64_t number)
{
    const char *tool = json_text(json_get(step, "tool"), "");
    const struct json *args = json_get(step, "args");
    const int64_t exit = json_i64(json_get(step, "exit"), 0);
    const struct entropy_end end = {.failed = exit != 0 && exit != -1, .running = exit == -1};
    struct entropy_fact fact;
    struct entropy_verdict verdict;
    if (is_person(tool, args)) {
        entropy_memory_reset(judging->memory);
        entropy_state_reset(&judging->state);
        return;
    }
    entropy_memory_begin_call(judging->memory, tool, args);
    const char *output = json_text(json_get(step, "output"), "");
    entropy_memory_text(judging->memory, output, strlen(output));
    entropy_memory_end(judging->memory, &end, &fact);
    entropy_apply(&judging->state, &fact, number, judging->limits, &verdict);
    if (verdict.level <= judging->worst.level)
        return;
    judging->worst = verdict;
    judging->worst_step = number;
}

static bool is_step(const struct json *step)
{
    const struct json *args = json_get(step, "args");
    const struct json *exit = json_get(step, "exit");
    const struct json *output = json_get(step, "output");
    return json_text(json_get(step, "tool"), NULL) &&
           (!args || json_kind(args) == JSON_KIND_OBJECT) &&
           (!exit || json_kind(exit) == JSON_KIND_INTEGER) && (!output || json_text(output, NULL));
}

/* All or nothing: a row that is wrong somewhere gets no verdict. */
static bool check_steps(const struct json *steps, struct err *err)
{
    const size_t count = json_count(steps);
    if (json_kind(steps) != JSON_KIND_ARRAY)
        return err_set(err, ERR_INVALID, "\"steps\" must be a list");
    if (count > ENTROPY_ROW_STEPS_MAX)
        return err_set(err, ERR_INVALID, "more than %d steps", ENTROPY_ROW_STEPS_MAX);
    for (size_t i = 0; i < count; i++)
        if (!is_step(json_at(steps, i)))
            return err_set(err, ERR_INVALID,
                           "step %zu must have \"tool\" (text), \"args\" (object), \"exit\" "
                           "(integer) and \"output\" (text)",
                           i + 1);
    return true;
}

static void write_verdict(const struct judging *judging, const char *id, struct str *out)
{
    const struct entropy_verdict *verdict = &judging->worst;
    char identity[DIGEST_HEX_MAX];
    struct str row = {0};
    struct str why = {0};
    str_add_char(&row, '{');
    str_json_text(&row, "id", id);
    str_json_text(&row, "verdict", entropy_level_name(verdict->level));
    if (verdict->level == ENTROPY_OK) {
        str_add(&row, ",\"rung\":null,\"step\":null,\"identity\":null,\"why\":null}\n");
    } else {
        digest_to_hex(verdict->identity, identity);
        entropy_why(verdict, &why);
        str_json_text(&row, "rung", entropy_rung_name(verdict->rung));
        str_json_i64(&row, "step", judging->worst_step);
        str_json_text(&row, "identity", identity);
        str_json_text(&row, "why", str_text(&why));
        str_add(&row, "}\n");
    }
    str_add_n(out, row.data, row.len);
    str_done(&row);
    str_done(&why);
}

bool entropy_row(const struct entropy_limits *limits, const struct str *row, struct str *out,
                 struct err *err)
{
    struct json *json = NULL;
    struct json_place place = {0};
    struct err why = {0};
    if (json_values_at_most(str_text(row), row->len, ENTROPY_ROW_VALUES_MAX + 1) >
        ENTROPY_ROW_VALUES_MAX)
        return err_set(err, ERR_LIMIT, "more than %d values", ENTROPY_ROW_VALUES_MAX);
    struct str repaired = {0};
    json_repair(&repaired, str_text(row), row->len);
    const bool parsed = json_parse(str_text(&repaired), repaired.len, &json, &place, &why);
    str_done(&repaired);
    if (!parsed)
        return err_set(err, ERR_INVALID, "column %d: %s", place.column, why.message);
    const struct json *steps = json_get(json, "steps");
    const char *id = json_text(json_get(json, "id"), NULL);
    bool ok = json_kind(json) == JSON_KIND_OBJECT ||
              err_set(err, ERR_INVALID, "an object is expected, got %s", json_kind_name(json));
    ok = ok && (id || err_set(err, ERR_INVALID, "\"id\" must be text"));
    ok = ok && check_steps(steps, err);
    if (ok) {
        struct judging judging = {.limits = limits};
        entropy_memory_open(&judging.memory, limits);
        for (size_t i = 0; i < json_count(steps) && judging.worst.level < ENTROPY_STUCK; i++)
            judge(&judging, json_at(steps, i), (int64_t)i + 1);
        write_verdict(&judging, id, out);
        entropy_state_done(&judging.state);
        entropy_memory_close(judging.memory);
    }
    json_free(json);
    return ok;
}

static bool no_such_limit(const char *name, struct err *err)
{
    struct near_word near = near_word_new(name);
    for (size_t i = 0; entropy_limit(i); i++)
        near_word_offer(&near, entropy_limit(i)->name);
    if (!near.nearest)
        return err_set(err, ERR_INVALID, "there is no threshold '%s'", name);
    return err_set(err, ERR_INVALID, "there is no threshold '%s', did you mean '%s'?", name,
                   near.nearest);
}

bool entropy_limits_read(struct entropy_limits *limits, const char *text, struct err *err)
{
    struct json *json = NULL;
    struct json_place place = {0};
    struct entropy_limits read = *limits;
    const char *key;
    const struct json *value;
    void *iter = NULL;
    if (!json_parse(text, strlen(text), &json, &place, err))
        return false;
    bool ok = json_kind(json) == JSON_KIND_OBJECT ||
              err_set(err, ERR_INVALID, "thresholds must be an object");
    while (ok && json_next(json, &iter, &key, &value)) {
        const struct entropy_limit *limit = entropy_limit_named(key);
        ok = limit ? entropy_limit_set(&read, limit, json_i64(value, -1), err)
                   : no_such_limit(key, err);
    }
    json_free(json);
    if (ok)
        *limits = read;
    return ok;
}
