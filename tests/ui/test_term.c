/* A child of the test drives one end of a pseudo-terminal. The test plays the terminal: it sees
 * every byte, and the settings before and after. */
#define _XOPEN_SOURCE 700

#include "term.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "test_main.h"
#include "text.h"

enum { OUTPUT_MAX = 256 * 1024, DEADLINE_MS = 10000, ROWS = 30, COLUMNS = 100 };

static const char smcup[] = "\033[?1049h";
static const char rmcup[] = "\033[?1049l";
static const char cursor_on[] = "\033[?25h";
static const char cursor_off[] = "\033[?25l";
static const char paste_on[] = "\033[?2004h";
static const char paste_off[] = "\033[?2004l";
static const char mouse_on[] = "\033[?1002h";
static const char mouse_off[] = "\033[?1002l";

/* Received bytes, always NUL-terminated. */
struct bytes {
    char *text;
    size_t len;
};

static struct {
    int master, slave;
    int result; /* what the child reports to the test; closed when the child ends */
    struct termios before;
    pid_t child;
    int status;
    struct bytes screen, told;
} pty;

/* In the child. */
static int result_fd;
static struct term *term;
static struct canvas canvas;

static const char *term_name = "xterm-256color";
static const char *locale_name = "C.UTF-8";

static void setup(void)
{
    struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
    pty.screen.text = calloc(1, OUTPUT_MAX);
    pty.told.text = calloc(1, OUTPUT_MAX);
    pty.master = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert_int_ge(pty.master, 0);
    ck_assert_int_eq(grantpt(pty.master), 0);
    ck_assert_int_eq(unlockpt(pty.master), 0);
    pty.slave = open(ptsname(pty.master), O_RDWR | O_NOCTTY);
    ck_assert_int_ge(pty.slave, 0);
    ck_assert_int_eq(tcgetattr(pty.slave, &pty.before), 0);
    ck_assert_int_eq(ioctl(pty.master, TIOCSWINSZ, &size), 0);
    ck_assert_int_eq(unsetenv("NO_COLOR"), 0);
    ck_assert_int_eq(unsetenv("LINES"), 0);
    ck_assert_int_eq(unsetenv("COLUMNS"), 0);
}

static void teardown(void)
{
    free(pty.screen.text);
    free(pty.told.text);
}

static void write_text(int fd, const char *text)
{
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

/* Runs the body in a child, in its own session on the slave. */
static void run_child(void (*body)(void), const char *slave_name)
{
    (void)setsid();
    int slave = open(slave_name, O_RDWR);
    if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) != 0)
        _exit(90);
    for (int fd = 0; fd < 3; fd++)
        (void)dup2(slave, fd);
    (void)close(slave);
    (void)close(pty.master);
    (void)close(pty.slave);
    (void)close(pty.result);
    (void)setenv("TERM", term_name, 1);
    (void)setenv("LC_ALL", locale_name, 1);
    (void)setlocale(LC_ALL, "");
    body();
    _exit(0);
}

static void start(void (*body)(void))
{
    int fds[2];
    ck_assert_int_eq(pipe(fds), 0);
    pty.result = fds[0];
    result_fd = fds[1];
    (void)fflush(NULL);
    pty.child = fork();
    ck_assert_int_ge(pty.child, 0);
    if (pty.child == 0)
        run_child(body, ptsname(pty.master));
    (void)close(fds[1]);
}

/* Appends available input to `to`; returns false at the end. */
static bool take(int fd, struct bytes *to)
{
    ssize_t count = read(fd, to->text + to->len, OUTPUT_MAX - 1 - to->len);
    if (count <= 0)
        return false;
    to->len += (size_t)count;
    to->text[to->len] = '\0';
    return true;
}

/* Reads until the child has reported `text` (NULL: until it has ended). */
static void read_until(const char *text)
{
    bool running = true;
    while (running && !(text && strstr(pty.told.text, text))) {
        struct pollfd fds[] = {{.fd = pty.master, .events = POLLIN},
                               {.fd = pty.result, .events = POLLIN}};
        ck_assert_msg(poll(fds, 2, DEADLINE_MS) > 0, "nothing came; told '%s'", pty.told.text);
        if ((fds[0].revents & POLLIN) != 0)
            (void)take(pty.master, &pty.screen);
        if (fds[1].revents != 0)
            running = take(pty.result, &pty.told);
    }
    ck_assert_msg(!text || strstr(pty.told.text, text), "ended without '%s'", text);
}

/* Waits until the child has ended and reads the rest of its output. */
static void finish(void)
{
    read_until(NULL);
    ck_assert_int_eq(waitpid(pty.child, &pty.status, 0), pty.child);
    struct pollfd rest = {.fd = pty.master, .events = POLLIN};
    while (poll(&rest, 1, 0) > 0 && (rest.revents & POLLIN) != 0)
        (void)take(pty.master, &pty.screen);
}

/* The output could contain NULs only if ncurses padded, which it does not here. */
static const char *find(const char *text)
{
    return strstr(pty.screen.text, text);
}

static const char *find_last(const char *text)
{
    const char *last = NULL;
    for (const char *at = find(text); at; at = strstr(at + 1, text))
        last = at;
    return last;
}

static void check_settings_are_as_before(void)
{
    struct termios now;
    ck_assert_int_eq(tcgetattr(pty.slave, &now), 0);
    ck_assert_uint_eq(now.c_iflag, pty.before.c_iflag);
    ck_assert_uint_eq(now.c_oflag, pty.before.c_oflag);
    ck_assert_uint_eq(now.c_cflag, pty.before.c_cflag);
    ck_assert_uint_eq(now.c_lflag, pty.before.c_lflag);
    ck_assert_mem_eq(now.c_cc, pty.before.c_cc, sizeof(now.c_cc));
}

static void check_given_back(void)
{
    ck_assert_ptr_nonnull(find(smcup));
    ck_assert_ptr_nonnull(find(cursor_off));
    ck_assert_ptr_nonnull(find(paste_on));
    ck_assert_ptr_nonnull(find(rmcup));
    ck_assert(find_last(rmcup) > find_last(smcup));
    ck_assert(find_last(cursor_on) > find_last(cursor_off));
    ck_assert(find_last(paste_off) > find_last(paste_on));
    ck_assert(find_last(mouse_off) > find_last(mouse_on)); /* also if it was never turned on */
    check_settings_are_as_before();
}

/* Code that runs in the child. */

static void show(const char *text)
{
    canvas_clear(&canvas);
    canvas_text(&canvas, (struct spot){2, 3, COLUMNS}, STYLE_BACKOFF, text);
    term_show(term, &canvas);
}

static void open_and_show(void)
{
    struct err err = {0};
    int rows = 0, columns = 0;
    if (!term_open(&term, TERM_COLOR_AUTO, &err)) {
        (void)dprintf(result_fd, "error %d: %s", (int)err.code, err.message);
        _exit(91);
    }
    term_size(term, &rows, &columns);
    canvas_init(&canvas, rows, columns, false);
    show("Hallo");
}

static void close_all(void)
{
    term_close(term);
    canvas_done(&canvas);
}

static void body_close(void)
{
    open_and_show();
    close_all();
}

static void body_close_twice_open(void)
{
    open_and_show();
    close_all();
    open_and_show();
    close_all();
}

static void body_exit(void)
{
    open_and_show();
    exit(7);
}

static int raised; /* set before the child starts */

static void body_raise(void)
{
    open_and_show();
    (void)raise(raised);
}

/* ^\ just when the terminal's keys generate signals again. */
static void body_quit_while_aside(void)
{
    open_and_show();
    term_step_aside(term);
    (void)raise(SIGQUIT);
    write_text(STDOUT_FILENO, "[A]");
    term_come_back(term);
    close_all();
}

/* After coming back, ^\ works as before. */
static void body_quit_when_back(void)
{
    open_and_show();
    term_step_aside(term);
    term_come_back(term);
    (void)raise(SIGQUIT);
}

static void body_raise_ignored(void)
{
    (void)signal(SIGXFSZ, SIG_IGN);
    open_and_show();
    (void)raise(SIGXFSZ);
    write_text(STDOUT_FILENO, "[A]");
    close_all();
}

static void *raise_segv(void *unused)
{
    (void)raise(SIGSEGV);
    return unused;
}

/* Like the engine's threads: the same blocked signals, and no alternate signal stack. */
static void body_segv_in_a_thread(void)
{
    sigset_t blocked;
    pthread_t thread;
    open_and_show();
    (void)sigfillset(&blocked);
    (void)sigdelset(&blocked, SIGSEGV);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    if (pthread_create(&thread, NULL, raise_segv, NULL) == 0)
        (void)pthread_join(thread, NULL);
}

static void body_abort(void)
{
    open_and_show();
    abort();
}

/* A process that was started by the cockpit and exits must not be mistaken for the cockpit. */
static void body_child_exits(void)
{
    open_and_show();
    write_text(STDOUT_FILENO, "[A]");
    pid_t child = fork();
    if (child == 0)
        exit(0);
    (void)waitpid(child, NULL, 0);
    write_text(STDOUT_FILENO, "[B]");
    close_all();
}

static int next_signal(void)
{
    struct pollfd fd = {.fd = term_signal_fd(term), .events = POLLIN};
    while (poll(&fd, 1, DEADLINE_MS) < 0 && errno == EINTR)
        continue;
    return term_signal(term);
}

static void body_signal(void)
{
    open_and_show();
    (void)dprintf(result_fd, "ready\n");
    int signal = next_signal();
    (void)dprintf(result_fd, "signal %d then %d\n", signal, term_signal(term));
    close_all();
}

static void body_resize(void)
{
    int rows = 0, columns = 0;
    open_and_show();
    (void)dprintf(result_fd, "ready\n");
    int signal = next_signal();
    term_size(term, &rows, &columns);
    (void)dprintf(result_fd, "%d %dx%d key %d\n", signal, columns, rows,
                  term_key(term, false) == TERM_KEY_RESIZE);
    canvas_resize(&canvas, rows, columns);
    canvas_text(&canvas, (struct spot){rows - 1, 0, columns}, STYLE_PLAIN, "bottom");
    term_show(term, &canvas);
    close_all();
}

static void body_changes(void)
{
    open_and_show();
    write_text(STDOUT_FILENO, "[A]");
    show("Hallo");
    write_text(STDOUT_FILENO, "[B]");
    show("Hello");
    write_text(STDOUT_FILENO, "[C]");
    term_redraw(term);
    show("Hello");
    write_text(STDOUT_FILENO, "[D]");
    close_all();
}

static void body_text(void)
{
    open_and_show();
    (void)dprintf(result_fd, "utf8 %d", term_is_utf8(term));
    canvas_clear(&canvas);
    canvas_text(&canvas, (struct spot){0, 0, 20}, STYLE_PLAIN, "[日本 e\u0301 ●]");
    term_show(term, &canvas);
    canvas_text(&canvas, (struct spot){0, 1, 20}, STYLE_PLAIN, "x本y");
    term_show(term, &canvas);
    close_all();
}

/* Output of programs that are malicious, or careless. Each is between two marks, so that the text
 * after it shows whether the columns are still correct. */
static const char *const hostile[] = {
    "\033[2J\033[H\033[31mred",
    "\033]0;title\a\033]52;c;ZXZpbA==\a\033]8;;http://x\033\\link",
    "\033P$q\"p\033\\\033_Gf=24;AAAA\033\\\033^pm\033\\\033Xsos\033\\",
    "\033[6n\033[c\033[>c\033[5n\033[21t\033Z\005",
    "\033[?1049l\033[?1000h\033[?25h\033[4h\033c\033#8",
    "\x9b"
    "2J\x9d"
    "0;x\x9c\x90q\x9c\xc2\x9b"
    "31m\xc2\x9d"
    "0;y\xc2\x9c",
    "\016\017\b\b\b\v\f\r\a\177",
    "\u202eabc\u202c\u2066x\u2069\u200f\u061c",
    "\xff\xfe\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82",
    "日本語 e\u0301\u0302\u0303\u0304 \u0301",
    "👩\u200d👩\u200d👧 🇩🇪 ❤\ufe0f 👍🏽 1\ufe0f\u20e3 \U000e0041\U000e007f",
    "\033",
    "\033[",
    "\033]52;c;",
    "\033P",
};

enum { MARK_COLUMN = 60, NOISE_ROWS = 10, NOISE_BYTES = 300 };

static void draw_marked(int row, const char *text, size_t len)
{
    canvas_text_n(&canvas, (struct spot){row, 0, MARK_COLUMN}, (enum style)(row % STYLE_COUNT),
                  text, len);
    canvas_text(&canvas, (struct spot){row, MARK_COLUMN, 10}, STYLE_PLAIN, "<end>");
}

static void body_hostile(void)
{
    uint32_t state = 2463534242U;
    int row = 0;
    open_and_show();
    canvas_clear(&canvas);
    for (; row < TABLE_LEN(hostile); row++)
        draw_marked(row, hostile[row], strlen(hostile[row]));
    for (int i = 0; i < NOISE_ROWS; i++) {
        char bytes[NOISE_BYTES];
        for (size_t k = 0; k < sizeof(bytes); k++) {
            state ^= state << 13U;
            state ^= state >> 17U;
            state ^= state << 5U;
            bytes[k] = (char)(state >> 16U);
        }
        draw_marked(row + i, bytes, sizeof(bytes));
    }
    term_show(term, &canvas);
    close_all();
}

/* Every style, selected and not. */
static void body_styles(void)
{
    open_and_show();
    for (int i = 0; i < STYLE_COUNT; i++)
        canvas_text(&canvas, (struct spot){i, 0, 20}, (enum style)i, "style");
    canvas_choose(&canvas, STYLE_FAILED, 0, 3);
    term_show(term, &canvas);
    close_all();
}

static void tell_keys(bool text_wanted)
{
    open_and_show();
    (void)dprintf(result_fd, "ready\n");
    struct pollfd fd = {.fd = term_fd(term), .events = POLLIN};
    for (uint32_t key = 0; key != 'Z' && key != TERM_KEY_GONE;) {
        if (poll(&fd, 1, DEADLINE_MS) == 0)
            break;
        for (key = 1; key != TERM_KEY_NONE && key != 'Z' && key != TERM_KEY_GONE;) {
            key = term_key(term, text_wanted);
            if (key != TERM_KEY_NONE)
                (void)dprintf(result_fd, "%x ", (unsigned)key);
        }
    }
    close_all();
}

static void body_keys(void)
{
    tell_keys(false);
}

static void body_keys_as_text(void)
{
    tell_keys(true);
}

/* Includes mouse reports, as "kind row,column". */
static void body_mouse(void)
{
    open_and_show();
    term_take_mouse(term, true);
    (void)dprintf(result_fd, "ready\n");
    struct pollfd fd = {.fd = term_fd(term), .events = POLLIN};
    for (uint32_t key = 0; key != 'Z' && poll(&fd, 1, DEADLINE_MS) > 0;) {
        key = term_key(term, false);
        const struct mouse mouse = term_mouse(term);
        if (key == TERM_KEY_MOUSE)
            (void)dprintf(result_fd, "%d@%d,%d ", (int)mouse.kind, mouse.row, mouse.column);
        else if (key != TERM_KEY_NONE)
            (void)dprintf(result_fd, "%x ", (unsigned)key);
    }
    close_all();
}

static void body_mouse_and_crash(void)
{
    open_and_show();
    term_take_mouse(term, true);
    (void)raise(SIGSEGV);
}

static void body_mouse_given_back(void)
{
    open_and_show();
    term_take_mouse(term, true);
    write_text(STDOUT_FILENO, "[A]");
    term_take_mouse(term, false);
    write_text(STDOUT_FILENO, "[B]");
    close_all();
}

static void body_copy(void)
{
    char much[TERM_COPY_MAX + 1] = {0};
    open_and_show();
    (void)dprintf(result_fd, "%d%d", term_copy(term, "T-104", 5),
                  term_copy(term, much, sizeof(much)));
    close_all();
}

static void body_gone(void)
{
    (void)signal(SIGHUP, SIG_IGN);
    tell_keys(false);
}

/* Acts like a shell: starts the cockpit as a job, sees it stop, continues it. */
static void body_job(void)
{
    struct termios before, stopped;
    int status = 0, go[2];
    char byte;
    (void)tcgetattr(STDIN_FILENO, &before);
    ck_assert_int_eq(pipe(go), 0);
    pid_t job = fork();
    if (job == 0) {
        ck_assert_int_eq(read(go[0], &byte, 1), 1);
        open_and_show();
        term_suspend(term);
        show("Hallo");
        close_all();
        _exit(0);
    }
    (void)setpgid(job, job);
    (void)tcsetpgrp(STDIN_FILENO, job);
    write_text(go[1], "x");
    (void)waitpid(job, &status, WUNTRACED);
    (void)tcgetattr(STDIN_FILENO, &stopped);
    bool same = before.c_lflag == stopped.c_lflag && before.c_iflag == stopped.c_iflag &&
                before.c_oflag == stopped.c_oflag;
    (void)dprintf(result_fd, "stopped %d same %d\n", WIFSTOPPED(status), same);
    write_text(STDOUT_FILENO, "[shell]");
    (void)kill(job, SIGCONT);
    (void)waitpid(job, &status, 0);
    (void)dprintf(result_fd, "ended %d\n", WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void body_open_only(void)
{
    struct err err = {0};
    if (term_open(&term, TERM_COLOR_AUTO, &err)) {
        (void)dprintf(result_fd, "opened");
        term_close(term);
        return;
    }
    (void)dprintf(result_fd, "error %d %d", err.code == ERR_INVALID, term == NULL);
}

static void body_no_terminal(void)
{
    int fds[2];
    ck_assert_int_eq(pipe(fds), 0);
    (void)dup2(fds[1], STDOUT_FILENO);
    body_open_only();
}

/* The tests. */

static const struct {
    const char *name;
    void (*body)(void);
    int signal, code;
    const char *line;
} end_cases[] = {
    {"close", body_close, 0, 0, ""},
    {"open again", body_close_twice_open, 0, 0, ""},
    {"exit", body_exit, 0, 7, ""},
    {"SIGSEGV", body_raise, SIGSEGV, 0, "devs: crashed: signal SEGV\r\n"},
    {"SIGBUS", body_raise, SIGBUS, 0, "devs: crashed: signal BUS\r\n"},
    {"SIGFPE", body_raise, SIGFPE, 0, "devs: crashed: signal FPE\r\n"},
    {"SIGILL", body_raise, SIGILL, 0, "devs: crashed: signal ILL\r\n"},
    {"SIGSYS", body_raise, SIGSYS, 0, "devs: crashed: signal SYS\r\n"},
    {"SIGUSR1", body_raise, SIGUSR1, 0, "devs: killed by signal USR1\r\n"},
    {"SIGALRM", body_raise, SIGALRM, 0, "devs: killed by signal ALRM\r\n"},
    {"SIGXFSZ ignored", body_raise_ignored, 0, 0, "[A]"},
    {"SIGQUIT", body_raise, SIGQUIT, 0, "devs: killed by signal QUIT\r\n"},
    {"SIGQUIT while aside", body_quit_while_aside, 0, 0, "[A]"},
    {"SIGQUIT when back", body_quit_when_back, SIGQUIT, 0, "devs: killed by signal QUIT\r\n"},
    {"SIGSEGV in a thread", body_segv_in_a_thread, SIGSEGV, 0, "devs: crashed: signal SEGV\r\n"},
    {"abort", body_abort, SIGABRT, 0, "devs: crashed: signal ABRT\r\n"},
    {"a child of ours exits", body_child_exits, 0, 0, "[A][B]"},
    {"with the mouse taken", body_mouse_and_crash, SIGSEGV, 0, "devs: crashed: signal SEGV\r\n"},
    {"with the mouse given back", body_mouse_given_back, 0, 0, "[A]"},
};

START_TEST(test_given_back_on_every_way_out)
{
    raised = end_cases[_i].signal;
    start(end_cases[_i].body);
    finish();

    const char *name = end_cases[_i].name;
    int signal = WIFSIGNALED(pty.status) ? WTERMSIG(pty.status) : 0;
    int code = WIFEXITED(pty.status) ? WEXITSTATUS(pty.status) : 0;
    ck_assert_msg(signal == end_cases[_i].signal, "%s: signal %d", name, signal);
    ck_assert_msg(code == end_cases[_i].code, "%s: code %d, %s", name, code, pty.told.text);
    ck_assert_msg(find("Hallo") != NULL, "%s: nothing was shown", name);
    ck_assert_msg(find(end_cases[_i].line) != NULL, "%s: %s", name, pty.screen.text);
    check_given_back();
    if (signal != 0)
        ck_assert(find(end_cases[_i].line) > find_last(rmcup));
}
END_TEST

static const int told_signals[] = {SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT};

START_TEST(test_signal_is_told)
{
    char want[40];
    start(body_signal);
    read_until("ready\n");
    ck_assert_int_eq(kill(pty.child, told_signals[_i]), 0);
    finish();

    (void)snprintf(want, sizeof(want), "signal %d then 0\n", told_signals[_i]);
    ck_assert_ptr_nonnull(strstr(pty.told.text, want));
    ck_assert(WIFEXITED(pty.status) && WEXITSTATUS(pty.status) == 0);
    check_given_back();
}
END_TEST

START_TEST(test_stop_and_continue)
{
    start(body_job);
    finish();

    ck_assert_str_eq(pty.told.text, "stopped 1 same 1\nended 1\n");
    const char *shell = find("[shell]");
    ck_assert_ptr_nonnull(shell);
    ck_assert(find(rmcup) < shell);
    ck_assert_ptr_nonnull(strstr(shell, smcup));
    ck_assert_ptr_nonnull(strstr(shell, paste_on));
    ck_assert_ptr_nonnull(strstr(shell, "Hallo"));
    check_given_back();
}
END_TEST

START_TEST(test_resize)
{
    struct winsize size = {.ws_row = 12, .ws_col = 40};
    char want[60];
    start(body_resize);
    read_until("ready\n");
    ck_assert_int_eq(ioctl(pty.master, TIOCSWINSZ, &size), 0);
    finish();

    (void)snprintf(want, sizeof(want), "ready\n%d 40x12 key 1\n", SIGWINCH);
    ck_assert_str_eq(pty.told.text, want);
    ck_assert_msg(find("\033[12dbottom") != NULL, "%s", pty.screen.text);
    check_given_back();
}
END_TEST

START_TEST(test_only_changes_are_written)
{
    start(body_changes);
    finish();

    ck_assert_ptr_nonnull(find("[A][B]"));
    const char *from = find("[B]"), *to = find("[C]");
    ck_assert_ptr_nonnull(to);
    ck_assert_int_lt(to - from, 60);
    ck_assert_ptr_null(find("Hello[C]"));
    const char *again = strstr(to, "Hello");
    ck_assert_ptr_nonnull(again);
    ck_assert(again < strstr(to, "[D]"));
}
END_TEST

START_TEST(test_text_reaches_the_terminal)
{
    start(body_text);
    finish();

    ck_assert_str_eq(pty.told.text, "utf8 1");
    ck_assert_ptr_nonnull(find("[日本 e\u0301 ●]"));
}
END_TEST

/* Recognizes sequences that terminfo or our code writes for this terminal: cursor movement,
 * erasing, attributes, modes, a character set. Returns the length of the sequence, 0 for any
 * other. */
static size_t own_sequence(const char *at)
{
    static const char finals[] = "ABCDGHJKXdfhlmrt@PLMbu";
    if (strncmp(at, "\033(B", 3) == 0)
        return 3;
    if (strchr("78=>M", at[1]) && at[1] != '\0')
        return 2;
    if (at[1] != '[')
        return 0;
    const size_t len = 2 + strspn(at + 2, "0123456789;:?");
    return at[len] != '\0' && strchr(finals, at[len]) ? len + 1 : 0;
}

static void check_no_foreign_control(void)
{
    for (const char *at = pty.screen.text; *at != '\0';) {
        const unsigned char byte = (unsigned char)*at;
        if (byte == 0x1b) {
            const size_t len = own_sequence(at);
            ck_assert_msg(len > 0, "not ours: ESC %.12s", at + 1);
            at += len;
            continue;
        }
        uint32_t rune = 0;
        const int taken = text_rune(at, strlen(at), &rune);
        const bool moves = rune == '\r' || rune == '\n' || rune == '\b' || rune == '\t';
        ck_assert_msg(moves || (rune != UINT32_MAX && rune_is_shown(rune)), "U+%04X", rune);
        at += taken;
    }
}

/* Sequences that set a title, the clipboard or a mode are never written for untrusted text, and
 * each row continues in the right column. */
START_TEST(test_hostile_bytes_do_not_reach_the_terminal)
{
    start(body_hostile);
    finish();

    check_no_foreign_control();
    ck_assert_ptr_null(find("\033[2J\033[H\033[31m"));
    int marks = 0;
    for (const char *at = find("<end>"); at; at = strstr(at + 1, "<end>"))
        marks++;
    ck_assert_int_eq(marks, TABLE_LEN(hostile) + NOISE_ROWS);
    check_given_back();
}
END_TEST

START_TEST(test_c_locale_is_ascii)
{
    locale_name = "C";
    start(body_text);
    finish();

    ck_assert_str_eq(pty.told.text, "utf8 0");
    ck_assert_ptr_nonnull(find("[? ?  e ?]"));
    for (size_t i = 0; i < pty.screen.len; i++)
        ck_assert_int_eq((unsigned char)pty.screen.text[i] & 0x80, 0);
}
END_TEST

/* Returns true if the output has an SGR parameter from low to high. */
static bool has_sgr(int low, int high)
{
    for (const char *at = find("\033["); at; at = strstr(at + 1, "\033[")) {
        const char *end = at + 2 + strspn(at + 2, "0123456789;");
        if (*end != 'm')
            continue;
        for (const char *number = at + 2; number < end; number += strcspn(number, ";m") + 1) {
            long value = strtol(number, NULL, 10);
            if (value >= low && value <= high)
                return true;
        }
    }
    return false;
}

START_TEST(test_colors)
{
    start(body_styles);
    finish();

    ck_assert(has_sgr(30, 37));
    ck_assert(has_sgr(41, 47));
    ck_assert_msg(!has_sgr(2, 2), "dim is used");
    ck_assert_msg(!has_sgr(38, 38) && !has_sgr(48, 48), "colors above the sixteen are used");
    ck_assert_msg(!has_sgr(90, 107), "bright colors are used");
}
END_TEST

START_TEST(test_no_color)
{
    ck_assert_int_eq(setenv("NO_COLOR", "1", 1), 0);
    start(body_styles);
    finish();

    ck_assert(!has_sgr(30, 38));
    ck_assert(!has_sgr(40, 48));
    ck_assert_msg(has_sgr(1, 1) && has_sgr(4, 4) && has_sgr(7, 7), "%s", pty.screen.text);
}
END_TEST

static const struct {
    const char *name;
    void (*body)(void);
    const char *typed, *want;
} key_cases[] = {
    {"letters", body_keys, "jG!Z", "6a 47 21 5a "},
    {"enter, backspace, tab", body_keys, "\r\x7f\b\tZ", "a 7f 7f 9 5a "},
    {"controls are keys", body_keys, "\x03\x1a\x1c\x04\x13Z", "3 1a 1c 4 13 5a "},
    {"runes", body_keys, "é日Z", "e9 65e5 5a "},
    {"arrows", body_keys, "\033OA\033OB\033ODZ", "110000 110001 110002 5a "},
    {"pages and ends", body_keys, "\033[5~\033[6~\033OH\033OFZ", "110006 110007 110004 110005 5a "},
    {"S-Tab and F1", body_keys, "\033[Z\033OPZ", "110008 110009 5a "},
    {"Esc", body_keys, "\033Z", "1b 5a "},
    {"unknown sequences", body_keys, "\033[I\033[97;5u\033[<0;3;4MjZ", "6a 5a "},
    {"paste is swallowed", body_keys, "j\033[200~xK\ryq\033OA\033[201~kZ", "6a 6b 5a "},
    {"the mouse", body_mouse, "\033[<0;3;4MjZ", "0@3,2 6a 5a "},
    {"what it does", body_mouse,
     "\033[<32;1;1M\033[<0;100;30m\033[<64;5;5M\033[<65;5;5M\033[<16;2;2MZ",
     "1@0,0 2@29,99 3@4,4 4@4,4 0@1,1 5a "},
    {"no report of ours", body_mouse, "\033[<2;3;4M\033[<0;0;4M\033[<0;3M\033[<;;Mj\033[<0;1;1xZ",
     "6a 5a "},
    {"an old report", body_mouse, "\033[M !!jZ", "6a 5a "},
    {"Esc ends a paste", body_keys, "\033[200~x\033jZ", "6a 5a "},
    {"paste as text", body_keys_as_text, "\033[200~a\tb\r\x01\033[201~\rZ", "61 20 62 20 a 5a "},
};

START_TEST(test_keys)
{
    start(key_cases[_i].body);
    read_until("ready\n");
    write_text(pty.master, key_cases[_i].typed);
    finish();

    const char *told = pty.told.text + strlen("ready\n");
    ck_assert_msg(strcmp(told, key_cases[_i].want) == 0, "%s: %s", key_cases[_i].name, told);
}
END_TEST

/* A report that arrives in pieces is still one report: its digits are not keys. */
START_TEST(test_mouse_report_in_pieces)
{
    start(body_mouse);
    read_until("ready\n");
    write_text(pty.master, "j\033[<0;1");
    read_until("6a ");
    write_text(pty.master, "2;4MZ");
    finish();

    ck_assert_str_eq(pty.told.text, "ready\n6a 0@3,11 5a ");
}
END_TEST

static const struct {
    const char *name, *variable, *want;
} copy_cases[] = {
    {"alone", NULL, "\033]52;c;VC0xMDQ=\a"},
    {"tmux itself", "TMUX", "\033]52;c;VC0xMDQ=\a\033Ptmux;"},
    {"through tmux", "TMUX", "\033Ptmux;\033\033]52;c;VC0xMDQ=\a\033\\"},
    {"through screen", "STY", "\033P\033]52;c;VC0xMDQ=\a\033\\"},
};

START_TEST(test_copy)
{
    ck_assert_int_eq(unsetenv("TMUX"), 0);
    ck_assert_int_eq(unsetenv("STY"), 0);
    if (copy_cases[_i].variable)
        ck_assert_int_eq(setenv(copy_cases[_i].variable, "x", 1), 0);
    start(body_copy);
    finish();

    ck_assert_str_eq(pty.told.text, "10");
    ck_assert_msg(find(copy_cases[_i].want) != NULL, "%s: %s", copy_cases[_i].name,
                  pty.screen.text);
}
END_TEST

START_TEST(test_terminal_that_goes_is_seen_once)
{
    start(body_gone);
    read_until("ready\n");
    ck_assert_int_eq(close(pty.slave), 0);
    ck_assert_int_eq(close(pty.master), 0);
    while (take(pty.result, &pty.told))
        continue;
    ck_assert_int_eq(waitpid(pty.child, &pty.status, 0), pty.child);

    char want[40];
    (void)snprintf(want, sizeof(want), "ready\n%x ", (unsigned)TERM_KEY_GONE);
    ck_assert_str_eq(pty.told.text, want);
    ck_assert(WIFEXITED(pty.status) && WEXITSTATUS(pty.status) == 0);
}
END_TEST

static const char *const unusable[] = {"dumb", "no-such-terminal", ""};

START_TEST(test_unusable_terminal_is_an_error)
{
    term_name = unusable[_i];
    start(body_open_only);
    finish();
    ck_assert_str_eq(pty.told.text, "error 1 1");
    check_settings_are_as_before();
}
END_TEST

START_TEST(test_no_terminal_is_an_error)
{
    start(body_no_terminal);
    finish();
    ck_assert_str_eq(pty.told.text, "error 1 1");
    ck_assert_uint_eq(pty.screen.len, 0);
    check_settings_are_as_before();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("term");
    TCase *tcase = test_case(suite, "ways out");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_given_back_on_every_way_out, 0, TABLE_LEN(end_cases));
    tcase_add_loop_test(tcase, test_signal_is_told, 0, TABLE_LEN(told_signals));
    tcase_add_test(tcase, test_stop_and_continue);
    tcase = test_case(suite, "screen");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_resize);
    tcase_add_test(tcase, test_only_changes_are_written);
    tcase_add_test(tcase, test_text_reaches_the_terminal);
    tcase_add_test(tcase, test_hostile_bytes_do_not_reach_the_terminal);
    tcase_add_test(tcase, test_c_locale_is_ascii);
    tcase_add_test(tcase, test_colors);
    tcase_add_test(tcase, test_no_color);
    tcase_add_loop_test(tcase, test_copy, 0, TABLE_LEN(copy_cases));
    tcase = test_case(suite, "keys");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_keys, 0, TABLE_LEN(key_cases));
    tcase_add_test(tcase, test_mouse_report_in_pieces);
    tcase_add_test(tcase, test_terminal_that_goes_is_seen_once);
    tcase = test_case(suite, "errors");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_unusable_terminal_is_an_error, 0, TABLE_LEN(unusable));
    tcase_add_test(tcase, test_no_terminal_is_an_error);
    return suite;
}
