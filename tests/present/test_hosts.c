/* The machines of a run as rows, the WHERE column, and the states of tasks on other machines. */
#include <stdio.h>
#include <string.h>

#include "filter.h"
#include "play.h"
#include "rows.h"
#include "test_main.h"
#include "timeline.h"

static struct play play;
static struct str text;

static void setup(void)
{
    play_open(&play,
              "{'version':1,'idempotent':true,'executors':{'lab':{'like':'ssh','shared':'/s',"
              "'hosts':[{'host':'ann@h1','slots':2},'h2','h3']}},'executor':'lab','tasks':["
              "{'id':'a','title':'first','steps':[{'run':['x']}]},"
              "{'id':'b','steps':[{'run':['x']}]},{'id':'c','steps':[{'run':['x']}]},"
              "{'id':'d','steps':[{'run':['x']}],'needs':['a']},"
              "{'id':'here','executor':'local','steps':[{'run':['x']}]}]}");
    play_start(&play, 4);
}

static void teardown(void)
{
    str_done(&text);
    play_close(&play);
}

static const char *hm(int64_t at_ms, int64_t now_ms, char out[SHOWN_CLOCK_MAX])
{
    (void)now_ms;
    (void)snprintf(out, SHOWN_CLOCK_MAX, "+%d:%02d", (int)(at_ms / 60000 % 60),
                   (int)(at_ms / 1000 % 60));
    return out;
}

static const char *hms(int64_t at_ms, char out[SHOWN_CLOCK_MAX])
{
    return hm(at_ms, 0, out);
}

static struct shown_look look_later(int64_t ms)
{
    return (struct shown_look){
        .time = {.now = {.at_ms = play.now.at_ms + ms, .mono_ms = play.now.mono_ms + ms},
                 .clock = hm,
                 .hms = hms,
                 .date = hms}};
}

static void tell_host(const char *host, const char *why)
{
    struct input input = {.kind = INPUT_FACT, .task = -1, .step = -1};
    input.fact_event = event_new(EVENT_HOST_STATE);
    input.fact_event.host.executor = "lab";
    input.fact_event.host.host = host;
    input.fact_event.host.is_down = why;
    input.fact_event.host.why = why;
    play_input(&play, input);
}

static void tell_running(const char *id)
{
    play_input(&play,
               (struct input){.kind = INPUT_RUNNING, .task = play_task(&play, id), .attempt = 1});
}

/* Contact is lost now, for at most a minute. */
static void lose(const char *id)
{
    struct input input = {.kind = INPUT_FACT, .task = play_task(&play, id), .attempt = 1};
    input.fact_event = event_new(EVENT_CONTACT_LOST);
    input.fact_event.contact_lost.since = play.now;
    input.fact_event.contact_lost.fence =
        (struct moment){play.now.at_ms + 60000, play.now.mono_ms + 60000};
    play_input(&play, input);
}

/* Returns the columns of a machine, separated by "|", `ms` later. */
static const char *host_row(int number, int64_t ms)
{
    static const char *const keys[] = {"executor", "state", "slots", "contact", "tasks"};
    const struct shown_look look = look_later(ms);
    struct hosts hosts;
    struct rows rows = {0};
    hosts_read(&hosts, &play.state);
    rows_host(&rows, &hosts, &play.state, number, &look);
    str_clear(&text);
    str_add(&text, rows_value(&rows, "host"));
    for (int i = 0; i < TABLE_LEN(keys); i++)
        str_addf(&text, "|%s", rows_value(&rows, keys[i]));
    rows_done(&rows);
    hosts_done(&hosts);
    return str_text(&text);
}

static const char *where(const char *id)
{
    str_clear(&text);
    shown_where(&play.state, play_task(&play, id), &text);
    return str_text(&text);
}

static const char *next(const char *id, int64_t ms)
{
    const struct shown_look look = look_later(ms);
    str_clear(&text);
    shown_next(&play.state, play_task(&play, id), false, &look.time, &text);
    return str_text(&text);
}

static const char *now(const char *id, int64_t ms, bool orphaned)
{
    struct shown_look look = look_later(ms);
    look.orphaned = orphaned;
    str_clear(&text);
    shown_now(&play.state, play_task(&play, id), &look, &text);
    return str_text(&text);
}

/* a and b run on h1, c on h2. */
START_TEST(test_up_down_slots_used_and_contact)
{
    ck_assert_str_eq(host_row(0, 0), "ann@h1|lab|connecting|2/2|never|a b");
    tell_running("a");
    ck_assert_str_eq(host_row(0, 3000), "ann@h1|lab|up|2/2|now|a b");
    ck_assert_str_eq(host_row(HOST_HERE, 0), "this machine|local|up|1/4||here");
    ck_assert_str_eq(host_row(2, 0), "h3|lab|untried|0/1|never|");
    tell_host("h2", "no route to host");
    ck_assert_str_eq(host_row(1, 5000), "h2|lab|down 0:05|1/1|never|c");
    lose("c");
    ck_assert_str_eq(host_row(1, 5000), "h2|lab|down 0:05|1/1|never|1 fenced until +17:45");
    play_outcome(&play, "c", (struct outcome){.kind = OUTCOME_LOST, .proof = PROOF_FENCED},
                 play_transient(TRANSIENT_NETWORK_TIMEOUT));
    ck_assert_str_eq(host_row(1, 5000), "h2|lab|down 0:05|0/1|never|no route to host");
    tell_host("h2", NULL);
    ck_assert_str_eq(host_row(1, 7000), "h2|lab|up|0/1|0:07 ago|");
}
END_TEST

static void tell_nodes(struct cluster_nodes nodes)
{
    struct input input = {.kind = INPUT_FACT, .task = -1, .step = -1};
    input.fact_event = event_new(EVENT_HOST_STATE);
    input.fact_event.host.executor = "lab";
    input.fact_event.host.host = "h3";
    input.fact_event.host.nodes = nodes;
    play_input(&play, input);
}

START_TEST(test_nodes_of_a_cluster)
{
    tell_nodes((struct cluster_nodes){.up = 4});
    ck_assert_str_eq(host_row(2, 1000), "h3|lab|up|0/1|0:01 ago|");
    tell_nodes((struct cluster_nodes){.up = 2, .drain = 1, .down = 1});
    ck_assert_str_eq(host_row(2, 0),
                     "h3|lab|up|0/1|0:00 ago|2 of 4 nodes take jobs, 1 drained, 1 down");
    tell_nodes((struct cluster_nodes){.drain = 4});
    ck_assert_str_eq(host_row(2, 0), "h3|lab|drain|0/1|0:00 ago|0 of 4 nodes take jobs, 4 drained");
    tell_nodes((struct cluster_nodes){.down = 1});
    ck_assert_str_eq(host_row(2, 0), "h3|lab|down|0/1|0:00 ago|0 of 1 node takes jobs, 1 down");
    tell_host("h3", "no answer");
    ck_assert_str_eq(host_row(2, 5000), "h3|lab|down 0:05|0/1|0:05 ago|no answer");
}
END_TEST

START_TEST(test_hosts_that_are_down_come_first)
{
    struct hosts hosts;
    struct rows rows = {0};
    const struct shown_look look = look_later(9000);
    tell_host("h3", "no route to host");
    hosts_read(&hosts, &play.state);
    ck_assert_int_eq(hosts.count, 4);
    ck_assert_int_eq(hosts.order[0], 2);
    ck_assert_int_eq(hosts.order[1], 0);
    ck_assert_int_eq(hosts.order[3], HOST_HERE);
    rows_hosts_sum(&rows, &hosts);
    ck_assert_str_eq(rows_value(&rows, "hosts"), "4 machines, 1 down, 4 of 8 slots in use");
    rows_hosts_down(&rows, &play.state, &look);
    ck_assert_str_eq(rows_value(&rows, "down"), "host h3 (lab) is down for 0:09: no route to host");
    rows_host_more(&rows, &hosts, &play.state, 0, &look);
    ck_assert_str_eq(rows_value(&rows, "now"), "connecting; 2 of 2 slots in use");
    ck_assert_ptr_nonnull(strstr(rows_value(&rows, "runs"), "a  0:09"));
    ck_assert_ptr_nonnull(strstr(rows_value(&rows, "runs"), "try 1 of 3  first"));
    rows_done(&rows);
    hosts_done(&hosts);
}
END_TEST

START_TEST(test_where_a_task_is)
{
    ck_assert_str_eq(where("a"), "h1"); /* without its user */
    ck_assert_str_eq(where("d"), "lab");
    ck_assert_str_eq(where("here"), "local");
    lose("a");
    ck_assert_str_eq(where("a"), "h1?");
    struct task_filter filter;
    const struct task_filter_facts facts = {.state = &play.state, .now = play.now};
    static const struct {
        const char *filter, *id;
        bool fits;
    } cases[] = {{"where=h1", "a", true},     {"where=ann@h1", "a", true},
                 {"where=lab", "d", true},    {"where=local", "here", true},
                 {"where=local", "a", false}, {"where!=local", "a", true},
                 {"where=h2*", "a", false},   {"where=h1", "d", false}};
    for (int i = 0; i < TABLE_LEN(cases); i++) {
        task_filter_read(cases[i].filter, &filter);
        ck_assert_msg(task_filter_fits(&filter, &facts, play_task(&play, cases[i].id)) ==
                          cases[i].fits,
                      "%s, %s", cases[i].filter, cases[i].id);
    }
}
END_TEST

START_TEST(test_states_without_contact)
{
    tell_running("a");
    lose("a");
    ck_assert_str_eq(next("a", 12000), "no contact 0:12");
    ck_assert_ptr_nonnull(strstr(now("a", 12000, false),
                                 "on ann@h1, no contact for 0:12, fenced until +17:45: it ends "
                                 "itself by then"));
    play_control(&play, CONTROL_CANCEL, "a", CANCEL_KILL);
    ck_assert_str_eq(next("a", 12000), "fenced until +17:45");
    play_outcome(&play, "a", (struct outcome){.kind = OUTCOME_CANCELLED},
                 play_persistent(REASON_CANCELLED));
    ck_assert_str_eq(next("a", 12000), "fenced until +17:45");
    ck_assert_ptr_nonnull(strstr(now("a", 12000, false), "fenced until +17:45"));
    ck_assert_str_eq(next("a", 61000), "ended 1:01");
    ck_assert_str_eq(now("b", 0, true),
                     "was running on ann@h1 when devs died, and may still run there");
    ck_assert_str_eq(now("here", 0, true), "was running when devs died");
}
END_TEST

static struct event job_event(enum job_state state, const char *reason, const char *node)
{
    struct event event = event_new(EVENT_JOB_STATE);
    event.job.state = state;
    event.job.job = "4711";
    event.job.reason = reason;
    event.job.node = node;
    return event;
}

static void tell_job(const char *id, const struct event *fact)
{
    play_input(&play, (struct input){.kind = INPUT_FACT,
                                     .task = play_task(&play, id),
                                     .attempt = 1,
                                     .fact_event = *fact});
}

START_TEST(test_job_in_a_queue)
{
    play_close(&play);
    play_open(&play, "{'version':1,'idempotent':true,'executors':{'farm':{'like':'slurm',"
                     "'shared':'/s','slots':9}},'executor':'farm','tasks':[{'id':'a','steps':"
                     "[{'run':['x']}]},{'id':'b','steps':[{'run':['x']}]}]}");
    play_start(&play, 1);
    ck_assert_str_eq(where("a"), "farm");
    struct event fact = job_event(JOB_QUEUED, "Priority\x1b[2J", NULL);
    tell_job("a", &fact);
    ck_assert_int_eq((int)shown_task(&play.state, 0, false), (int)SHOWN_QUEUED);
    ck_assert_int_eq((int)shown_task(&play.state, 0, true), (int)SHOWN_LOST);
    ck_assert_ptr_null(strchr(next("a", 130000), '\x1b'));
    fact = job_event(JOB_QUEUED, "Resources", NULL);
    tell_job("a", &fact);
    ck_assert_str_eq(next("a", 130000), "2:10 (Resources)");
    ck_assert_str_eq(now("a", 130000, false),
                     "waits in the queue of farm for 2:10 (Resources), job 4711");
    ck_assert_str_eq(host_row(0, 0), "slurm|farm|connecting|2/9|never|1 running, 1 queued");
    struct time_spent spent;
    const struct moment later = {.at_ms = play.now.at_ms + 130000,
                                 .mono_ms = play.now.mono_ms + 130000};
    time_spent_of_run(&spent, &play.state, &later, false);
    ck_assert_int_eq(spent.ms[TIME_QUEUE], 130000);
    ck_assert_int_eq(spent.ms[TIME_WORK], 130000); /* of b */
    ck_assert_int_eq(spent.total_ms, 260000);
    struct overview overview;
    overview_of_state(&overview, &play.state, false);
    ck_assert_int_eq(overview.counts[SHOWN_QUEUED], 1);
    play_control(&play, CONTROL_CANCEL, "a", CANCEL_TERM);
    ck_assert_int_eq((int)shown_task(&play.state, 0, false), (int)SHOWN_STOPPING);
    fact = job_event(JOB_RUNNING, NULL, "n2");
    tell_job("b", &fact);
    tell_running("b");
    ck_assert_str_eq(where("b"), "n2");
    struct rows rows = {0};
    rows_place(&rows, &play.state, 1);
    ck_assert_str_eq(rows_value(&rows, "job"), "4711 running on n2");
    rows_done(&rows);
}
END_TEST

START_TEST(test_tries_of_a_host)
{
    const struct shown_look look = look_later(0);
    struct hosts hosts;
    struct rows rows = {0};
    play_exit(&play, "a", 0, play_passed());
    play_control(&play, CONTROL_CANCEL, "d", CANCEL_TERM);
    play_outcome(&play, "d", (struct outcome){.kind = OUTCOME_CANCELLED, .proof = PROOF_REAPED},
                 play_persistent(REASON_CANCELLED));
    hosts_read(&hosts, &play.state);
    rows_host_more(&rows, &hosts, &play.state, 0, &look);
    ck_assert_str_eq(rows_value(&rows, "tries"), "2 ended, 1 passed, 1 cancelled");
    rows_done(&rows);
    hosts_done(&hosts);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("hosts");
    TCase *tcase = test_case(suite, "hosts");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_up_down_slots_used_and_contact);
    tcase_add_test(tcase, test_hosts_that_are_down_come_first);
    tcase_add_test(tcase, test_nodes_of_a_cluster);
    tcase_add_test(tcase, test_where_a_task_is);
    tcase_add_test(tcase, test_states_without_contact);
    tcase_add_test(tcase, test_job_in_a_queue);
    tcase_add_test(tcase, test_tries_of_a_host);
    return suite;
}
