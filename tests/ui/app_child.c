#define _XOPEN_SOURCE 700

#include "app_child.h"

#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "clock.h"
#include "follower.h"
#include "log_writer.h"
#include "plan.h"
#include "test_main.h"

struct story story;
struct place place;
struct log_writer *writer;
static size_t committed;

pid_t child;
int master;
static int go_fd;
char screen[SCREEN_MAX];
size_t screen_len;

/* Runs in the child: waits until the log exists, runs the app, and reports how the user left it. */
static void run_app(const struct app_options *given, int wait_fd)
{
    struct app_options options = *given;
    struct app_result result = {0};
    struct err err = {0};
    char go;
    if (read(wait_fd, &go, 1) != 1)
        _exit(101);
    struct control_desk *desk = NULL;
    if (options.mode == APP_LIVE && !control_desk_start(&desk, &place, &err))
        _exit(102);
    options.desk = desk;
    bool ok = app_run(&options, &result, &err);
    follower_close(result.follower);
    control_desk_stop(desk);
    if (!ok)
        (void)fprintf(stderr, "app: %s\n", err.message);
    _exit(ok ? (int)result.leave | result.signal << SIGNAL_SHIFT : 103);
}

static void become_session(const char *slave_name)
{
    (void)setsid();
    int slave = open(slave_name, O_RDWR);
    if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) != 0)
        _exit(100);
    for (int fd = 0; fd < 3; fd++)
        (void)dup2(slave, fd);
    (void)setenv("TERM", "xterm-256color", 1);
    (void)setenv("LC_ALL", "C.UTF-8", 1);
    (void)setlocale(LC_ALL, "");
}

/* An open SQLite database must not be carried across a fork, so the child is started before the log
 * is opened. */
void start_child(const struct app_options *options)
{
    struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
    int fds[2];
    master = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert_int_ge(master, 0);
    ck_assert_int_eq(grantpt(master), 0);
    ck_assert_int_eq(unlockpt(master), 0);
    ck_assert_int_eq(ioctl(master, TIOCSWINSZ, &size), 0);
    ck_assert_int_eq(pipe(fds), 0);
    (void)fflush(NULL);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        become_session(ptsname(master));
        (void)close(fds[1]);
        run_app(options, fds[0]);
    }
    (void)close(fds[0]);
    go_fd = fds[1];
}

void commit(void)
{
    struct err err = {0};
    struct log_batch batch = {.events = story.events.items + committed,
                              .event_count = story.events.count - committed};
    ck_assert_msg(log_writer_commit(writer, &batch, LOG_SYNC_NORMAL, &err), "%s", err.message);
    committed = story.events.count;
}

/* The log needs the state from before the first event, so the events are applied again. */
static void fold_again(void)
{
    struct err err = {0};
    for (size_t i = 0; i < story.events.count; i++)
        ck_assert(run_state_apply(&story.state, &story.events.items[i], &err));
}

static void begin_run(const char *name)
{
    struct err err = {0};
    struct str plan = {0};
    int64_t number = 0;
    plan_write(story.plan, &plan);
    struct log_run run = {.name = name,
                          .kind = "plan",
                          .plan_text = plan.data,
                          .dir = "/",
                          .command = "devs run plan.json",
                          .rules_hash = "0",
                          .rules_text = "{}",
                          .seed = 1,
                          .jobs = 5,
                          .tasks = story.plan->task_count,
                          .now = clock_now()};
    run_state_done(&story.state);
    run_state_init(&story.state, story.plan, 1);
    ck_assert_msg(log_writer_begin(writer, &run, &story.state, &number, &err), "%s", err.message);
    str_done(&plan);
    fold_again();
}

void open_log(void)
{
    struct err err = {0};
    ck_assert_msg(log_writer_open(&writer, &place, &err), "%s", err.message);
    begin_run("shop-api");
}

void set_up(void)
{
    struct err err = {0};
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/devs.db", test_tmpdir());
    ck_assert_msg(place_find(path, true, &place, &err), "%s", err.message);
    ck_assert_int_eq(unsetenv("NO_COLOR"), 0);
    story_init(&story, "alpha beta gamma", "G");
    committed = 0;
    screen_len = 0;
    child = 0;
    writer = NULL;
}

void tear_down(void)
{
    log_writer_close(writer);
    story_done(&story);
    (void)close(master);
}

/* Call when child and log exist; commits the story so far. */
void begin(const struct app_options *options)
{
    start_child(options);
    open_log();
    commit();
}

void begin_another(const char *name)
{
    struct err err = {0};
    log_writer_close(writer);
    writer = NULL;
    story_done(&story);
    story_init(&story, "alpha beta gamma", "G");
    committed = 0;
    ck_assert_msg(log_writer_open(&writer, &place, &err), "%s", err.message);
    begin_run(name);
    commit();
}

void go(void)
{
    ck_assert_int_eq(write(go_fd, "g", 1), 1);
}

void begin_for(const struct app_options *options, const char *text)
{
    begin(options);
    go();
    wait_for(text);
}

struct app_options live_options(void)
{
    return (struct app_options){
        .place = &place, .mode = APP_LIVE, .by = "ann@tty2", .engine_done_fd = -1};
}

void press(const char *keys)
{
    ck_assert_int_eq(write(master, keys, strlen(keys)), (ssize_t)strlen(keys));
}

/* Reads screen output, waiting at most timeout_ms. Returns false if there was none. */
bool take_screen(int timeout_ms)
{
    struct pollfd polled = {.fd = master, .events = POLLIN};
    if (poll(&polled, 1, timeout_ms) <= 0 || (polled.revents & POLLIN) == 0)
        return false;
    if (screen_len > SCREEN_MAX / 2)
        screen_len = 0;
    ssize_t count = read(master, screen + screen_len, SCREEN_MAX - screen_len - 1);
    if (count <= 0)
        return false;
    screen_len += (size_t)count;
    screen[screen_len] = '\0';
    return true;
}

/* Waits until the screen shows a text, pressing `keys` repeatedly ("" for none). Only changes are
 * written to a terminal, so if the text does not appear, requests a full redraw. */
void wait_pressing(const char *keys, const char *text)
{
    int64_t until = clock_now().mono_ms + DEADLINE_MS;
    screen_len = 0;
    screen[0] = '\0';
    while (!strstr(screen, text)) {
        bool late = clock_now().mono_ms > until;
        ck_assert_msg(!late, "\"%s\" does not appear; last bytes: %s", text, screen);
        if (!take_screen(PACE_MS * 4)) {
            screen_len = 0;
            press(keys);
            press((const char[]){CTRL_L, '\0'});
        }
    }
}

void wait_for(const char *text)
{
    wait_pressing("", text);
}

void press_for(const char *keys, const char *text)
{
    press(keys);
    wait_for(text);
}

/* Waits for a request in the log, as the run's engine would. Presses `keys` repeatedly ("" for
 * none), because a question ignores keys right after it opens. */
struct control wait_for_control(const char *keys)
{
    int64_t until = clock_now().mono_ms + DEADLINE_MS;
    struct control control = {0};
    struct err err = {0};
    size_t count = 0;
    while (count == 0) {
        ck_assert_msg(clock_now().mono_ms < until, "no act came");
        (void)take_screen(PACE_MS);
        press(keys);
        ck_assert_msg(log_writer_controls(writer, &control, 1, &count, &err), "%s", err.message);
    }
    return control;
}

void answer(const struct control *control, bool done, const char *text)
{
    struct event event = event_new(EVENT_CONTROL_ANSWERED);
    event.task = control->task;
    event.answered.control = control->id;
    event.answered.done = done;
    event.answered.verb = control->verb;
    event.answered.answer = text;
    story_add(&story, event);
    commit();
}

/* Returns how the child was left, after reading its screen to the end. Presses `keys` meanwhile. */
int left_pressing(const char *keys)
{
    int status = 0;
    int64_t until = clock_now().mono_ms + DEADLINE_MS;
    while (waitpid(child, &status, WNOHANG) == 0) {
        ck_assert_msg(clock_now().mono_ms < until, "the app does not leave");
        if (!take_screen(PACE_MS))
            press(keys);
    }
    ck_assert_msg(WIFEXITED(status), "the app ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

int left(void)
{
    return left_pressing("");
}

void quit(void)
{
    press("q");
    ck_assert_int_eq(left(), APP_LEFT);
}

/* Returns how often the child has yielded the processor so far. */
static long switches(void)
{
    char path[64], line[128];
    long count = -1;
    (void)snprintf(path, sizeof(path), "/proc/%d/status", (int)child);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof(line), file)) {
        if (strncmp(line, "voluntary_ctxt_switches:", 24) == 0)
            count = strtol(line + 24, NULL, 10);
    }
    (void)fclose(file);
    return count;
}

bool comes_to_rest(void)
{
    bool rests = false;
    for (int64_t until = clock_now().mono_ms + DEADLINE_MS;
         !rests && clock_now().mono_ms < until;) {
        const long before = switches();
        rests = !take_screen(IDLE_MS) && switches() == before;
    }
    return rests;
}
