#include "keymap.h"

#include <assert.h>

#include "attr.h"
#include "term.h"

#define CTRL(letter) ((letter)&0x1f)

enum { ALL = KEYS_IN_ALL, ON_ALL = KEYS_ON_ALL };

/* Every key there is. Bindings of one act stand together, the one that texts name
 * first; groups in the order of the help. */
static const struct key_binding bindings[] = {
    {'j', UI_DOWN, KEYS_MOVE, ALL, ON_ALL, "down", "line down"},
    {TERM_KEY_DOWN, UI_DOWN, KEYS_MOVE, ALL, ON_ALL, "down", "line down"},
    {'k', UI_UP, KEYS_MOVE, ALL, ON_ALL, "up", "line up"},
    {TERM_KEY_UP, UI_UP, KEYS_MOVE, ALL, ON_ALL, "up", "line up"},
    {'g', UI_FIRST, KEYS_MOVE, ALL, ON_ALL, "first", "first line"},
    {TERM_KEY_HOME, UI_FIRST, KEYS_MOVE, ALL, ON_ALL, "first", "first line"},
    {'G', UI_LAST, KEYS_MOVE, ALL, ON_ALL, "last", "last line"},
    {TERM_KEY_END, UI_LAST, KEYS_MOVE, ALL, ON_ALL, "last", "last line"},
    {CTRL('D'), UI_HALF_DOWN, KEYS_MOVE, ALL, ON_ALL, "half down", "half a page down"},
    {CTRL('U'), UI_HALF_UP, KEYS_MOVE, ALL, ON_ALL, "half up", "half a page up"},
    {TERM_KEY_PAGE_DOWN, UI_PAGE_DOWN, KEYS_MOVE, ALL, ON_ALL, "page down", "page down"},
    {TERM_KEY_PAGE_UP, UI_PAGE_UP, KEYS_MOVE, ALL, ON_ALL, "page up", "page up"},
    {'h', UI_LEFT, KEYS_MOVE, ALL, KEYS_ON_TIMELINE, "left", "left"},
    {TERM_KEY_LEFT, UI_LEFT, KEYS_MOVE, ALL, KEYS_ON_TIMELINE, "left", "left"},
    {'h', UI_LEFT, KEYS_MOVE, ALL, KEYS_ON_LOG, "left", "text to the left"},
    {TERM_KEY_LEFT, UI_LEFT, KEYS_MOVE, ALL, KEYS_ON_LOG, "left", "text to the left"},
    {'l', UI_RIGHT, KEYS_MOVE, ALL, KEYS_ON_TIMELINE, "right", "right"},
    {TERM_KEY_RIGHT, UI_RIGHT, KEYS_MOVE, ALL, KEYS_ON_TIMELINE, "right", "right"},
    {'l', UI_RIGHT, KEYS_MOVE, ALL, KEYS_ON_LOG, "right", "text to the right"},
    {TERM_KEY_RIGHT, UI_RIGHT, KEYS_MOVE, ALL, KEYS_ON_LOG, "right", "text to the right"},
    {TERM_KEY_TAB, UI_PANE_NEXT, KEYS_MOVE, ALL, ON_ALL, "pane", "next pane"},
    {TERM_KEY_BACK_TAB, UI_PANE_PREV, KEYS_MOVE, ALL, ON_ALL, "pane back", "previous pane"},
    {TERM_KEY_ENTER, UI_OPEN, KEYS_MOVE, ALL, ON_ALL, "open", "open the task; fold, unfold"},
    {TERM_KEY_ESC, UI_BACK, KEYS_MOVE, ALL, ON_ALL, "back", "close what is on top"},

    {'/', UI_FILTER, KEYS_FIND, ALL, ON_ALL, "filter", "filter list, find in text"},
    {'n', UI_NEXT, KEYS_FIND, ALL, ON_ALL, "next", "next match"},
    {'N', UI_PREV, KEYS_FIND, ALL, ON_ALL, "previous", "previous match"},
    {'&', UI_ONLY_MATCHES, KEYS_FIND, ALL, KEYS_ON_LOG, "only matches", "only lines that match"},
    {'e', UI_ERROR_NEXT, KEYS_FIND, ALL, KEYS_ON_LOG, "error", "next error"},
    {'e', UI_ERROR_NEXT, KEYS_FIND, ALL, KEYS_ON_LISTS | KEYS_ON_DETAIL, "failure", "next failure"},
    {'E', UI_ERROR_BACK, KEYS_FIND, ALL, KEYS_ON_LOG, "error back", "error before"},
    {'E', UI_ERROR_BACK, KEYS_FIND, ALL, KEYS_ON_LISTS | KEYS_ON_DETAIL, "failure back",
     "failure before"},
    {'!', UI_ONLY_NEEDS_YOU, KEYS_FIND, ALL, ON_ALL, "needs-you", "only what needs you"},
    {'a', UI_NEEDS_YOU_NEXT, KEYS_FIND, ALL, ON_ALL, "go there", "next task that needs you"},

    {'r', UI_RETRY, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_A_RUN, "retry now",
     "retry now (fault: send one)"},
    {'R', UI_RETRY_WITH, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_A_RUN, "retry…", "retry: a hint, limits"},
    {'x', UI_CANCEL, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_A_RUN, "cancel", "cancel: asks s, t or K"},
    {'X', UI_KILL, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_A_RUN, "kill", "kill now: asks K"},
    {'p', UI_HOLD, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_A_RUN, "hold", "hold, let go (fault: all)"},
    {'u', UI_UNDO, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_A_RUN, "undo", "undo, 5 s after an act"},
    {'C', UI_CORRECT, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_A_RUN, "correct",
     "correct a class, add a rule"},
    {' ', UI_MARK, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_LISTS, "mark", "mark; then acts are on all"},
    {'v', UI_MARK_RANGE, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_LISTS, "range", "mark from here to there"},
    {'*', UI_MARK_ALL, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_LISTS, "all", "mark all shown"},
    {'U', UI_UNMARK, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_LISTS, "unmark", "no task is marked"},

    {' ', UI_PLAY, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_A_RUN, "play", "play, pause"},
    {',', UI_EVENT_BACK, KEYS_TIME, ALL, KEYS_ON_A_RUN, "rewind", "event back, into the past"},
    {'.', UI_EVENT_FORWARD, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_A_RUN, "event", "one event forward"},
    {'[', UI_TRY_BACK, KEYS_TIME, ALL, KEYS_ON_TRIES, "try before", "the try before"},
    {']', UI_TRY_FORWARD, KEYS_TIME, ALL, KEYS_ON_TRIES, "try after", "the try after"},
    {'[', UI_TRY_START, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_LISTS, "try back", "to the try before"},
    {']', UI_TRY_NEXT, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_LISTS, "try", "to the next try"},
    {'<', UI_SLOWER, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_A_RUN, "slower", "slower"},
    {'>', UI_FASTER, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_A_RUN, "faster", "faster"},
    {'b', UI_GO_TO, KEYS_TIME, ALL, KEYS_ON_A_RUN, "go to time", "go to a time, a try"},
    {'m', UI_BOOKMARK, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_A_RUN, "bookmark",
     "bookmark this, or no more"},
    {'=', UI_COMPARE, KEYS_TIME, ALL, KEYS_ON_DETAIL | KEYS_ON_LOG, "compare", "compare two tries"},
    {'=', UI_COMPARE, KEYS_TIME, ALL, KEYS_ON_LISTS, "what if", "what other policies do"},
    {'L', UI_LATER, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_A_RUN, "later", "show, hide what came later"},
    {'0', UI_START, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_TRIES | KEYS_ON_TASKS, "start",
     "start of the run"},
    {'$', UI_END, KEYS_TIME, KEYS_IN_TIME, ON_ALL, "end", "end of the run, live"},

    {'F', UI_FOLLOW, KEYS_SEE, ALL, ON_ALL, "follow", "follow the end of the log"},
    {'1', UI_TASKS, KEYS_SEE, ALL, ON_ALL, "tasks", "all tasks"},
    {'2', UI_DETAIL, KEYS_SEE, ALL, ON_ALL, "detail", "the chosen task alone"},
    {'3', UI_LOG, KEYS_SEE, ALL, ON_ALL, "log", "all that a try wrote"},
    {'w', UI_WRAP, KEYS_SEE, ALL, KEYS_ON_LOG, "wrap", "wrap long lines, or cut"},
    {'V', UI_RAW, KEYS_SEE, ALL, KEYS_ON_LOG, "raw", "agent's output as it came"},
    {'z', UI_ZOOM, KEYS_SEE, ALL, KEYS_ON_TASKS | KEYS_ON_DETAIL, "zoom",
     "the pane has all the screen"},
    {'+', UI_NEARER, KEYS_SEE, ALL, KEYS_ON_TIMELINE, "zoom", "nearer: less time, wider"},
    {'-', UI_FARTHER, KEYS_SEE, ALL, KEYS_ON_TIMELINE, "farther", "farther: more time"},
    {'0', UI_WHOLE, KEYS_SEE, ALL, KEYS_ON_TIMELINE, "all", "the whole run"},
    {'f', UI_FOLD_IDLE, KEYS_SEE, ALL, KEYS_ON_TIMELINE, "fold idle", "fold time without a try"},
    {'i', UI_FORENSICS, KEYS_SEE, ALL, ON_ALL, "forensics", "forensics: why it ended"},
    {'4', UI_FORENSICS, KEYS_SEE, ALL, ON_ALL, "forensics", "forensics: why it ended"},
    {'5', UI_TIMELINE, KEYS_SEE, ALL, ON_ALL, "timeline", "when what ran, and waited"},
    {'6', UI_RUNS, KEYS_SEE, ALL, ON_ALL, "runs", "all runs in the log"},
    {'s', UI_ORDER, KEYS_SEE, ALL, KEYS_ON_LISTS, "order", "order of the tasks"},
    {'S', UI_TURN, KEYS_SEE, ALL, KEYS_ON_LISTS, "turn", "turn the order round"},
    {'H', UI_FINISHED, KEYS_SEE, ALL, KEYS_ON_LISTS, "hide", "hide or show passed tasks"},
    {'t', UI_TIMES, KEYS_SEE, ALL, KEYS_ON_A_RUN, "time", "times: ago, clock, UTC"},
    {'Z', UI_FREEZE, KEYS_SEE, ALL, ON_ALL, "freeze", "freeze the screen"},
    {CTRL('L'), UI_REDRAW, KEYS_SEE, ALL, ON_ALL, "redraw", "redraw the screen"},

    {'y', UI_COPY, KEYS_OTHER, ALL, ON_ALL, "copy", "copy: task, lines in sight"},
    {'Y', UI_COPY_PATH, KEYS_OTHER, ALL, ON_ALL, "copy path", "copy the path"},
    {'o', UI_PAGER, KEYS_OTHER, ALL, KEYS_ON_A_RUN, "$PAGER", "read the text in $PAGER"},
    {'W', UI_BUNDLE, KEYS_OTHER, ALL, ON_ALL, "bundle", "write one file to share"},
    {'M', UI_MOUSE, KEYS_OTHER, ALL, ON_ALL, "mouse", "give the mouse back or take"},
    {':', UI_COMMAND, KEYS_OTHER, ALL, ON_ALL, "command", "a command; Tab completes it"},
    {'?', UI_HELP, KEYS_OTHER, ALL, ON_ALL, "help", "these keys"},
    {TERM_KEY_F1, UI_HELP, KEYS_OTHER, ALL, ON_ALL, "help", "these keys"},
    {CTRL('Z'), UI_SUSPEND, KEYS_OTHER, ALL, ON_ALL, "suspend", "suspend devs, fg comes back"},
    {'q', UI_QUIT, KEYS_OTHER, ALL, ON_ALL, "quit", "back, at the top quit"},
    {CTRL('C'), UI_QUIT, KEYS_OTHER, ALL, ON_ALL, "quit", "back, at the top quit"},
};

static const char *const refusals[] = {
    [KEYMAP_LIVE] = "only in the past or in a replay: {event-back} goes back",
    [KEYMAP_PAST] = "this is the past, it is read only: {end} leads back",
    [KEYMAP_REPLAY] = "this is a replay, it is read only",
};
static_assert(ARRAY_LEN(refusals) == KEYMAP_MODE_COUNT, "every mode says why not");

const struct keymap *keymap_builtin(void)
{
    static const struct keymap builtin = {bindings, ARRAY_LEN(bindings)};
    return &builtin;
}

static bool is_of_screen(const struct key_binding *binding, struct key_place place)
{
    return (binding->screens & (1u << place.screen)) != 0;
}

const struct key_binding *keymap_find(const struct keymap *keys, struct key_place place,
                                      uint32_t key)
{
    const struct key_binding *elsewhere = NULL;
    for (size_t i = 0; i < keys->count; i++) {
        if (keys->rows[i].key != key)
            continue;
        if (keymap_works(&keys->rows[i], place))
            return &keys->rows[i];
        if (!elsewhere || is_of_screen(&keys->rows[i], place))
            elsewhere = &keys->rows[i];
    }
    return elsewhere;
}

bool keymap_works(const struct key_binding *binding, struct key_place place)
{
    return is_of_screen(binding, place) && (binding->modes & (1u << place.mode)) != 0;
}

const char *keymap_refusal(const struct key_binding *binding, struct key_place place)
{
    assert(!keymap_works(binding, place));
    return is_of_screen(binding, place) ? refusals[place.mode]
                                        : "does nothing on this screen: {help} lists what does";
}

const struct key_binding *keymap_of(const struct keymap *keys, enum act act, struct key_place place)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (keys->rows[i].act == act && keymap_works(&keys->rows[i], place))
            return &keys->rows[i];
    }
    return NULL;
}
