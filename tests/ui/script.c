#include "script.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "correct.h"
#include "golden.h"
#include "stage.h"
#include "term.h"
#include "test_main.h"
#include "theme.h"
#include "xalloc.h"

/* Reading. */

static char *trim(char *text)
{
    text += strspn(text, " ");
    size_t len = strlen(text);
    while (len > 0 && text[len - 1] == ' ')
        text[--len] = '\0';
    return text;
}

static void add_case(struct script *script, const char *name)
{
    script->cases = xgrow(script->cases, &script->cap, script->count + 1, sizeof(*script->cases));
    script->cases[script->count++] = (struct script_case){.name = name};
}

static void add_line(struct script_case *to, const char *text, int number)
{
    to->lines = xgrow(to->lines, &to->cap, to->count + 1, sizeof(*to->lines));
    to->lines[to->count++] = (struct script_line){text, number};
}

/* Files are read before the tests begin, where Check knows no assertions. */
static void refuse_if(bool is_wrong, const char *path, int line, const char *what)
{
    if (!is_wrong)
        return;
    (void)fprintf(stderr, "%s:%d: %s\n", path, line, what);
    exit(1);
}

static char *read_text(const char *path)
{
    enum { PIECE = 4096 };
    struct str text = {0};
    char piece[PIECE];
    size_t len = 0;
    FILE *file = fopen(test_source_path(path), "re");
    refuse_if(!file, path, 0, "cannot be read");
    while ((len = fread(piece, 1, sizeof(piece), file)) > 0)
        str_add_n(&text, piece, len);
    (void)fclose(file);
    return text.data;
}

void script_read(struct script *script, const char *path)
{
    *script = (struct script){.path = path, .text = read_text(path)};
    int number = 0;
    for (char *next = script->text; *next != '\0';) {
        char *line = next;
        next += strcspn(next, "\n");
        if (*next != '\0')
            *next++ = '\0';
        number++;
        line = trim(line);
        if (line[0] == '\0' || line[0] == '#')
            continue;
        if (strncmp(line, "case ", 5) == 0) {
            add_case(script, line + 5);
            continue;
        }
        refuse_if(script->count == 0, path, number, "a step before the first case");
        add_line(&script->cases[script->count - 1], line, number);
    }
    refuse_if(script->count == 0, path, number, "no case");
    for (size_t i = 0; i < script->count; i++) {
        struct script_case *one = &script->cases[i];
        refuse_if(one->count == 0, path, 0, one->name);
        while (one->setup < one->count && one->lines[one->setup].text[0] != '*')
            one->setup++;
    }
}

/* What is played. */

static bool is_open;          /* there is a story */
static struct view_todo todo; /* of the last key */
static int rows, columns;     /* of the screen; 0: nothing is drawn */
static bool ascii;
static bool is_stale;    /* the screen shows an earlier state */
static char where[1024]; /* the line, for messages */

/* The arguments of a step. */
enum { WORDS_MAX = 64, TEXT_MAX = 1024 };
struct words {
    char text[TEXT_MAX]; /* the words are in it */
    const char *at[WORDS_MAX];
    int count;
    const char *rest; /* all of them, as written */
};

static const char *word(const struct words *words, int number)
{
    return number < words->count ? words->at[number] : "";
}

static int index_of(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        if (names[i] && strcmp(names[i], name) == 0)
            return i;
    }
    ck_abort_msg("%s: unknown: '%s'", where, name);
}

static int number_of(const char *text)
{
    char *end = NULL;
    const long number = strtol(text, &end, 10);
    ck_assert_msg(end != text && *end == '\0', "%s: not a number: '%s'", where, text);
    return (int)number;
}

static void redraw(void)
{
    is_stale = false;
    if (rows == 0)
        return;
    (void)view_update_prompt(&view, &facts);
    stage_draw(rows, columns, ascii);
}

/* Steps: the story. */

static void run_eight(struct story *out)
{
    story_init(out, "a b c d e f g h", "G");
}

static const char *given;
static void run_ids(struct story *out)
{
    story_init(out, given, "G");
}

static void run_tasks(struct story *out)
{
    story_init_tasks(out, given);
}

static void close_story(void)
{
    if (is_open)
        stage_close();
    is_open = false;
}

/* run eight|full|retries|circles|agents|said|day|hosts, run of ID..., run tasks JSON: a new story.
 */
static void do_run(const struct words *words)
{
    static const struct {
        const char *name;
        void (*init)(struct story *);
    } stories[] = {{"eight", run_eight},
                   {"full", story_init_full},
                   {"retries", story_init_retries},
                   {"circles", story_init_circles},
                   {"agents", story_init_agents},
                   {"said", story_init_said},
                   {"day", story_init_day},
                   {"hosts", story_init_hosts},
                   {"of", run_ids},
                   {"tasks", run_tasks}};
    int number = 0;
    while (number < TABLE_LEN(stories) && strcmp(stories[number].name, word(words, 0)) != 0)
        number++;
    ck_assert_msg(number < TABLE_LEN(stories), "%s: no story %s", where, words->rest);
    close_story();
    given = words->rest + strlen(word(words, 0));
    given += strspn(given, " ");
    stage_open(stories[number].init, NULL);
    is_open = true;
    view.choice_is_given = false;
    rows = columns = 0;
    todo = (struct view_todo){.kind = VIEW_DRAW};
    view_arrange(&view, &facts);
    view_fit(&view, 8, 4, VIEW_HAS_LIST | VIEW_HAS_LOG);
}

static void do_start(const struct words *words)
{
    for (int i = 0; i < words->count; i++)
        story_start(&story, word(words, i));
}

static void do_pass(const struct words *words)
{
    story_pass(&story, word(words, 0));
}

/* fail ID [REASON [VERDICT]] */
static void do_fail(const struct words *words)
{
    enum reason reason = REASON_TEST_FAIL;
    if (strcmp(word(words, 1), "none") == 0)
        reason = REASON_NONE;
    else if (words->count > 1)
        ck_assert(reason_parse(word(words, 1), &reason));
    story_fail(&story, word(words, 0), reason,
               words->count > 2 ? words->rest + (word(words, 2) - words->text) : NULL);
}

/* wait ID SECONDS: after a failure. */
static void do_wait(const struct words *words)
{
    story_wait(&story, word(words, 0), number_of(word(words, 1)));
}

/* over ID...: the wait is over. */
static void do_over(const struct words *words)
{
    for (int i = 0; i < words->count; i++)
        story_add(&story, story_event(&story, word(words, i), EVENT_WAIT_ENDED));
}

static const char *const end_names[] = {
    [DECISION_SUCCEEDED] = "success",       [DECISION_FAILED] = "failed",
    [DECISION_RETRY_EXHAUSTED] = "gave-up", [DECISION_ENTROPY] = "stuck",
    [DECISION_NEEDS_YOU] = "needs-you",     [DECISION_CANCELLED] = "cancelled"};

/* end ID HOW: its step ends. */
static void do_end(const struct words *words)
{
    story_end(&story, word(words, 0),
              (enum decision_kind)index_of(word(words, 1), end_names, TABLE_LEN(end_names)));
}

/* needs-you ID: it starts, fails, and needs the user. */
static void do_needs_you(const struct words *words)
{
    story_start(&story, word(words, 0));
    story_fail(&story, word(words, 0), REASON_AUTH, NULL);
    story_end(&story, word(words, 0), DECISION_NEEDS_YOU);
}

/* backoff ID: it starts, fails, and waits for a minute. */
static void do_backoff(const struct words *words)
{
    story_start(&story, word(words, 0));
    story_fail(&story, word(words, 0), REASON_TEST_FAIL, NULL);
    story_wait(&story, word(words, 0), 60);
}

/* hold ID... [after LEADER] */
static void do_hold(const struct words *words)
{
    int count = words->count, leader = -1;
    if (count > 2 && strcmp(word(words, count - 2), "after") == 0) {
        leader = story_task(&story, word(words, count - 1));
        count -= 2;
    }
    for (int i = 0; i < count; i++)
        story_hold(&story, word(words, i), leader);
}

/* again ID SECONDS: it fails, waits, and starts again. */
static void do_again(const struct words *words)
{
    story_try_again(&story, word(words, 0), number_of(word(words, 1)));
}

/* exits ID FACTS: its attempt ends with exit code 1 and these facts of its output. */
static void do_exits(const struct words *words)
{
    const char *json = words->rest + strlen(word(words, 0)) + 1;
    struct event event = story_event(&story, word(words, 0), EVENT_ATTEMPT_ENDED);
    event.ended.outcome.code = 1;
    story_add_json(&story, event, json);
}

/* gate-opens ID: the gate of its source. */
static void do_gate_opens(const struct words *words)
{
    const int task = story_task(&story, word(words, 0));
    struct event event = event_new(EVENT_GATE_OPENED);
    event.gate_opened.source = story.plan->tasks[task].steps[0].source;
    event.gate_opened.waiting = 2;
    event.gate_opened.spacing_ms = 1000;
    story_add(&story, event);
}

static void do_end_run(const struct words *words)
{
    (void)words;
    story_end_run(&story);
}

/* say ID TEXT: a line of its output. */
static void do_say(const struct words *words)
{
    struct str line = {0};
    str_addf(&line, "%s\n", words->rest + strlen(word(words, 0)) + 1);
    story_say(&story, word(words, 0), str_text(&line));
    str_done(&line);
}

/* lines ID COUNT: numbered lines of its output. */
static void do_lines(const struct words *words)
{
    for (int i = 0; i < number_of(word(words, 1)); i++) {
        char line[40];
        (void)snprintf(line, sizeof(line), "line %d of the log\n", i);
        story_say(&story, word(words, 0), line);
    }
}

/* corrected ID TYPE BY: another person has corrected its class. */
static void do_corrected(const struct words *words)
{
    struct event event = story_event(&story, word(words, 0), EVENT_CLASS_CORRECTED);
    enum transient_type type = TRANSIENT_NONE;
    ck_assert(transient_type_parse(word(words, 1), &type));
    event.corrected.class = VERDICT_TRANSIENT;
    event.corrected.type = type;
    story_add_json(&story, event, words->rest + (word(words, 2) - words->text));
}

/* Steps: the clock and the facts. */

/* at MINUTES SECONDS: the time of the story and of the screen, after 13:50. */
static void do_at(const struct words *words)
{
    story_at(&story, number_of(word(words, 0)), number_of(word(words, 1)));
    facts.now = facts.clock = story.now;
}

static int64_t ms_of(const char *text)
{
    static const struct {
        const char *name;
        int64_t ms;
    } names[] = {{"deaf", PROMPT_DEAF_MS},
                 {"still", VIEW_STILL_MS},
                 {"undo", VIEW_UNDO_MS},
                 {"suspend", VIEW_SUSPEND_MS}};
    for (int i = 0; i < TABLE_LEN(names); i++) {
        const size_t len = strlen(names[i].name);
        if (strncmp(text, names[i].name, len) == 0)
            return names[i].ms + (text[len] ? number_of(text + len) : 0);
    }
    return number_of(text);
}

/* later MS|deaf|still|undo|suspend[-1|+1]: real time passes, and rows may move. */
static void do_later(const struct words *words)
{
    facts.clock.mono_ms += ms_of(word(words, 0));
    facts.clock.at_ms += ms_of(word(words, 0));
    view_arrange(&view, &facts);
}

static const char *const mode_names[] = {[VIEW_LIVE] = "live",
                                         [VIEW_ENDED] = "ended",
                                         [VIEW_INTERRUPTED] = "interrupted",
                                         [VIEW_REPLAY] = "replay",
                                         [VIEW_PAST] = "past"};

static void do_mode(const struct words *words)
{
    facts.mode = (enum view_mode)index_of(word(words, 0), mode_names, TABLE_LEN(mode_names));
    facts.orphaned = facts.mode == VIEW_INTERRUPTED;
    if (facts.mode == VIEW_REPLAY)
        (void)replay_move(&story.replay, REPLAY_END, -1);
}

/* log [empty]: opens the log of the try in view, with output or without. */
static void do_log(const struct words *words)
{
    stage_open_log(words->count > 0);
}

static void do_more_output(const struct words *words)
{
    stage_more_output(number_of(word(words, 0)));
}

/* replay start: the moment that is shown of a recording. */
static void do_replay(const struct words *words)
{
    ck_assert_str_eq(word(words, 0), "start");
    (void)replay_move(&story.replay, REPLAY_START, -1);
}

/* with engine-here|read-only|writable|no-output|live-runs=N|rules=JSON|log-file=PATH */
static void do_with(const struct words *words)
{
    const char *what = word(words, 0);
    const char *value = strchr(words->rest, '=');
    if (strncmp(what, "rules=", 6) == 0)
        facts.rules = value + 1;
    else if (strncmp(what, "live-runs=", 10) == 0)
        facts.live_runs = number_of(value + 1);
    else if (strncmp(what, "log-file=", 9) == 0)
        facts.log_file = value[1] != '\0' ? value + 1 : NULL;
    else if (strcmp(what, "engine-here") == 0)
        facts.engine_here = true;
    else if (strcmp(what, "no-output") == 0)
        log_tail_clear(&story.tail);
    else if (strcmp(what, "read-only") == 0 || strcmp(what, "writable") == 0)
        facts.read_only = what[0] == 'r';
    else
        ck_abort_msg("%s: unknown: with %s", where, what);
}

/* Steps: the person. */

/* select ID, select fold ID, select none */
static void do_select(const struct words *words)
{
    if (strcmp(word(words, 0), "fold") == 0) {
        view_choose(&view, -1 - story_task(&story, word(words, 1)));
        ck_assert_int_ge(view_chosen_row(&view), 0);
    } else if (strcmp(word(words, 0), "none") == 0) {
        view.chosen = -1;
    } else {
        view_choose(&view, story_task(&story, word(words, 0)));
    }
}

/* fold ID: folds or unfolds the fault that the task is in, when rows may move. */
static void do_fold(const struct words *words)
{
    view_toggle_fold(&view, view_fold_of(&view, story_task(&story, word(words, 0))));
}

static const struct {
    const char *name;
    uint32_t key;
} key_names[] = {
    {"Enter", TERM_KEY_ENTER},
    {"Tab", TERM_KEY_TAB},
    {"Esc", TERM_KEY_ESC},
    {"Backspace", TERM_KEY_BACKSPACE},
    {"Space", ' '},
    {"Up", TERM_KEY_UP},
    {"Down", TERM_KEY_DOWN},
    {"Home", TERM_KEY_HOME},
    {"End", TERM_KEY_END},
    {"PageUp", TERM_KEY_PAGE_UP},
    {"PageDown", TERM_KEY_PAGE_DOWN},
    {"BackTab", TERM_KEY_BACK_TAB},
    {"lt", '<'},
};

/* Returns the key at the start of the text, and its length there. */
static uint32_t take_key(const char *text, size_t *len)
{
    const char *end = text[0] == '<' ? strchr(text, '>') : NULL;
    *len = 1;
    if (!end)
        return (unsigned char)text[0];
    *len = (size_t)(end - text) + 1;
    if (text[1] == '^' && end == text + 3)
        return (unsigned char)text[2] & 0x1f;
    for (int i = 0; i < TABLE_LEN(key_names); i++) {
        if (strlen(key_names[i].name) == *len - 2 &&
            strncmp(key_names[i].name, text + 1, *len - 2) == 0)
            return key_names[i].key;
    }
    ck_abort_msg("%s: unknown key: %s", where, text);
}

/* press KEYS */
static void do_press(const struct words *words)
{
    size_t len = 0;
    if (is_stale)
        redraw();
    for (const char *at = words->rest; *at != '\0'; at += len) {
        todo = view_key(&view, take_key(at, &len), &facts);
        redraw();
    }
}

/* Returns true if the screen has this ASCII text there. */
static bool is_text_at(int row, int column, const char *text)
{
    for (; *text != '\0'; text++, column++) {
        const struct cell *cell = canvas_cell(&canvas, row, column);
        if (!cell || cell->rune != (unsigned char)*text)
            return false;
    }
    return true;
}

/* Something happens to the mouse where the screen shows a text first. */
static void use_mouse(enum mouse_kind kind, const char *text)
{
    struct mouse mouse = {.kind = kind};
    redraw();
    while (mouse.row < canvas.rows && !is_text_at(mouse.row, mouse.column, text)) {
        mouse.column = (mouse.column + 1) % canvas.columns;
        mouse.row += mouse.column == 0;
    }
    ck_assert_msg(mouse.row < canvas.rows, "%s: no '%s' on the screen", where, text);
    todo = view_mouse(&view, &facts, &canvas, &mouse);
}

/* click TEXT, release TEXT, wheel-up TEXT, wheel-down TEXT */
static void do_click(const struct words *words)
{
    use_mouse(MOUSE_PRESS, words->rest);
}

static void do_release(const struct words *words)
{
    use_mouse(MOUSE_RELEASE, words->rest);
}

static void do_wheel_up(const struct words *words)
{
    use_mouse(MOUSE_WHEEL_UP, words->rest);
}

static void do_wheel_down(const struct words *words)
{
    use_mouse(MOUSE_WHEEL_DOWN, words->rest);
}

/* fit ROWS LINES: rows of the list and lines of the log that fit, where nothing is drawn. */
static void do_fit(const struct words *words)
{
    const int lines = number_of(word(words, 1));
    view_fit(&view, number_of(word(words, 0)), lines,
             VIEW_HAS_LIST | (lines > 0 ? VIEW_HAS_LOG : 0));
}

/* draw COLUMNSxROWS [ascii]: from now on, the screen is drawn after each step. */
static void do_draw(const struct words *words)
{
    ck_assert_int_eq(sscanf(word(words, 0), "%dx%d", &columns, &rows), 2);
    ascii = strcmp(word(words, 1), "ascii") == 0;
}

/* trial runs, trial ends|fails WORDS: news of the trial of a rule. */
static void do_trial(const struct words *words)
{
    const bool is_over = strcmp(word(words, 0), "runs") != 0;
    const struct correct_trial_news news = {
        .over = is_over,
        .failed = strcmp(word(words, 0), "fails") == 0,
        .done = 312,
        .total = 640,
        .words = is_over ? strchr(words->rest, ' ') + 1 : "",
    };
    correct_news(&view.correct, &news, facts.clock.mono_ms);
}

/* saved [PROBLEM]: the answer to saving a rule. */
static void do_saved(const struct words *words)
{
    correct_saved(&view.correct, words->count > 0 ? words->rest : NULL);
}

/* fits [every-width]: the screen is drawn at many sizes. */
static void do_fits(const struct words *words)
{
    if (words->count > 0)
        stage_fits_every_width();
    else
        stage_fits_every_size();
}

static const struct step {
    const char *name;
    void (*play)(const struct words *words);
} steps[] = {
    {"run", do_run},
    {"start", do_start},
    {"pass", do_pass},
    {"fail", do_fail},
    {"wait", do_wait},
    {"over", do_over},
    {"end", do_end},
    {"needs-you", do_needs_you},
    {"backoff", do_backoff},
    {"hold", do_hold},
    {"end-run", do_end_run},
    {"say", do_say},
    {"at", do_at},
    {"later", do_later},
    {"mode", do_mode},
    {"with", do_with},
    {"select", do_select},
    {"press", do_press},
    {"fit", do_fit},
    {"draw", do_draw},
    {"fold", do_fold},
    {"corrected", do_corrected},
    {"click", do_click},
    {"release", do_release},
    {"wheel-up", do_wheel_up},
    {"wheel-down", do_wheel_down},
    {"again", do_again},
    {"exits", do_exits},
    {"gate-opens", do_gate_opens},
    {"replay", do_replay},
    {"log", do_log},
    {"more-output", do_more_output},
    {"trial", do_trial},
    {"saved", do_saved},
    {"lines", do_lines},
    {"fits", do_fits},
};

/* Checks: these append what there is. */

static const char *id_of(int task)
{
    return task < 0 ? "none" : story.plan->tasks[task].id;
}

static void see_selected(struct str *out)
{
    str_addf(out, "%s%s", view.on_fold ? "fold " : "", id_of(view.chosen));
}

/* Row by row; "6xT-204" is the row of a fold. */
static void see_rows(struct str *out)
{
    for (int i = 0; i < view.row_count; i++) {
        const int task = view_row_task(view.rows[i]);
        const struct view_fold *fold = view_fold_of(&view, task);
        str_add(out, i > 0 ? " " : "");
        if (view_row_is_fold(view.rows[i]) && fold)
            str_addf(out, "%dx", fold->fault.count);
        str_add(out, id_of(task));
    }
}

static void see_row(struct str *out)
{
    str_addf(out, "%d", view_chosen_row(&view));
}

static void see_screen(struct str *out)
{
    str_add(out, screen_name(view_screen(&view)));
    str_add(out, view_is_zoomed(&view) ? ", zoomed" : "");
}

static void see_marked(struct str *out)
{
    int count = 0;
    for (int i = 0; i < story.plan->task_count; i++) {
        if (view_is_marked(&view, i))
            str_addf(out, "%s%s", count++ > 0 ? " " : "", id_of(i));
    }
    ck_assert_int_eq(view_marked(&view), count);
}

static void see_prompt(struct str *out)
{
    static const char *const names[] = {
        "none",       "cancel",          "cancel-many", "kill",         "kill-many", "retry-many",
        "retry-with", "retry-with-many", "hold-many",   "release-many", "quit"};
    str_add(out, names[view.prompt.kind]);
    if (prompt_is_of_many(&view.prompt))
        str_addf(out, " %s", view.prompt.ids);
    else if (prompt_is_of_one(&view.prompt))
        str_addf(out, " %s", view.prompt.id);
    str_add(out, view.prompt.kind != PROMPT_NONE && view.prompt.changed ? ", changed" : "");
}

/* The overlay or line that takes the keys. */
static void see_open(struct str *out)
{
    str_add(out, view.help.open           ? "help"
                 : view.filter.open       ? "filter"
                 : view.search.open       ? "search"
                 : view.command.line.open ? "command"
                 : view.sorted.is_open    ? "order"
                 : view.correct.stage     ? "correct"
                 : view.prompt.kind       ? "prompt"
                                          : "nothing");
}

static void see_wants(struct str *out)
{
    str_add(out, view_wants_text(&view) ? "text" : "keys");
}

static void see_command(struct str *out)
{
    str_add(out, view.command.line.open ? view.command.line.text : "closed");
}

static void see_nearest(struct str *out)
{
    view_nearest(&view, &facts, out);
}

static void see_order(struct str *out)
{
    str_add(out, view_order_words(&view));
}

static void see_back(struct str *out)
{
    str_addf(out, "%zu", view.log_back);
}

/* When rows may move next. */
static void see_wakes(struct str *out)
{
    const int64_t wake_ms = view_wake_ms(&view);
    if (wake_ms < 0)
        str_add(out, "never");
    else
        str_addf(out, "in %d ms", (int)(wake_ms - facts.clock.mono_ms));
}

static void see_try(struct str *out)
{
    const struct view_try at = view_try_now(&view, &story.state);
    ck_assert_int_eq(at.task, view.chosen);
    str_addf(out, "%d of step %d", at.attempt, at.step + 1);
}

typedef bool copy_fn(const struct view *view, const struct view_facts *facts, struct str *text,
                     struct str *words);

/* What is copied, or how it is called. The ends of lines are shown as '|'. */
static void add_copy(copy_fn *copy, bool is_called, struct str *out)
{
    struct str text = {0}, called = {0};
    if (!copy(&view, &facts, &text, &called))
        str_add(out, "nothing");
    else
        str_add(out, str_text(is_called ? &called : &text));
    for (size_t i = 0; i < out->len; i++)
        out->data[i] = out->data[i] == '\n' ? '|' : out->data[i];
    str_done(&text);
    str_done(&called);
}

static void see_copies(struct str *out)
{
    add_copy(view_copy_text, false, out);
}

static void see_copied(struct str *out)
{
    add_copy(view_copy_text, true, out);
}

static void see_copies_path(struct str *out)
{
    add_copy(view_copy_path, false, out);
}

/* Of a timeline: how much time a column stands for. */
static void see_scale(struct str *out)
{
    const struct axis_scale *scale = &view.timeline.axis.scale;
    str_addf(out, "%d ms", (int)(scale->ms / scale->columns));
}

/* Minutes since the start of the run. */
static void see_cursor(struct str *out)
{
    const int64_t ms = view_timeline_cursor(&view.timeline, &facts.now);
    str_addf(out, "%d min", (int)((ms - story.state.started_at.mono_ms) / 60000));
}

static void see_targets(struct str *out)
{
    for (int i = 0; i < view.target_count; i++)
        str_addf(out, "%s%s %s", i > 0 ? ", " : "", id_of(view.targets[i].task),
                 task_status_name(view.targets[i].status));
}

static void add_place(struct str *out, int task, int step, int attempt)
{
    str_addf(out, " %s", id_of(task));
    if (step >= 0)
        str_addf(out, " step %d try %d", step + 1, attempt);
}

static void add_control(struct str *out, const struct control *control)
{
    char class[VERDICT_WORD_MAX];
    if (control->verb == CONTROL_CANCEL)
        str_addf(out, " %s", cancel_mode_name(control->mode));
    if (control->verb == CONTROL_CORRECT)
        str_addf(out, " as %s", correct_word(&control->label, class));
    if (control->hint[0] != '\0')
        str_addf(out, " hint '%s'", control->hint);
    if (control->tries > 0)
        str_addf(out, " tries %d", control->tries);
}

static const char *const todo_names[] = {
    [VIEW_DRAW] = "draw",
    [VIEW_ASK] = "ask",
    [VIEW_ASK_MANY] = "ask-many",
    [VIEW_ASKED] = "asked",
    [VIEW_TRANSPORT] = "transport",
    [VIEW_GO_TO] = "go-to",
    [VIEW_OPEN_RUN] = "open-run",
    [VIEW_COPY] = "copy",
    [VIEW_THEME] = "theme",
    [VIEW_NOTIFY] = "notify",
    [VIEW_MOUSE] = "mouse",
    [VIEW_REDRAW_ALL] = "redraw-all",
    [VIEW_SUSPEND] = "suspend",
    [VIEW_LEAVE] = "leave",
    [VIEW_LEAVE_WAIT] = "leave-wait",
    [VIEW_LEAVE_CANCEL] = "leave-cancel",
    [VIEW_TRY_RULE] = "try-rule",
    [VIEW_STOP_TRIAL] = "stop-trial",
    [VIEW_SAVE_RULE] = "save-rule",
};

static void see_does(struct str *out)
{
    static const char *const moves[] = {[REPLAY_EVENT_BACK] = "event-back",
                                        [REPLAY_EVENT_ON] = "event-on",
                                        [REPLAY_TRY_BACK] = "try-back",
                                        [REPLAY_TRY_ON] = "try-on",
                                        [REPLAY_PLAY] = "play",
                                        [REPLAY_SLOWER] = "slower",
                                        [REPLAY_FASTER] = "faster",
                                        [REPLAY_START] = "start",
                                        [REPLAY_END] = "end"};
    const struct control *control = &todo.control;
    str_addf(out, "%s%s", todo.is_undo ? "undo: " : "", todo_names[todo.kind]);
    if (todo.kind == VIEW_TRANSPORT)
        str_addf(out, " %s", moves[todo.move]);
    if (todo.kind == VIEW_OPEN_RUN)
        str_addf(out, " %d", (int)todo.run);
    if (todo.kind != VIEW_ASK && todo.kind != VIEW_ASK_MANY)
        return;
    ck_assert_int_eq(control->key_at_ms, facts.clock.at_ms);
    str_addf(out, " %s", control_verb_name(control->verb));
    if (todo.kind == VIEW_ASK)
        add_place(out, control->task, control->step, control->attempt);
    for (int i = 0; todo.kind == VIEW_ASK_MANY && i < view.target_count; i++) {
        str_add(out, i > 0 ? "," : "");
        add_place(out, view.targets[i].task, view.targets[i].step, view.targets[i].attempt);
    }
    add_control(out, control);
}

static void see_class(struct str *out)
{
    char class[VERDICT_WORD_MAX];
    struct verdict_label found[CORRECT_CLASSES_MAX];
    if (correct_found(&view.correct, found) > 0)
        str_add(out, correct_word(&found[view.correct.chosen], class));
}

static void see_about(struct str *out)
{
    str_addf(out, "%s: %s", view.correct.name, view.correct.now);
}

static void see_problem(struct str *out)
{
    (void)view_update_prompt(&view, &facts);
    str_add(out, view.correct.problem);
}

static void see_field(struct str *out)
{
    static const char *const names[] = {"id", "class", "pattern"};
    str_addf(out, "%s %s", names[view.correct.field], view.correct.fields[view.correct.field].text);
}

static void see_rule(struct str *out)
{
    correct_rule_json(&view.correct, out);
}

/* The line at the top of the log, and the row within it. */
static void see_log_at(struct str *out)
{
    str_addf(out, "%zu.%d", view.log.top, view.log.row);
}

/* The line of the log that was found last. */
static void see_hit(struct str *out)
{
    str_addf(out, "%lld", (long long)view.log.hit);
}

/* The terminal's cursor. */
static void see_caret(struct str *out)
{
    str_addf(out, "%d,%d", canvas.cursor_row, canvas.cursor_column);
}

static const char *const pane_names[] = {"list", "preview", "timeline", "log", "events"};
static const char *const stage_names[] = {"closed", "picking", "writing", "trying", "tried"};
static const char *const time_names[] = {"ago", "clock", "utc"};

/* A text, a number, the name for a number, or what a function appends. */
static const struct check {
    const char *name;
    const char *text;
    const int *number;
    const char *const *names;
    void (*see)(struct str *out);
} checks[] = {
    {"selected", .see = see_selected},
    {"rows", .see = see_rows},
    {"row-count", .number = &view.row_count},
    {"row", .see = see_row},
    {"top", .number = &view.top},
    {"screen", .see = see_screen},
    {"says", .text = view.message},
    {"pane", .number = (const int *)&view.pane, .names = pane_names},
    {"marked", .see = see_marked},
    {"prompt", .see = see_prompt},
    {"left-out", .number = &view.prompt.left_out},
    {"open", .see = see_open},
    {"wants", .see = see_wants},
    {"filter", .text = view.filter.text},
    {"command", .see = see_command},
    {"nearest", .see = see_nearest},
    {"order", .see = see_order},
    {"times", .number = (const int *)&view.times, .names = time_names},
    {"back", .see = see_back},
    {"wakes", .see = see_wakes},
    {"try", .see = see_try},
    {"targets", .see = see_targets},
    {"does", .see = see_does},
    {"copies", .see = see_copies},
    {"copied", .see = see_copied},
    {"copies-path", .see = see_copies_path},
    {"scale", .see = see_scale},
    {"idle-folds", .number = &view.timeline.axis.fold_count},
    {"cursor", .see = see_cursor},
    {"log-at", .see = see_log_at},
    {"column", .number = &view.log.column},
    {"hit", .see = see_hit},
    {"caret", .see = see_caret},
    {"line", .number = &view.help.chosen},
    {"find-line", .text = view.help.find.text},
    /* of the prompt that corrects a class */
    {"stage", .number = (const int *)&view.correct.stage, .names = stage_names},
    {"class", .see = see_class},
    {"about", .see = see_about},
    {"note", .text = view.correct.note},
    {"problem", .see = see_problem},
    {"find", .text = view.correct.filter.text},
    {"field", .see = see_field},
    {"id", .text = view.correct.fields[CORRECT_ID].text},
    {"rule", .see = see_rule},
};

static void look(const struct check *check, struct str *out)
{
    if (check->see)
        check->see(out);
    else if (check->text)
        str_add(out, check->text);
    else if (check->names)
        str_add(out, check->names[*check->number]);
    else
        str_addf(out, "%d", *check->number);
}

/* Playing. */

/* Returns true if the text is the wanted one, where "..." may stand for its start or end. */
static bool is_like(const char *text, const char *wanted)
{
    const size_t len = strlen(wanted);
    if (strcmp(wanted, "...") == 0)
        return text[0] != '\0';
    if (len >= 3 && strncmp(wanted, "...", 3) == 0) {
        char middle[TEXT_MAX];
        (void)snprintf(middle, sizeof(middle), "%s", wanted + 3);
        const size_t left = strlen(middle);
        if (left >= 3 && strcmp(middle + left - 3, "...") == 0) {
            middle[left - 3] = '\0';
            return strstr(text, middle) != NULL;
        }
        return strlen(text) >= left && strcmp(text + strlen(text) - left, middle) == 0;
    }
    if (len >= 3 && strcmp(wanted + len - 3, "...") == 0)
        return strncmp(text, wanted, len - 3) == 0;
    return strcmp(text, wanted) == 0;
}

/* Splits off the first word; returns the rest. */
static char *split_word(char *text)
{
    char *rest = text + strcspn(text, " ");
    if (*rest != '\0')
        *rest++ = '\0';
    return trim(rest);
}

/* prompt-frames NAME: of the prompt that corrects a class, without the screen under it. */
static void check_prompt_frames(const char *wanted)
{
    static const struct {
        const char *name;
        int rows, columns;
        bool ascii;
    } sizes[] = {{"80x24", 24, 80, false},
                 {"80x24-ascii", 24, 80, true},
                 {"40x12", 12, 40, false},
                 {"40x12-ascii", 12, 40, true},
                 {"24x3", 3, 24, false}};
    (void)view_update_prompt(&view, &facts);
    for (int i = 0; i < TABLE_LEN(sizes); i++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "%s-%s", wanted, sizes[i].name);
        canvas_done(&canvas);
        canvas_init(&canvas, sizes[i].rows, sizes[i].columns, sizes[i].ascii);
        correct_draw(&view.correct, &canvas);
        golden_check(&canvas, name);
    }
}

/* style NAME TEXT: of the first rune of a text on the screen. */
static void check_style(char *wanted)
{
    const char *text = split_word(wanted);
    for (int i = 0; i < canvas.rows * canvas.columns; i++) {
        const struct cell *cell = &canvas.cells[i];
        if (!is_text_at(i / canvas.columns, i % canvas.columns, text))
            continue;
        const char *name = theme_style_name((enum style)cell->style);
        ck_assert_msg(strcmp(name, wanted) == 0, "%s: '%s' has the style %s", where, text, name);
        return;
    }
    ck_abort_msg("%s: no '%s' on the screen", where, text);
}

static void play_check(char *text)
{
    char *wanted = split_word(text);
    struct str there = {0};
    if (is_stale)
        redraw();
    if (strcmp(text, "style") == 0) {
        check_style(wanted);
        return;
    }
    if (strcmp(text, "prompt-frames") == 0) {
        check_prompt_frames(wanted);
        return;
    }
    if (strcmp(text, "frame") == 0) {
        golden_check(&canvas, wanted);
        return;
    }
    if (strcmp(text, "shows") == 0 || strcmp(text, "lacks") == 0) {
        canvas_to_text(&canvas, &there);
        const bool is_there = strstr(str_text(&there), wanted) != NULL;
        ck_assert_msg(is_there == (text[0] == 's'), "%s: %s '%s':\n%s", where, text, wanted,
                      str_text(&there));
        str_done(&there);
        return;
    }
    for (int i = 0; i < TABLE_LEN(checks); i++) {
        if (strcmp(checks[i].name, text) != 0)
            continue;
        look(&checks[i], &there);
        ck_assert_msg(is_like(str_text(&there), wanted), "%s: %s is '%s', not '%s'", where, text,
                      str_text(&there), wanted);
        str_done(&there);
        return;
    }
    ck_abort_msg("%s: unknown check '%s'", where, text);
}

static void play_step(char *text)
{
    struct words words = {.rest = split_word(text)};
    (void)snprintf(words.text, sizeof(words.text), "%s", words.rest);
    for (char *at = words.text; *at != '\0' && words.count < WORDS_MAX; at = split_word(at))
        words.at[words.count++] = at;
    for (int i = 0; i < TABLE_LEN(steps); i++) {
        if (strcmp(steps[i].name, text) != 0)
            continue;
        is_stale = true;
        steps[i].play(&words);
        return;
    }
    ck_abort_msg("%s: unknown step '%s'", where, text);
}

/* Texts of events must outlive the story, so the lines are kept until the case is over. */
static void play_line(const char *path, const char *name, const struct script_line *line,
                      char **kept)
{
    (void)snprintf(where, sizeof(where), "%s:%d: %s", path, line->number, name);
    char *text = *kept = xstrdup(line->text);
    text += strspn(text, "* ");
    const bool is_check = strncmp(text, "=> ", 3) == 0;
    text += is_check ? strlen("=> ") : 0;
    for (bool is_step = !is_check; text; is_step = false) {
        char *next = strstr(text, " => ");
        if (next) {
            *next = '\0';
            next += strlen(" => ");
        }
        if (is_step)
            play_step(trim(text));
        else
            play_check(trim(text));
        text = next;
    }
}

void script_play(const struct script *script, size_t number)
{
    const struct script_case *one = &script->cases[number];
    char **kept = xcalloc(one->count + 1, sizeof(*kept));
    size_t at = one->setup;
    do {
        for (size_t i = 0; i < one->setup; i++) {
            free(kept[i]);
            play_line(script->path, one->name, &one->lines[i], &kept[i]);
        }
        for (bool is_first = true; at < one->count && (is_first || one->lines[at].text[0] != '*');
             at++) {
            play_line(script->path, one->name, &one->lines[at], &kept[at]);
            is_first = false;
        }
    } while (at < one->count);
    close_story();
    for (size_t i = 0; i < one->count; i++)
        free(kept[i]);
    free(kept);
}
