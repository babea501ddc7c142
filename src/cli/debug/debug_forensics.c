/* debug_forensics.c - devs debug --forensics: what is known about the end of an attempt. */
#include "debug_mode.h"
#include "fail.h"
#include "follower.h"
#include "forensics.h"
#include "json.h"
#include "log_reader.h"
#include "target.h"

/* Appends a row of the log as a member. Omits it if it is not JSON, because the log may come from
 * anywhere. */
static void add_row(const char *key, const struct str *text, struct str *out)
{
    struct json *json = NULL;
    if (text->len == 0 || !json_parse_data(text->data, text->len, &json, NULL, NULL))
        return;
    str_json_key(out, key);
    json_write(out, json);
    json_free(json);
}

static bool write_forensics_json(const struct forensics *forensics, const char *task,
                                 struct log_reader *reader, struct str *out, struct err *err)
{
    str_add_char(out, '{');
    str_json_i64(out, "v", 1);
    str_json_i64(out, "run", forensics->key.run);
    str_json_text(out, "task", task);
    str_json_i64(out, "step", forensics->key.step + 1);
    str_json_i64(out, "attempt", forensics->key.attempt);
    str_json_bool(out, "captured", forensics->nothing.len == 0);
    str_json_text(out, "words", str_text(&forensics->head));
    if (forensics->nothing.len > 0)
        str_json_text(out, "why", forensics->nothing.data);
    if (forensics->secrets.len > 0)
        str_json_text(out, "secrets", forensics->secrets.data);
    struct str capture = {0};
    struct str changes = {0};
    bool ok = log_reader_capture(reader, &forensics->key, &capture, err) &&
              log_reader_changes(reader, &forensics->key, &changes, err);
    if (ok) {
        add_row("capture", &capture, out);
        add_row("changes", &changes, out);
    }
    str_done(&capture);
    str_done(&changes);
    str_add(out, "}\n");
    return ok;
}

static bool print_forensics(struct follower *follower, const struct target *target,
                            const struct debug_words *words, struct err *err)
{
    const struct run_state *state = follower_state(follower);
    struct log_reader *reader = follower_reader(follower);
    struct forensics forensics = {0};
    struct attempt_pick pick;
    struct str out = {0};
    int task = 0;
    if (!target_task(target, state->plan, &task, err) ||
        !attempt_pick(state, task, &words->attempt, &pick, err))
        return false;
    const struct log_output_key key = {.run = follower_run(follower)->number,
                                       .task = pick.task,
                                       .step = pick.step,
                                       .attempt = pick.attempt};
    bool ok = forensics_read(&forensics, state, &key, reader, err);
    if (ok && words->json) {
        ok = write_forensics_json(&forensics, target->task, reader, &out, err);
    } else if (ok) {
        const struct log_output_key *of = &forensics.key;
        str_addf(&out, "#%lld/%s", (long long)of->run, target->task);
        if (of->step > 0)
            str_addf(&out, " step %d", of->step + 1);
        if (of->attempt > 0)
            str_addf(&out, " try %d", of->attempt);
        str_add_char(&out, '\n');
        forensics_to_text(&forensics, &out);
    }
    if (ok)
        say_json(str_text(&out)); /* the text was cleaned line by line */
    str_done(&out);
    forensics_done(&forensics);
    return ok;
}

int debug_forensics(const struct debug_call *call)
{
    struct err err = {0};
    struct place place;
    struct target target;
    struct follower *follower = NULL;
    static const char hint[] =
        "use devs debug --forensics RUN/TASK; devs status --all lists the tasks";
    bool ok = target_parse_task(call->operands[0], hint, &target, &err) &&
              find_log(call->globals->db, false, &place, &err) &&
              target_follow(&target, &place, &follower, &err) &&
              follower_read(follower, 0, NULL, NULL, NULL, &err) &&
              print_forensics(follower, &target, call->words, &err);
    follower_close(follower);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}
