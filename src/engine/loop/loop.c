/* loop.c - the event loop of a run: its parts, its turns, and detection of suspensions.
 *
 * Callbacks of libuv only queue inputs. A turn runs before and after the loop waits; if work is
 * left, an idle handle keeps the loop from blocking. turn.c has the turn itself.
 *
 * Before it waits, the loop notes when it will wake up. If it wakes up much later, the process was
 * suspended, and no timeout may count that time: the deadlines of all children are moved, and the
 * gap is logged.
 *
 * Our own commits ring the bell of the log, too. So controls are read at most every
 * LOOP_CONTROLS_MS, and between reads the bell is not watched. At the end, libuv must run the loop
 * twice to close handles: first the handles of the children, then the handle of the nursery. */
#include "loop.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "turns.h"

void heartbeat_expect(struct heartbeat *heartbeat, int64_t now_ms, int64_t wait_ms)
{
    heartbeat->expected_ms = wait_ms < 0 ? INT64_MAX : now_ms + wait_ms;
}

int64_t heartbeat_wait_ms(const uv_loop_t *uv, const uv_timer_t *alarm)
{
    const int timeout_ms = uv_backend_timeout(uv);
    if (timeout_ms != 0)
        return timeout_ms;
    return uv_is_active((const uv_handle_t *)alarm) ? (int64_t)uv_timer_get_due_in(alarm) : -1;
}

void heartbeat_excuse(struct heartbeat *heartbeat, int64_t waited_ms)
{
    if (heartbeat->expected_ms < INT64_MAX - HEARTBEAT_LOG_MS)
        heartbeat->expected_ms += waited_ms < HEARTBEAT_LOG_MS ? waited_ms : HEARTBEAT_LOG_MS;
}

int64_t heartbeat_look(struct heartbeat *heartbeat, int64_t now_ms)
{
    int64_t late_ms = 0;
    if (heartbeat->expected_ms < now_ms)
        late_ms = now_ms - heartbeat->expected_ms;
    heartbeat->expected_ms = now_ms;
    return late_ms > HEARTBEAT_SLACK_MS ? late_ms : 0;
}

static void alarm_rings(uv_timer_t *timer)
{
    struct loop *loop = timer->data;
    loop->alarm_ms = INT64_MAX;
    loop->wanted = true;
}

void loop_alarm(struct loop *loop, int64_t due_ms)
{
    if (due_ms >= loop->alarm_ms)
        return;
    uv_update_time(&loop->uv);
    int64_t wait_ms = due_ms - clock_now().mono_ms;
    if (wait_ms < 0)
        wait_ms = 0;
    if (wait_ms > LOOP_ALARM_MS_MAX)
        wait_ms = LOOP_ALARM_MS_MAX;
    loop->alarm_ms = due_ms;
    (void)uv_timer_start(&loop->alarm, alarm_rings, (uint64_t)wait_ms, 0);
}

static void close_handles(struct loop *loop)
{
    mailbox_listen(loop->mailbox, NULL);
    mailbox_shut(loop->mailbox);
    uv_close((uv_handle_t *)&loop->prepare, NULL);
    uv_close((uv_handle_t *)&loop->check, NULL);
    uv_close((uv_handle_t *)&loop->again, NULL);
    uv_close((uv_handle_t *)&loop->wake, NULL);
    uv_close((uv_handle_t *)&loop->alarm, NULL);
    if (loop->watch)
        uv_close((uv_handle_t *)&loop->on_bell, NULL);
    loop_hosts_leave(loop);
    jobs_close(loop->jobs);
    loop->jobs = NULL;
}

static void turn_again(uv_idle_t *handle)
{
    (void)handle; /* an active idle handle keeps the loop from blocking */
}

static void run_turn(struct loop *loop)
{
    if (loop->leaving)
        return;
    if (loop->wanted)
        loop_turn(loop);
    if (loop_may_leave(loop)) {
        loop->leaving = true;
        close_handles(loop);
        return;
    }
    if (loop->wanted)
        (void)uv_idle_start(&loop->again, turn_again);
    else
        (void)uv_idle_stop(&loop->again);
}

/* If the process was suspended since the last check, moves the deadlines of all attempts by that
 * time and logs it, so that no timeout counts the time. */
static void look_for_gap(struct loop *loop)
{
    int64_t still_ms = heartbeat_look(&loop->heartbeat, clock_now().mono_ms);
    if (still_ms == 0)
        return;
    for (size_t i = 0; i < loop->alive_count; i++) {
        struct attempt *attempt = loop->alive[i];
        attempt->heard_ms += still_ms;
        attempt_stood_still(attempt, still_ms);
    }
    struct input input = {.kind = INPUT_FACT, .task = -1, .step = -1};
    input.fact_event = event_new(EVENT_TIME_STOPPED);
    input.fact_event.stopped.ms = still_ms;
    loop_queue(loop, input);
}

static void before_waiting(uv_prepare_t *handle)
{
    struct loop *loop = handle->data;
    look_for_gap(loop);
    run_turn(loop);
    look_for_gap(loop);
    heartbeat_expect(&loop->heartbeat, clock_now().mono_ms,
                     heartbeat_wait_ms(&loop->uv, &loop->alarm));
}

static void after_waiting(uv_check_t *handle)
{
    struct loop *loop = handle->data;
    look_for_gap(loop);
    run_turn(loop);
    look_for_gap(loop);
}

void loop_cancel(struct loop *loop, const char *by, enum cancel_mode mode)
{
    struct input input = {
        .kind = INPUT_CONTROL,
        .control = {.verb = CONTROL_CANCEL,
                    .mode = mode,
                    .task = -1,
                    .step = -1,
                    .key_at_ms = clock_now().at_ms},
    };
    (void)snprintf(input.control.by, sizeof(input.control.by), "%s", by);
    loop_queue(loop, input);
}

static void mail_came(uv_async_t *handle)
{
    struct loop *loop = handle->data;
    struct mail mail = mailbox_take(loop->mailbox);

    loop_ask_tasks(loop, mail.tasks);
    while (mail.notes) {
        struct mail_note *note = mail.notes;
        const bool of_task = note->task >= 0 && note->task < loop->state.plan->task_count;
        mail.notes = note->next;
        loop_queue(loop, (struct input){.kind = INPUT_NOTE,
                                        .task = of_task ? note->task : -1,
                                        .note = note->text});
        free(note);
    }
    if (mail.close && loop->scheduler.awaits_more && loop->growth.plan) {
        loop->scheduler.awaits_more = false;
        loop_queue(loop,
                   (struct input){.kind = INPUT_TIME}); /* this may have been the end of the run */
    }

    if (mail.leave) {
        loop->left = true;
        loop->scheduler.starts_nothing = true;
        loop->wanted = true;
    }
    if (mail.alone) {
        loop->lingers = false;
        const bool goes_on =
            !loop->state.ended; /* after the run's end, there is nothing to watch */
        if (mail.why[0] != '\0' && goes_on)
            loop_note(loop, "nobody is watching", mail.why);
    }
    if (mail.cancel) {
        loop->cancelled = true;
        loop_cancel(loop, mail.by, CANCEL_TERM);
    }
    if (mail.stop) {
        loop->stopping = true;
        jobs_stop(loop->jobs);
        bool is_left = loop->left && loop->alive_count == 0;
        if (!loop->state.ended && !is_left)
            loop_cancel(loop, loop->options->by, CANCEL_KILL);
    }
}

static void bell_rings(uv_poll_t *handle, int status, int events)
{
    struct loop *loop = handle->data;
    (void)status;
    (void)events;
    if (!watch_drain(loop->watch))
        return;
    int64_t due_ms = loop->controls_asked_ms + LOOP_CONTROLS_MS; /* our own commits ring the
                                                                    bell, too */
    if (due_ms < loop->controls_due_ms)
        loop->controls_due_ms = due_ms;
    if (due_ms <= clock_now().mono_ms) {
        loop->wanted = true;
        return;
    }
    loop_alarm(loop, due_ms);
    (void)uv_poll_stop(
        handle); /* until the alarm, the bell would only report each of our own commits */
}

void loop_hear_bell(struct loop *loop)
{
    if (loop->watch && !uv_is_active((uv_handle_t *)&loop->on_bell))
        (void)uv_poll_start(&loop->on_bell, UV_READABLE, bell_rings);
}

static bool open_uv(struct loop *loop, struct err *err)
{
    struct bell bell;
    loop->controls_due_ms = 0;
    /* Without a watch, the loop polls the log for controls. */
    if (bell_init(&bell, loop->options->place, NULL)) {
        if (watch_open(&loop->watch, NULL) && !watch_file(loop->watch, bell.path, NULL)) {
            watch_close(loop->watch);
            loop->watch = NULL;
        }
        bell_done(&bell);
    }

    int failed = uv_loop_init(&loop->uv);
    if (failed != 0)
        return err_set(err, ERR_IO, "event loop: %s", uv_strerror(failed));
    failed = uv_async_init(&loop->uv, &loop->wake, mail_came);
    if (failed != 0) {
        (void)uv_loop_close(&loop->uv);
        return err_set(err, ERR_IO, "event loop: %s", uv_strerror(failed));
    }
    loop->uv_is_open = true;
    (void)uv_prepare_init(&loop->uv, &loop->prepare);
    (void)uv_check_init(&loop->uv, &loop->check);
    (void)uv_idle_init(&loop->uv, &loop->again);
    (void)uv_timer_init(&loop->uv, &loop->alarm);
    if (loop->watch && uv_poll_init(&loop->uv, &loop->on_bell, watch_fd(loop->watch)) != 0) {
        watch_close(loop->watch);
        loop->watch = NULL;
    }
    loop->wake.data = loop;
    loop->prepare.data = loop;
    loop->check.data = loop;
    loop->alarm.data = loop;
    loop->on_bell.data = loop;
    return true;
}

static bool enter_new_run(struct loop *loop, int64_t *number_out, struct err *err)
{
    const struct engine_options *options = loop->options;
    char *dir = redact_string(options->redactor, options->run_dir, NULL);
    char *command = redact_string(options->redactor, options->command, NULL);
    const struct log_run run = {
        .name = options->name,
        .kind = options->kind,
        .plan_text = options->plan_text,
        .dir = dir,
        .command = command,
        .rules_hash = classifier_hash(loop->classifier),
        .rules_text = classifier_rules(loop->classifier),
        .seed = options->seed,
        .jobs = options->jobs,
        .tasks = options->plan->task_count,
        .now = clock_now(),
    };
    bool ok = log_writer_begin(loop->recorder.writer, &run, &loop->state, number_out, err);
    free(dir);
    free(command);
    return ok;
}

/* Opens a run to resume. The run keeps its rules, so that old and new attempts are judged by the
 * same rules. */
static bool enter_old_run(struct loop *loop, int64_t *number_out, struct err *err)
{
    const struct engine_options *options = loop->options;
    const struct log_heir heir = {.state = &loop->state,
                                  .each = recovery_see,
                                  .ctx = &loop->recovery,
                                  .has_ended = options->take_up != TAKE_UP_OPEN};
    struct log_estate estate = {0};
    recovery_init(&loop->recovery, options->plan->task_count);
    bool ok =
        log_writer_continue(loop->recorder.writer, options->resume, &heir, &estate, err) &&
        classifier_open(&loop->classifier, estate.rules.len > 0 ? estate.rules.data : NULL, err);
    for (size_t i = 0; ok && i < options->asked_count; i++)
        ok = log_writer_ask(loop->recorder.writer, &options->asked[i], err);
    loop->rebooted = estate.rebooted;
    *number_out = options->resume;
    str_done(&estate.rules);
    return ok;
}

static void set_up_attempts(struct loop *loop)
{
    const struct engine_options *options = loop->options;
    const struct plan *calls =
        options->calls ? options->calls
                       : options->plan; /* the plan with the real commands and secrets */
    if (calls->grows && options->resume > 0) {
        /* Tasks that were added to the run before it was resumed are known only in truncated form,
         * and are not run again (see loop_recover()). */
        calls = loop->state.plan;
    } else if (calls->grows) {
        growth_init(&loop->growth, calls);
        calls = loop->growth.plan;
    }
    call_digester_open(&loop->calls, options->run_dir, options->environment);
    loop->scheduler = (struct scheduler){.state = &loop->state,
                                         .calls = loop->calls,
                                         .starts_nothing = calls->grows && !loop->growth.plan,
                                         .awaits_more = loop->growth.plan};
    loop->setting = (struct attempt_setting){
        .call = {.plan = calls,
                 .run_dir = options->run_dir,
                 .environment = options->environment,
                 .run_mark = loop->run_mark},
        .uid = log_writer_uid(loop->recorder.writer),
        .log_dir = options->place->dir,
        .log_db = options->place->db,
        .plan_path = options->plan_path,
        .nursery = loop->nursery,
        .uv = &loop->uv,
        .classifier = loop->classifier,
        .redactor = options->redactor,
        .state = &loop->state,
        .gains = &loop->gains,
        .slots = loop->slots,
        .growth = &loop->growth,
        .workspaces = &loop->workspaces,
        .grace_ms = options->kill_grace_ms > 0 ? options->kill_grace_ms : ENGINE_KILL_GRACE_MS,
        .tee = options->tee,
        .tee_ctx = options->tee_ctx,
    };
    const struct workspace_set_call workspaces = {.state = &loop->state,
                                                  .plan = loop->setting.call.plan,
                                                  .run_mark = loop->run_mark,
                                                  .run_dir = options->run_dir,
                                                  .plan_path = options->plan_path,
                                                  .log_dir = options->place->dir,
                                                  .log_db = options->place->db,
                                                  .uid = log_writer_uid(loop->recorder.writer),
                                                  .number = loop->number,
                                                  .environment = options->environment};
    workspace_set_init(&loop->workspaces, &workspaces);
}

static void note_failed_notice(void *ctx, const char *why)
{
    struct str note = {0};
    str_addf(&note, "notify_command failed: %s", why);
    mailbox_post_note(ctx, -1, str_text(&note));
    str_done(&note);
}

bool loop_open(struct loop *loop, const struct engine_options *options, struct mailbox *mailbox,
               int64_t *number_out, struct err *err)
{
    const bool resumes = options->resume > 0;
    *loop = (struct loop){.options = options,
                          .mailbox = mailbox,
                          .alarm_ms = INT64_MAX,
                          .late_ms = INT64_MAX,
                          .lingers = options->at_end == ENGINE_LINGER};
    run_state_init_for(&loop->state, options->plan, options->seed, RUN_STATE_DECIDES);
    /* The rules of a resumed run come from the log (see enter_old_run()). */
    if (!resumes && !classifier_open(&loop->classifier, options->rules, err))
        return false;
    if (!recorder_init(&loop->recorder, options->place, err) || !open_uv(loop, err) ||
        !jobs_open(&loop->jobs, &loop->uv, err) || !nursery_open(&loop->nursery, &loop->uv, err))
        return false;
    if (!(resumes ? enter_old_run(loop, number_out, err) : enter_new_run(loop, number_out, err)))
        return false;
    loop->number = *number_out;
    (void)snprintf(loop->run_mark, sizeof(loop->run_mark), "DEVS_RUN=%s",
                   log_writer_uid(loop->recorder.writer));
    gains_init(&loop->gains, &loop->state, loop->recorder.writer);
    if (resumes)
        gains_resume(&loop->gains);
    loop->slots = machine_slots_open(LOOP_SLOTS_FILE);
    set_up_attempts(loop);
    loop_hosts_open(loop);
    if (options->notify_command && options->notify != 0) {
        const struct notifier_call call = {.command = options->notify_command,
                                           .environment = options->environment,
                                           .run = loop->number,
                                           .name = options->plan->name,
                                           .dir = options->run_dir,
                                           .failed = note_failed_notice,
                                           .ctx = loop->mailbox};
        loop->notifier = notifier_open(&call);
    }
    if (!loop_first_turn(loop, err))
        return false;
    loop_after_open(loop);
    return true;
}

void loop_run(struct loop *loop)
{
    (void)uv_prepare_start(&loop->prepare, before_waiting);
    (void)uv_check_start(&loop->check, after_waiting);
    loop_hear_bell(loop);
    mailbox_listen(loop->mailbox, &loop->wake);
    loop->wanted = true; /* controls may have arrived before the bell was watched */
    (void)uv_run(&loop->uv, UV_RUN_DEFAULT);
    assert(loop->leaving);
}

void loop_close(struct loop *loop)
{
    assert(loop->alive_count == 0);
    notifier_close(loop->notifier, NULL);
    workspace_set_done(&loop->workspaces);
    if (loop->uv_is_open) {
        if (!loop->leaving)
            close_handles(loop);
        (void)uv_run(&loop->uv, UV_RUN_DEFAULT); /* closes the handles of the children */
        nursery_close(loop->nursery);
        loop->nursery = NULL;
        loop_hosts_close(loop);
        (void)uv_run(&loop->uv, UV_RUN_DEFAULT);
        int failed = uv_loop_close(&loop->uv);
        assert(failed == 0);
        (void)failed;
    }
    watch_close(loop->watch);
    recorder_done(&loop->recorder);
    classifier_close(loop->classifier);
    turn_done(&loop->turn);
    call_digester_close(loop->calls);
    gains_done(&loop->gains);
    machine_slots_close(loop->slots);
    growth_done(&loop->growth);
    recovery_done(&loop->recovery);
    run_state_done(&loop->state);
    free(loop->inputs);
    free(loop->alive);
    free(loop->after);
    free(loop->ended);
    free(loop->outputs);
    free(loop->captures);
}
