/*
 * export.c - the formats of devs export, the file that they write, and the copy that they read.
 *
 * Every format is made from a private copy of the run without its secrets. The file has a temporary
 * name until it is complete and synced.
 */
#define _GNU_SOURCE /* renameat2(), mkdtemp() */

#include "export.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app.h"
#include "app_cast.h"
#include "appearance.h"
#include "bundle_words.h"
#include "canvas.h"
#include "debug_mode.h"
#include "event_text.h"
#include "fail.h"
#include "follower.h"
#include "parse.h"
#include "str.h"
#include "target.h"
#include "theme.h"
#include "timeline.h"
#include "xalloc.h"

/* The frames of the cockpit: their size, their theme, and `devs replay --frame`. */

/* A smaller picture has no space for useful content. */
enum { FRAME_COLUMNS_MIN = 20, FRAME_ROWS_MIN = 4 };

/* Parses "80x24", columns x rows, up to the size of a canvas. */
ATTR_MUST_USE static bool frame_size_parse(const char *word, int *rows_out, int *columns_out,
                                           struct err *err)
{
    char columns[8];
    const char *x = strchr(word, 'x');
    size_t len = x ? (size_t)(x - word) : 0;
    int64_t numbers[2] = {0};
    if (len == 0 || len >= sizeof(columns)) {
        (void)err_set(err, ERR_INVALID, "invalid size '%s'", word);
        return err_hint(err, "use COLUMNSxROWS, such as 80x24");
    }
    memcpy(columns, word, len);
    columns[len] = '\0';
    struct err why = {0};
    if (!parse_i64(columns, FRAME_COLUMNS_MIN, CANVAS_COLUMNS_MAX, &numbers[0], &why))
        return err_set(err, why.code, "columns of '%s': %s", word, why.message);
    if (!parse_i64(x + 1, FRAME_ROWS_MIN, CANVAS_ROWS_MAX, &numbers[1], &why))
        return err_set(err, why.code, "rows of '%s': %s", word, why.message);
    *columns_out = (int)numbers[0];
    *rows_out = (int)numbers[1];
    return true;
}

/* Loads the theme selected by the options. A theme without colors still has bold and underline. */
ATTR_MUST_USE static bool frame_theme(const struct globals *globals, struct theme *out,
                                      struct err *err)
{
    if (!globals->theme && globals->no_color && theme_named("mono", out))
        return true;
    return appearance_theme(globals, NULL, out, err);
}

enum { FILE_MODE = 0600 };

bool export_sink_open(struct export_sink *sink, const char *path, struct err *err)
{
    struct stat info;
    *sink = (struct export_sink){.progress = progress_new()};
    int len = snprintf(sink->path, sizeof(sink->path), "%s", path);
    if (len < 0 || (size_t)len >= sizeof(sink->path))
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", path);
    if (strcmp(path, "-") == 0) {
        sink->file = stdout;
        return true;
    }
    if (lstat(sink->path, &info) == 0) {
        (void)err_set(err, ERR_INVALID, "'%s' already exists", sink->path);
        return err_hint(err, "choose a different file with -o FILE");
    }
    len = snprintf(sink->part, sizeof(sink->part), "%s.part-%ld", sink->path, (long)getpid());
    if (len < 0 || (size_t)len >= sizeof(sink->part))
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", sink->path);
    const int fd =
        open(sink->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    sink->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (sink->file)
        return true;
    const int why = errno;
    if (fd >= 0)
        (void)close(fd);
    else
        sink->part[0] = '\0'; /* the file is not ours, so it must not be removed */
    return err_set_errno(err, why, "cannot create '%s'", sink->path);
}

/* Appends the bytes. Fails with ERR_IO if the disk is full or the reader has closed the pipe. */
static bool export_sink_write(struct export_sink *sink, const char *bytes, size_t len,
                              struct err *err)
{
    if (len == 0 || fwrite(bytes, 1, len, sink->file) == len) {
        sink->bytes += (int64_t)len;
        return true;
    }
    return err_set_errno(err, errno, "cannot write '%s'", sink->path);
}

/* Shows the progress, like progress_tell(). */
static bool export_sink_tell(struct export_sink *sink, int64_t done, int64_t all, struct err *err)
{
    return progress_tell(&sink->progress, "writing", done, all, err);
}

bool export_sink_keep(struct export_sink *sink, struct err *err)
{
    const bool is_file = sink->part[0] != '\0';
    if (fflush(sink->file) != 0 || (is_file && fsync(fileno(sink->file)) != 0))
        return err_set_errno(err, errno, "cannot write '%s'", sink->path);
    if (is_file && renameat2(AT_FDCWD, sink->part, AT_FDCWD, sink->path, RENAME_NOREPLACE) != 0) {
        struct stat info;
        /* not supported by this file system */
        const bool unknown = errno == EINVAL || errno == ENOSYS;
        if (!unknown || lstat(sink->path, &info) == 0 || rename(sink->part, sink->path) != 0)
            return err_set_errno(err, errno, "cannot create '%s'", sink->path);
    }
    sink->part[0] = '\0';
    return true;
}

void export_sink_close(struct export_sink *sink)
{
    progress_done(&sink->progress);
    if (sink->file && sink->file != stdout)
        (void)fclose(sink->file); /* ignored: the data is already synced, or the file is removed */
    if (sink->part[0] != '\0')
        (void)unlink(sink->part);
    *sink = (struct export_sink){0};
}

static void write_cut(const struct bundle_cut *cut, const char *name, struct str *out)
{
    str_json_key(out, name);
    str_add_char(out, '{');
    str_json_i64(out, "recorded", cut->recorded);
    str_json_i64(out, "now", cut->now);
    str_add_char(out, '}');
}

void export_show(const struct bundle_contents *contents, const char *file,
                 const struct export_words *words, FILE *to)
{
    struct str text = {0};
    if (words->json) {
        str_add_char(&text, '{');
        str_json_i64(&text, "v", 1);
        str_json_i64(&text, "run", contents->run);
        str_json_text(&text, "file", file);
        str_json_i64(&text, "bytes", contents->bytes);
        str_json_i64(&text, "tasks", contents->tasks);
        str_json_i64(&text, "attempts", contents->attempts);
        str_json_i64(&text, "events", contents->events);
        str_json_i64(&text, "captures", contents->captures);
        str_json_i64(&text, "controls", contents->controls);
        str_json_i64(&text, "bookmarks", contents->bookmarks);
        str_json_i64(&text, "output_bytes", contents->output_bytes);
        str_json_key(&text, "secrets");
        str_add_char(&text, '{');
        for (int i = 0; i < contents->cut_count; i++)
            write_cut(&contents->cuts[i], contents->cuts[i].name, &text);
        if (contents->other_cuts.recorded + contents->other_cuts.now > 0)
            write_cut(&contents->other_cuts, "...", &text);
        str_add(&text, "}}\n");
    } else {
        /* The other formats are made from the copy. */
        const bool is_whole = strcmp(words->format, "bundle") == 0;
        bundle_words(contents, file, is_whole, &text);
    }
    (void)fputs(str_text(&text), to);
    (void)fflush(to);
    str_done(&text);
}

enum { WRITE_AT_BYTES = 64 * 1024 };

/* The events while they are written, as records or as a trace. */
struct records {
    const struct export_call *call;
    struct trace_json *trace; /* NULL: writes the records unchanged */
    int64_t last_seq;
    struct str text;
    struct err *err;
    bool ok;
};

static bool write_out(struct records *records)
{
    records->ok = export_sink_write(records->call->sink, str_text(&records->text),
                                    records->text.len, records->err);
    str_clear(&records->text);
    return records->ok;
}

static bool add_event(void *ctx, const struct run_state *state, const struct event *event)
{
    struct records *records = ctx;
    if (records->trace) {
        trace_json_add(records->trace, state, event, &records->text);
    } else {
        event_json(state, records->call->run, event, &records->text);
        str_add_char(&records->text, '\n');
    }
    if (records->text.len < WRITE_AT_BYTES)
        return true;
    records->ok =
        export_sink_tell(records->call->sink, event->seq, records->last_seq, records->err);
    return records->ok && write_out(records);
}

/* Writes all events, as plain records or as a trace. */
static bool write_records(const struct export_call *call, bool is_trace, struct err *err)
{
    struct records records = {.call = call, .err = err, .ok = true};
    struct follower *follower = NULL;
    bool ok = follower_open(&follower, call->place, call->run, err);
    if (ok) {
        const struct log_run_info *run = follower_run(follower);
        records.last_seq = run->last_seq;
        if (is_trace)
            trace_json_open(&records.trace, call->run, run->name ? run->name : "", &records.text);
        ok = follower_read(follower, 0, add_event, &records, NULL, err) && records.ok;
    }
    if (ok && is_trace)
        trace_json_end(records.trace, follower_state(follower), &records.text);
    ok = ok && write_out(&records);
    trace_json_close(records.trace);
    follower_close(follower);
    str_done(&records.text);
    return ok;
}

bool export_jsonl(const struct export_call *call, struct err *err)
{
    return write_records(call, false, err);
}

bool export_trace(const struct export_call *call, struct err *err)
{
    return write_records(call, true, err);
}

static const char size_default[] = "80x24";

static bool write_bytes(void *ctx, const char *bytes, size_t len, struct err *err)
{
    return export_sink_write(ctx, bytes, len, err);
}

static bool tell_progress(void *ctx, int64_t done, int64_t all, struct err *err)
{
    return export_sink_tell(ctx, done, all, err);
}

static struct app_options options_of(const struct export_call *call)
{
    return (struct app_options){.place = call->place,
                                .log_file = call->log->db,
                                .run = call->run,
                                .mode = APP_LIVE,
                                .ascii = call->globals->ascii};
}

bool export_cast(const struct export_call *call, struct err *err)
{
    const struct export_words *words = call->words;
    const struct app_options options = options_of(call);
    struct theme theme;
    struct app_cast cast = {.task = words->task,
                            .view = words->view,
                            .theme = &theme,
                            .write = write_bytes,
                            .tell = tell_progress,
                            .ctx = call->sink};
    int64_t speed = 1;
    if (!frame_size_parse(words->size ? words->size : size_default, &cast.rows, &cast.columns, err))
        return false;
    if (words->speed && !parse_i64(words->speed, 1, APP_CAST_SPEED_MAX, &speed, err))
        return err_hint(err, "--speed takes a whole number: 4 plays four times as fast");
    cast.speed = (int)speed;
    return frame_theme(call->globals, &theme, err) && app_cast_write(&options, &cast, err);
}

bool export_svg(const struct export_call *call, struct err *err)
{
    const struct export_words *words = call->words;
    const struct app_options options = options_of(call);
    struct theme theme;
    struct str text = {0};
    struct app_picture picture = {
        .at = call->at, .task = words->task, .view = words->view, .theme = &theme};
    const bool ok = frame_size_parse(words->size ? words->size : size_default, &picture.rows,
                                     &picture.columns, err) &&
                    frame_theme(call->globals, &theme, err) &&
                    app_draw_picture(&options, &picture, &text, err) &&
                    export_sink_write(call->sink, str_text(&text), text.len, err);
    str_done(&text);
    return ok;
}

struct export_copy {
    struct bundle *bundle; /* owned; only temporary, never kept */
    char folder[PATH_MAX]; /* "" = not created */
    char file[PATH_MAX];
};

static bool make_folder(struct export_copy *copy, struct err *err)
{
    const char *top = getenv("TMPDIR");
    char pattern[PATH_MAX];
    const int len = snprintf(pattern, sizeof(pattern), "%s/devs-export-XXXXXX",
                             top && top[0] == '/' ? top : "/tmp");
    if (len < 0 || (size_t)len >= sizeof(pattern))
        return err_set(err, ERR_LIMIT, "the path in $TMPDIR is too long");
    if (!mkdtemp(pattern))
        return err_set_errno(err, errno, "cannot create the folder '%s'", pattern);
    (void)snprintf(copy->folder, sizeof(copy->folder), "%s", pattern);
    const int file_len = snprintf(copy->file, sizeof(copy->file), "%s/run", copy->folder);
    return (file_len > 0 && (size_t)file_len < sizeof(copy->file)) ||
           err_set(err, ERR_LIMIT, "the path in $TMPDIR is too long");
}

bool export_copy_tell(void *progress, int64_t done, int64_t all, struct err *err)
{
    return progress_tell(progress, "copying", done, all, err);
}

bool export_copy_open(struct export_copy **out, const struct place *place, int64_t run,
                      const struct redactor *redactor, struct err *err)
{
    struct export_copy *copy = xcalloc(1, sizeof(*copy));
    struct progress progress = progress_new();
    const struct bundle_asked asked = {.place = place,
                                       .run = run,
                                       .file = copy->file,
                                       .redactor = redactor,
                                       .tell = export_copy_tell,
                                       .ctx = &progress};
    const bool ok = make_folder(copy, err) && bundle_open(&copy->bundle, &asked, err);
    progress_done(&progress);
    if (ok)
        *out = copy;
    else
        export_copy_close(copy);
    return ok;
}

const struct place *export_copy_place(const struct export_copy *copy)
{
    return bundle_place(copy->bundle);
}

const struct bundle_contents *export_copy_contents(const struct export_copy *copy)
{
    return bundle_contents(copy->bundle);
}

void export_copy_close(struct export_copy *copy)
{
    if (!copy)
        return;
    bundle_close(copy->bundle);
    if (copy->folder[0] != '\0')
        (void)rmdir(copy->folder); /* best effort */
    free(copy);
}

int debug_frame(const struct debug_call *call)
{
    struct err err = {0};
    struct place place;
    struct target target;
    struct theme theme;
    const struct globals *globals = call->globals;
    const struct frame_words *words = &call->words->frame;
    const char *const *tasks = call->words->record.tasks.words;
    const char *word = call->operand_count > 0 ? call->operands[0] : NULL;
    if (tasks[0] && tasks[1])
        return fail_usage(NULL, "%s: only one --task can be selected", call->name);
    if (!log_word_find(globals, word, &place, &target, &err))
        return fail(&err);
    const char *of = target.task[0] != '\0' ? target.task : NULL;
    struct app_picture picture = {.at = words->at,
                                  .task = tasks[0] ? tasks[0] : of,
                                  .view = words->view,
                                  .is_replay = words->replay,
                                  .theme = words->svg ? &theme : NULL};
    const struct app_options options = {.place = &place,
                                        .run = target.run,
                                        .mode = APP_LIVE,
                                        .ascii = words->svg ? globals->ascii
                                                            : appearance_print_ascii(globals)};
    struct str text = {0};
    bool ok = frame_size_parse(words->size, &picture.rows, &picture.columns, &err) &&
              frame_theme(globals, &theme, &err) &&
              app_draw_picture(&options, &picture, &text, &err);
    if (ok)
        (void)fputs(str_text(&text), stdout);
    str_done(&text);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}
