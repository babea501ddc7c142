/* what_if_log.c - feeds the events of a run to a what-if, and computes what the policy `careful`
 * would have saved. */
#include "what_if_log.h"

#include "policy.h"

bool what_if_take_run(struct log_reader *reader, int64_t run, struct what_if *other,
                      struct what_if *same, struct err *err)
{
    struct event_page page = {0};
    int64_t after = 0;
    bool ok = true;
    do {
        ok = log_reader_events(reader, run, after, &page, err);
        for (size_t i = 0; ok && i < page.count; i++) {
            after = page.events[i].seq;
            ok = what_if_take(other, &page.events[i], err) &&
                 (!same || what_if_take(same, &page.events[i], err));
        }
    } while (ok && page.count == LOG_PAGE_EVENTS);
    event_page_done(&page);
    return ok;
}

void what_if_careful(const struct place *place, int64_t run, struct str *out)
{
    struct log_run_info info;
    struct log_reader *reader = NULL;
    struct what_if *careful = NULL;
    struct what_if_sum sum;
    struct str saved = {0};
    struct policy_change *change = NULL;
    struct violations wrong = {0};
    struct str text = {0};
    /* The policy careful for steps that name no policy. */
    str_addf(&text, "{\"policies\":{\"%s\":{\"like\":\"careful\"}}}", policy_builtin(0)->name);
    if (!policy_change_read(str_text(&text), text.len, &change, &wrong))
        change = NULL;
    violations_done(&wrong);
    str_done(&text);
    if (change && log_reader_open(&reader, place, NULL) &&
        log_reader_run(reader, run, &info, NULL)) {
        if (what_if_new(&careful, info.plan_text, info.seed, change, NULL) &&
            what_if_take_run(reader, run, careful, NULL, NULL)) {
            what_if_sum(careful, &sum);
            what_if_savings(&sum, &saved);
        }
        what_if_free(careful);
        log_run_info_done(&info);
    }
    if (saved.len > 0)
        str_addf(out, "  policy careful: %s\n", saved.data);
    str_done(&saved);
    log_reader_close(reader);
    policy_change_free(change);
}
