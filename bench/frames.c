/*
 * frames.c - the cost of a frame of the cockpit: drawing it, and writing it to a terminal.
 *
 * usage: bench_canvas LOG RUN
 *
 * Draws one frame for each event of the run, at 200x60. Another process reads the bytes that the
 * terminal gets, and counts them. Raw limits: as many cells copied, as many bytes written to the
 * same terminal.
 */
#define _XOPEN_SOURCE 700

#include <assert.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "figure.h"
#include "follower.h"
#include "frame.h"
#include "parse.h"
#include "place.h"
#include "term.h"
#include "xalloc.h"

enum { COLUMNS = 200, ROWS = 60, BYTES_AT_ONCE = 4096, MS_PER_S = 1000 };

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    perror(what);
    exit(EXIT_FAILURE);
}

/* A terminal as this process's standard input and output, and the process that reads it. */
struct pty {
    int figures;  /* the original standard output */
    int count_fd; /* the reader writes the number of bytes here once nobody has the terminal open */
    pid_t reader;
};

static void read_all(int master, int count_fd)
{
    static char bytes[BYTES_AT_ONCE];
    size_t total = 0;
    ssize_t count = 0;
    while ((count = read(master, bytes, sizeof(bytes))) > 0)
        total += (size_t)count;
    must(write(count_fd, &total, sizeof(total)) == sizeof(total), "write");
    _exit(EXIT_SUCCESS);
}

static struct pty open_screen(void)
{
    struct pty screen = {.figures = dup(STDOUT_FILENO)};
    const struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    int ends[2] = {-1, -1};
    must(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0, "pty");
    const int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    must(slave >= 0 && ioctl(slave, TIOCSWINSZ, &size) == 0 && pipe(ends) == 0, "pty");
    screen.reader = fork();
    must(screen.reader >= 0, "fork");
    if (screen.reader == 0) {
        (void)close(slave);
        (void)close(ends[0]);
        read_all(master, ends[1]);
    }
    must(dup2(slave, STDIN_FILENO) >= 0 && dup2(slave, STDOUT_FILENO) >= 0, "dup2");
    (void)close(slave);
    (void)close(master);
    (void)close(ends[1]);
    screen.count_fd = ends[0];
    return screen;
}

/* Returns how many bytes it got, and restores standard output. */
static size_t close_screen(struct pty *screen)
{
    size_t total = 0;
    must(dup2(screen->figures, STDOUT_FILENO) >= 0 && dup2(screen->figures, STDIN_FILENO) >= 0,
         "dup2");
    (void)close(screen->figures);
    must(read(screen->count_fd, &total, sizeof(total)) == sizeof(total), "read");
    (void)close(screen->count_fd);
    (void)waitpid(screen->reader, NULL, 0);
    return total;
}

/* The run after each event, as a cockpit that follows it shows it. */
struct watched {
    struct follower *follower;
    struct view view;
    struct canvas canvas;
    struct log_tail tail;
};

static void begin(struct watched *shown, const struct place *place, int64_t run)
{
    struct err err = {0};
    if (!follower_open(&shown->follower, place, run, &err)) {
        (void)fprintf(stderr, "bench_canvas: %s\n", err.message);
        exit(EXIT_FAILURE);
    }
    view_init(&shown->view, follower_state(shown->follower)->plan->task_count);
    log_tail_init(&shown->tail);
    canvas_init(&shown->canvas, ROWS, COLUMNS, false);
}

static void end(struct watched *shown)
{
    canvas_done(&shown->canvas);
    log_tail_done(&shown->tail);
    view_done(&shown->view);
    follower_close(shown->follower);
}

/* Applies one more event. Returns false at the end. */
static bool go_on(struct watched *shown)
{
    size_t count = 0;
    struct err err = {0};
    if (!follower_read(shown->follower, 1, NULL, NULL, &count, &err)) {
        (void)fprintf(stderr, "bench_canvas: %s\n", err.message);
        exit(EXIT_FAILURE);
    }
    return count == 1;
}

static void draw(struct watched *shown)
{
    const struct run_state *state = follower_state(shown->follower);
    const struct view_facts facts = {.state = state,
                                     .log = &shown->tail,
                                     .mode = VIEW_LIVE,
                                     .now = state->last,
                                     .clock = state->last,
                                     .run = follower_run(shown->follower)->number};
    const struct frame_input input = {
        .facts = &facts, .view = &shown->view, .name = state->plan->name, .number = facts.run};
    view_arrange(&shown->view, &facts);
    frame_fit(&shown->view, ROWS, COLUMNS, &input);
    frame_draw(&shown->canvas, &input);
}

/* The processor time of a number of frames, and that of the raw limit. */
struct cost {
    int frames;
    double ms;
    double raw_ms;
    size_t bytes; /* that the terminal got */
};

static struct cost cost_of_drawing(const struct place *place, int64_t run)
{
    struct watched shown;
    struct cost cost = {0};
    const size_t size = (size_t)ROWS * COLUMNS * sizeof(struct cell);
    struct cell *copy = xcalloc((size_t)ROWS * COLUMNS, sizeof(*copy));
    begin(&shown, place, run);
    while (go_on(&shown)) {
        const double start = figure_cpu_ms();
        draw(&shown);
        const double drawn = figure_cpu_ms();
        memcpy(copy, shown.canvas.cells, size);
        cost.raw_ms += figure_cpu_ms() - drawn;
        cost.ms += drawn - start;
        cost.frames++;
    }
    end(&shown);
    free(copy);
    return cost;
}

static double ms_of_writing(size_t bytes, int frames)
{
    assert(frames > 0);
    struct pty screen = open_screen();
    const size_t each = bytes / (size_t)frames;
    char *text = xcalloc(each + 1, 1);
    memset(text, 'x', each);
    const double start = figure_cpu_ms();
    for (int i = 0; i < frames; i++) {
        for (size_t at = 0; at < each;) {
            const ssize_t count = write(STDOUT_FILENO, text + at, each - at);
            must(count > 0, "write");
            at += (size_t)count;
        }
    }
    const double ms = figure_cpu_ms() - start;
    free(text);
    (void)close_screen(&screen);
    return ms;
}

static struct cost cost_of_showing(const struct place *place, int64_t run, bool all_of_it)
{
    struct watched shown;
    struct cost cost = {0};
    struct term *term = NULL;
    struct err err = {0};
    struct pty screen = open_screen();
    must(term_open(&term, TERM_COLOR_AUTO, &err), "term_open");
    begin(&shown, place, run);
    while (go_on(&shown)) {
        draw(&shown);
        const double start = figure_cpu_ms();
        if (all_of_it)
            term_redraw(term);
        term_show(term, &shown.canvas);
        cost.ms += figure_cpu_ms() - start;
        cost.frames++;
    }
    end(&shown);
    term_close(term);
    cost.bytes = close_screen(&screen);
    cost.raw_ms = ms_of_writing(cost.bytes, cost.frames);
    return cost;
}

static void print(const char *what, const char *peer, const struct cost *cost)
{
    figure_print(&(struct figure){.what = what,
                                  .value = cost->ms * MS_PER_S / cost->frames,
                                  .unit = "us",
                                  .peer = peer,
                                  .peer_value = cost->raw_ms * MS_PER_S / cost->frames});
}

static void print_rate(const struct cost *drawing, const struct cost *showing)
{
    const double ms = drawing->ms / drawing->frames + showing->ms / showing->frames;
    figure_print(&(struct figure){
        .what = "frames per second of CPU time", .value = MS_PER_S / ms, .unit = "frames"});
    figure_print(&(struct figure){.what = "bytes per frame to the terminal",
                                  .value = (double)showing->bytes / showing->frames,
                                  .unit = "B"});
}

int main(int argc, char **argv)
{
    struct place place;
    struct err err = {0};
    int64_t run = 0;
    if (argc != 3 || !parse_i64(argv[2], 1, INT64_MAX, &run, &err) ||
        !place_find(argv[1], false, &place, &err)) {
        (void)fprintf(stderr, "usage: bench_canvas LOG RUN\n");
        return EXIT_FAILURE;
    }
    (void)setlocale(LC_CTYPE, "");
    const struct cost drawing = cost_of_drawing(&place, run);
    if (drawing.frames == 0) {
        (void)fprintf(stderr, "bench_canvas: run #%lld has no events\n", (long long)run);
        return EXIT_FAILURE;
    }
    print("draw a frame onto the canvas, 200x60", "memcpy of the cells", &drawing);
    const struct cost changes = cost_of_showing(&place, run, false);
    print("show the changes of one event", "write() of that many bytes", &changes);
    print_rate(&drawing, &changes);
    const struct cost all = cost_of_showing(&place, run, true);
    print("show a whole frame", "write() of that many bytes", &all);
    print_rate(&drawing, &all);
    return EXIT_SUCCESS;
}
