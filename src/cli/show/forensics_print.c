#include "forensics_print.h"

#include "exit_code.h"
#include "fail.h"
#include "find_log.h"
#include "forensics.h"
#include "json.h"
#include "target.h"

/* A row of the log as a member; what is not JSON (the file may be anybody's) is left out. */
static void add_row(const char *key, const struct str *text, struct str *out)
{
    struct json *json = NULL;
    if (text->len == 0 || !json_parse_data(text->data, text->len, &json, NULL, NULL))
        return;
    str_json_key(out, key);
    json_write(out, json);
    json_free(json);
}

static bool add_rows(const struct forensics *forensics, struct log_reader *reader, struct str *out,
                     struct err *err)
{
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
    return ok;
}

static bool write_json(const struct forensics *forensics, const char *task,
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
    bool ok = add_rows(forensics, reader, out, err);
    str_add(out, "}\n");
    return ok;
}

static void write_text(const struct forensics *forensics, const char *task, struct str *out)
{
    str_addf(out, "#%lld/%s", (long long)forensics->key.run, task);
    if (forensics->key.step > 0)
        str_addf(out, " step %d", forensics->key.step + 1);
    if (forensics->key.attempt > 0)
        str_addf(out, " try %d", forensics->key.attempt);
    str_add_char(out, '\n');
    forensics_to_text(forensics, out);
}

static bool print(struct follower *follower, const struct target *target,
                  const struct attempt_words *words, bool json, struct err *err)
{
    const struct run_state *state = follower_state(follower);
    struct log_reader *reader = follower_reader(follower);
    struct forensics forensics = {0};
    struct attempt_pick pick;
    struct str out = {0};
    int task = 0;
    if (!target_task(target, state->plan, &task, err) ||
        !attempt_pick(state, task, words, &pick, err))
        return false;
    const struct log_output_key key = {.run = follower_run(follower)->number,
                                       .task = pick.task,
                                       .step = pick.step,
                                       .attempt = pick.attempt};
    bool ok = forensics_read(&forensics, state, &key, reader, err);
    if (ok && json)
        ok = write_json(&forensics, target->task, reader, &out, err);
    else if (ok)
        write_text(&forensics, target->task, &out);
    if (ok)
        say_json(str_text(&out)); /* text was cleaned line by line */
    str_done(&out);
    forensics_done(&forensics);
    return ok;
}

int forensics_print(struct globals *globals, const char *target_word,
                    const struct attempt_words *words, bool json)
{
    struct err err = {0};
    struct place place;
    struct target target;
    struct follower *follower = NULL;
    static const char hint[] = "devs debug --forensics RUN/TASK; devs status --all lists the tasks";
    bool ok = target_parse_task(target_word, hint, &target, &err) &&
              find_log(globals->db, false, &place, &err) &&
              target_follow(&target, &place, &follower, &err) &&
              follower_read(follower, 0, NULL, NULL, NULL, &err) &&
              print(follower, &target, words, json, &err);
    follower_close(follower);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}
