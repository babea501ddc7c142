/* Ends a step: compares its result with the memory of earlier steps, and makes the fact that the
 * rungs judge. */
#include <limits.h>
#include <string.h>

#include "entropy_hash.h"
#include "fingerprint.h"
#include "loops_internal.h"
#include "xalloc.h"

enum {
    SHORT_LINES = 2,  /* a change whose result has at most this many lines says no more than
                         "done" */
    SILENT_LINES = 4, /* a result of at most this many short lines says no more than "done" */
    SHORT_BYTES = 80,
    LOOK_LINES = 8, /* a longer result does not answer a poll */
    PERCENT = 100,
    PERMILLE = 1000,
    SAME_ERRORS = 4, /* after this many failures with the same last line in a row, a few new lines
                        are not news */
    SAME_ERROR_PERMILLE = 400, /* maximum share of these lines if the last line echoes the call */
    HARDLY_PERMILLE = 250,     /* maximum share of these lines if it does not */
    REPORT_LINES = 2,          /* minimum lines of a result that counts as a report */
    SWEEP_MAX = 40,            /* maximum calls in a row about different names that are news */
    CRASH_LINES = 5,           /* a failure with at least this many lines is data about its input */
    FALLS_LEAST = 3,   /* a number of faults that falls this many times in a row is progress */
    PLACE_STEPS = 8,   /* maximum lines by which an edit moves the code after it */
    NEAR_PERCENT = 80, /* minimum percentage of common words at which two messages of a tool are the
                          same error */
    REWRITES_CHURN = 2, /* after this many rewrites of a file in a row, less similarity is enough */
    CHURN_PERCENT = 60, /* the lower threshold, in percent of rewrite_percent */
    GROWTH_WORDS = 2,   /* a file that gains this many words and loses none is not just reworded */
    REFUSALS_LEAST = 2, /* refusals in a row before the refused target counts as known */
    STRAYS_MAX = 2,     /* maximum failures for other causes in a row within a streak of refusals */
    REFUSALS_SURE = 4,  /* any failure at the target after this many refusals is a refusal */
    EDITS_LEAST = 2,    /* failures of one edit in a row after which reading about it is not
                           progress until an edit works */
    ANSWER_PERCENT = 50, /* an answer with a lower percentage of known words is reworded */
    PATCH_NAMES = 8,     /* minimum names in a patch without a file to compare it with another */
    EDIT_READS_MAX = 3,  /* maximum steps between two failures that read about the edit */
    TOOL_WORDS = 1,      /* words before the name that a call asks about: the tool */
    PROGRAM_WORDS = 2,   /* words before that name in a command line: the tool and the program */
};

/* How the answer of another agent compares with its earlier answers to the same prompt. */
enum answer {
    ANSWER_NEW,
    ANSWER_REWORDED, /* names nothing new, but is mostly worded differently */
    ANSWER_SAME,
};

/* What is known about a call when it ends. */
struct ending {
    const struct entropy_end *end;
    enum call_end now;
    struct digest outcome;
    const struct known_call *known; /* how the call ended last time; NULL: it is new */
    bool succeeded_before;          /* a call with exactly these arguments succeeded before */
    bool news;                      /* some lines are new */
    int64_t new_lines;
    bool changed;
    bool look;
    bool renames;       /* one or two words are new, and they may be names */
    bool asks_another;  /* the call asks the same question about a different name */
    bool of_path;       /* that name is a path */
    bool of_host;       /* that name may be a host */
    bool of_number;     /* that name has a digit */
    bool of_symbol;     /* that name is a name in code */
    bool between;       /* the step reads about an edit that keeps failing */
    enum answer answer; /* how the answer of another agent compares */
    bool asks_same;     /* found nothing again about the same symbol, but said so in new lines */
    bool result_known;  /* an earlier step had this result */
    bool reports_same;  /* an earlier step had this result, which is long enough to be a report */
    bool refused; /* refused for the same cause as the previous step, although it tried something
                     different */
};

/* Returns true if a poll got an answer. A failed poll did if failing means "not yet" or if a sleep
 * came first, but not if it says that waiting will not help. */
static bool is_answer(const struct entropy_memory *memory, const struct entropy_end *end)
{
    if (!end->failed)
        return true;
    if (memory->sums.hints & HINT_HOPELESS)
        return false;
    if (memory->call.traits & CALL_LOOKS && memory->sums.hints & HINT_PENDING)
        return true;
    return memory->paused || memory->call.traits & (CALL_PROBES | CALL_SLEEPS);
}

static bool is_look(const struct entropy_memory *memory, const struct ending *ending)
{
    const unsigned traits = memory->call.traits;
    const unsigned hints = memory->sums.hints;
    const bool pending = hints & HINT_PENDING;
    if (ending->end->transient)
        return true;
    /* "failed" and "done" mean nothing if the agent sleeps before it looks, or if the network is
     * down. */
    const bool waits = memory->paused || traits & CALL_SLEEPS;
    const bool is_down = ending->end->failed && hints & (HINT_PASSES | CAUSES_NETWORK);
    if (memory->attempt || traits & (CALL_NO_LOOK | CALL_PLANS))
        return false;
    /* An installation that waits for the network or a lock is a poll, too. */
    if ((waits || memory->slept) && is_down && !(hints & HINT_HOPELESS))
        return true;
    if (traits & CALL_CHANGES)
        return false;
    const bool goes_on = pending || hints & HINT_BUSY || waits || is_down;
    /* A result that reports a failure is final, even if the agent sleeps before each look. */
    if (!ending->end->failed && (hints & HINT_FAILURE) && (hints & HINT_OVER) &&
        !(pending || hints & (HINT_BUSY | HINT_PASSES | CAUSES_NETWORK)))
        return false;
    if (waits || traits & CALL_LOOKS)
        return is_answer(memory, ending->end) && (goes_on || !(hints & HINT_OVER));
    if (traits & CALL_MAY_LOOK)
        return is_answer(memory, ending->end) && (goes_on || memory->sums.lines == 0);
    /* Stepping through something: the same call leads to a different position. */
    if (traits & CALL_CONTINUES)
        return ending->known && ending->known->outcome != ending->outcome.lo;
    /* A file may contain "running", too, and does not change on its own. */
    const bool answers = !(traits & CALL_READS) && memory->sums.lines <= LOOK_LINES;
    return answers && !ending->end->failed && pending && !(hints & HINT_OVER);
}

/* Returns true if the file is written again with nearly the same words and nothing was done in
 * between. */
static bool is_rewrite(const struct entropy_memory *memory)
{
    const struct entropy_call *call = &memory->call;
    if (!(call->traits & CALL_REWRITES) || call->path == 0 ||
        call->path != memory->rewritten_path || memory->limits.rewrite_percent == 0)
        return false;
    const int alike = word_set_alike(&call->said, &memory->rewritten);
    const int before = memory->rewritten.count;
    const bool grows =
        call->said.count >= before + GROWTH_WORDS && alike == before * PERCENT / call->said.count;
    const int percent = memory->rewrites < REWRITES_CHURN
                            ? memory->limits.rewrite_percent
                            : memory->limits.rewrite_percent * CHURN_PERCENT / 100;
    return !grows && alike >= percent;
}

/* Kinds of keys, other than lines, in the table of lines. */
enum known_key {
    KNOWN_FORM = 2, /* a call without its new words */
    KNOWN_WORD,     /* a word of a call */
    KNOWN_OUTCOME,
    KNOWN_PATH, /* a file that was changed */
};

/* Remembers the value. Returns true if it is new in this segment. */
static bool is_first(struct entropy_memory *memory, uint64_t value, enum known_key kind)
{
    bool added = false;
    (void)entropy_table_add(&memory->news.lines, entropy_hash_pair(value, kind), &added);
    return added;
}

/* Looks up the words of the call and remembers them. Finds out whether the call equals an
 * earlier one except for one or two new names. */
static void compare_words(struct entropy_memory *memory, struct ending *ending)
{
    const struct entropy_call *call = &memory->call;
    uint64_t form = KNOWN_FORM;
    int added_count = 0;
    bool names = true, of_path = true, of_symbol = true, of_host = true;
    bool of_number = true;
    for (int i = 0; i < call->word_count; i++) {
        const bool added = is_first(memory, call->words[i], KNOWN_WORD);
        const bool is_option = call->word_bits[i] & CALL_WORD_IS_OPTION;
        form = entropy_hash_pair(form, !added ? call->words[i] : is_option ? 1 : 0);
        if (!added)
            continue;
        added_count++;
        names = names && call->word_bits[i] & CALL_WORD_NAMES &&
                i >= (call->traits & CALL_SHELL ? PROGRAM_WORDS : TOOL_WORDS);
        of_path = of_path && call->word_bits[i] & CALL_WORD_IS_PATH;
        of_number = of_number && call->word_bits[i] & CALL_WORD_HAS_DIGIT;
        of_host = of_host && call->word_bits[i] & CALL_WORD_IS_HOST;
        of_symbol = of_symbol && call->word_bits[i] & CALL_WORD_IS_SYMBOL;
    }
    bool form_added = true;
    if (added_count > 0)
        (void)entropy_table_add(&memory->news.lines, form, &form_added);
    ending->renames = added_count > 0 && added_count <= 2 && names;
    ending->asks_another = !form_added && ending->renames;
    ending->of_path = ending->asks_another && of_path;
    ending->of_number = ending->asks_another && of_number;
    ending->of_host = ending->asks_another && of_host;
    ending->of_symbol = ending->asks_another && of_symbol;
}

/* Returns true for a call that asks a known question about a different name and gets a short
 * answer: if 25 links all answer 200, each is an answer of its own. Returns false after SWEEP_MAX
 * such calls in a row. */
static bool is_sweep(struct entropy_memory *memory, const struct ending *ending)
{
    const unsigned hints = memory->sums.hints;
    const bool trouble = hints & (HINT_PASSES | HINT_TROUBLE) ||
                         (hints & (HINT_HOPELESS | HINT_EMPTY)) == HINT_HOPELESS;
    const bool silent = memory->sums.lines == 0 && !(memory->call.traits & CALL_CHANGES);
    const bool is_short = memory->sums.lines <= SILENT_LINES && memory->sums.longest <= SHORT_BYTES;
    const bool reads = memory->call.traits & CALL_READS && is_short;
    const bool runs = memory->call.traits & CALL_SHELL && ending->of_path && is_short &&
                      memory->sums.hints & HINT_NO_CHANGE;
    const bool answers = ending->now == CALL_END_OK ? (reads || runs) && !trouble
                                                    : ending->now == CALL_END_FAILED && silent;
    /* Different words for a search engine ask the same question differently. */
    const bool asks =
        ending->of_symbol || (ending->asks_another && !(memory->call.traits & CALL_SEARCHES));
    const bool sweeps = !memory->attempt && asks && answers;
    memory->sweep = sweeps ? memory->sweep + (memory->sweep < INT_MAX) : 0;
    return sweeps && memory->sweep <= SWEEP_MAX;
}

/* Returns true if the call has a name that all refused calls have. */
static bool names_target(const struct refusals *refusals, const struct entropy_call *call)
{
    struct word_set names = call->said;
    word_set_intersect(&names, &refusals->names);
    return names.count > 0;
}

/* Returns true if the refusals have a known cause and the call is about their target. */
static bool shares_target(const struct refusals *refusals, const struct entropy_call *call)
{
    return refusals->causes != 0 && names_target(refusals, call);
}

/* Returns true if the call failed at a target that refused several calls in a row, and gives no
 * cause of its own. Silence and timeouts are not such a cause. After REFUSALS_SURE refusals, the
 * message of a different program is not one, either. */
static bool is_of_same_target(const struct entropy_memory *memory)
{
    if (memory->refusals->count < REFUSALS_LEAST || memory->sums.hints & CAUSES ||
        (memory->sums.lines > 0 && !(memory->sums.hints & HINT_PASSES) &&
         memory->refusals->count < REFUSALS_SURE))
        return false;
    return shares_target(memory->refusals, &memory->call);
}

/* Returns true if the call failed like the failures before it: with a common cause, even if
 * programs word it differently, or, for command lines about the same thing, with the same reason,
 * whatever programs put before it. Updates the streak of refusals. */
static bool is_refused(struct entropy_memory *memory, const struct ending *ending)
{
    const bool waits =
        memory->paused || memory->call.traits & CALL_SLEEPS || ending->end->transient;
    const bool counts = ending->now == CALL_END_FAILED && !memory->attempt && !waits;
    unsigned causes = counts ? memory->sums.hints & CAUSES : 0;
    const uint64_t reason = counts && memory->call.traits & CALL_SHELL ? memory->sums.reason : 0;
    if (causes & CAUSES_NETWORK)
        causes |= CAUSES_NETWORK; /* without a network, programs fail at different points */
    if (!memory->refusals && !causes && !reason)
        return false;
    if (!memory->refusals)
        memory->refusals = xcalloc(1, sizeof(*memory->refusals));
    struct refusals *refusals = memory->refusals;
    const unsigned common = causes & refusals->causes;
    const bool same_reason =
        reason != 0 && reason == refusals->reason && names_target(refusals, &memory->call);
    if (counts && is_of_same_target(memory))
        return !ending->known;
    /* Another kind of failure at the target, or no new output, does not mean that access to the
     * target would be granted. */
    const bool is_stray = refusals->causes != 0 && (memory->sums.lines == 0 || !ending->news ||
                                                    shares_target(refusals, &memory->call));
    if (!common && !same_reason && counts && is_stray && refusals->strays < STRAYS_MAX) {
        refusals->strays++;
        return false;
    }
    if (!common && !same_reason) {
        *refusals = (struct refusals){.causes = causes,
                                      .reason = reason,
                                      .count = causes || reason ? 1 : 0,
                                      .names = memory->call.said};
        return false;
    }
    refusals->strays = 0;
    refusals->causes = common;
    refusals->reason = reason;
    refusals->count += refusals->count < INT_MAX;
    word_set_intersect(&refusals->names, &memory->call.said);
    /* One program may reject many inputs for the same reason. */
    const bool is_other = common ? ending->asks_another : ending->renames;
    return !is_other && !ending->known;
}

/* How the number of faults changed over the last failures of one call, latest first. */
struct fault_course {
    double next;  /* number of faults in the next later failure */
    double least; /* fewest faults of all failures but the latest */
    int turns;
    int heading; /* direction of the last change read: -1 down, 1 up, 0 none yet */
    int falls;   /* falls in a row, back from the latest change */
    bool falling;
    bool shape_known; /* an earlier failure has lines of the same shapes */
    bool started;
};

/* Adds the next older failure. */
static void follow_faults(struct fault_course *course, const struct known_failure *now,
                          const struct known_failure *before)
{
    const double change = course->next - before->faults;
    const int heading = change > 0 ? 1 : change < 0 ? -1 : 0;
    course->turns += heading != 0 && course->heading == -heading;
    course->heading = heading != 0 ? heading : course->heading;
    course->falling = course->falling && heading < 0;
    course->falls += course->falling;
    course->least =
        !course->started || before->faults < course->least ? before->faults : course->least;
    course->shape_known = course->shape_known || before->shapes == now->shapes;
    course->next = before->faults;
    course->started = true;
}

/* Returns true if the call failed like this before, though not last time; or like last time but
 * some lines further down, because an edit moved them; or if the number of faults goes up and down
 * without progress. A number that only falls may count the faults that are left. Remembers the
 * failure. */
static bool fails_again(struct entropy_memory *memory, const struct ending *ending)
{
    const struct known_failure now = {.call = memory->call.key.lo,
                                      .sum = memory->sums.placeless,
                                      .shapes = memory->sums.shape_sum,
                                      .place = memory->sums.place,
                                      .faults = memory->sums.faults};
    struct fault_course course = {.next = now.faults, .falling = true};
    bool again = false;
    bool is_last = true, is_same = false, in_a_row = false;
    bool differs = false,
         returns = false; /* `returns`: like an older failure, unlike a later one */
    if (ending->now != CALL_END_FAILED || memory->sums.lines == 0)
        return false;
    if (!memory->failures)
        memory->failures = xcalloc(1, sizeof(*memory->failures));
    for (int back = 1; back <= FAILURES_MAX; back++) {
        const int at = (memory->failures->next + FAILURES_MAX - back) % FAILURES_MAX;
        const struct known_failure *before = &memory->failures->last[at];
        const double moved = now.place - before->place;
        if (before->call != now.call)
            continue;
        const bool same = before->sum == now.sum && before->place == now.place;
        is_same = is_same || (is_last && same);
        returns = returns || (same && differs);
        differs = differs || !same;
        in_a_row = in_a_row || (is_last && before->sum == now.sum);
        const bool near = is_last ? moved > 0 : moved >= (in_a_row ? 0 : -PLACE_STEPS);
        again = again || (before->sum == now.sum && near && moved <= PLACE_STEPS);
        is_last = false;
        follow_faults(&course, &now, before);
    }
    /* The number of faults of one kind goes up and down without a new minimum. */
    const int turns_max = memory->limits.drift_turns;
    const bool swings = course.shape_known && turns_max > 0 && course.turns >= turns_max &&
                        course.least > 0 && now.faults >= course.least &&
                        course.falls < FALLS_LEAST;
    again = again || swings;
    memory->failures->last[memory->failures->next] = now;
    memory->failures->next = (memory->failures->next + 1) % FAILURES_MAX;
    return returns || (again && !is_same);
}

/* Returns true if the call changed something: with arguments that have not succeeded before, or
 * with a different result than last time. Excludes similar rewrites of a file, and command lines
 * that print a known report. */
static bool has_changed(const struct entropy_memory *memory, const struct ending *ending)
{
    const bool again =
        ending->succeeded_before && ending->known && ending->known->outcome == ending->outcome.lo;
    return memory->call.traits & CALL_CHANGES && ending->now == CALL_END_OK &&
           !(memory->sums.hints & HINT_NO_CHANGE) && !again && !is_rewrite(memory) &&
           !(memory->call.traits & CALL_SHELL && ending->reports_same);
}

/* Returns true if the result says no more than "done". The output of a page or of code is an answer
 * unless it is a single "ok" or the like. */
static bool is_silent(const struct entropy_memory *memory)
{
    const struct step_sums *sums = &memory->sums;
    const unsigned trouble =
        HINT_EMPTY | HINT_NO_CHANGE | HINT_HOPELESS | HINT_PASSES | HINT_TROUBLE;
    if (sums->hints & trouble || memory->call.grows || sums->longest > SHORT_BYTES)
        return false;
    if (memory->call.traits & (CALL_SHOWS | CALL_CODE | CALL_CONTINUES))
        return sums->lines == 0 || (sums->lines == 1 && sums->hints & HINT_ACK);
    return sums->lines <= SILENT_LINES;
}

/* Returns the gain of a call: what is new about the step. */
static enum entropy_gain gain_of(struct entropy_memory *memory, const struct ending *ending)
{
    const bool sweeps = is_sweep(memory, ending);
    const unsigned traits = memory->call.traits;
    const struct known_call *known = ending->known;
    const bool ok = ending->now == CALL_END_OK;
    /* "wrote 141 bytes" is not news; what counts is whether something changed. */
    const bool says_done = traits & CALL_CHANGES && ok && memory->sums.lines <= SHORT_LINES;
    /* A missing program says nothing about the question. */
    const bool is_missing = ending->now == CALL_END_FAILED && !memory->attempt &&
                            memory->sums.lines <= SHORT_LINES && memory->sums.hints & HINT_MISSING;
    if (ending->refused || is_missing || ending->answer != ANSWER_NEW)
        return ENTROPY_GAIN_NONE;
    if (ending->news && !says_done)
        return ENTROPY_GAIN_LINE;
    if (ending->changed)
        return ENTROPY_GAIN_CHANGE;
    if (known && known->end != ending->now && known->flips < memory->limits.flips)
        return ENTROPY_GAIN_FLIP;
    if (sweeps)
        return ENTROPY_GAIN_LINE;
    /* A step of the plan that passes for the first time is progress. */
    if (ok && memory->attempt && !ending->succeeded_before)
        return ENTROPY_GAIN_SILENT;
    if (ok && !ending->succeeded_before && is_silent(memory) && !says_done &&
        !(traits & (CALL_READS | CALL_LOOKS | CALL_MAY_LOOK)))
        return ENTROPY_GAIN_SILENT;
    return ENTROPY_GAIN_NONE;
}

static void remember_call(struct entropy_memory *memory, const struct ending *ending)
{
    struct known_call *known = entropy_tables_know(memory, memory->call.key);
    bool added = false;
    if (known->end != CALL_END_NONE && known->end != ending->now && known->flips < UCHAR_MAX)
        known->flips++;
    known->end = (unsigned char)ending->now;
    known->outcome = ending->outcome.lo;
    if (ending->now == CALL_END_OK)
        (void)entropy_table_add(&memory->succeeded, memory->call.exact, &added);
    memory->paused = memory->call.kind == ENTROPY_PAUSE;
    memory->slept = memory->call.traits & CALL_SLEEPS;
    memory->planned = memory->call.kind == ENTROPY_NEUTRAL;
    if (memory->call.kind != ENTROPY_CALL)
        return;
    const uint64_t path = memory->call.traits & CALL_REWRITES ? memory->call.path : 0;
    const bool again = path != 0 && path == memory->rewritten_path;
    memory->rewrites = path == 0 ? 0 : again ? memory->rewrites + (memory->rewrites < INT_MAX) : 1;
    memory->rewritten_path = path;
    if (memory->rewritten_path != 0)
        memory->rewritten = memory->call.said;
    memory->talked_count = 0;
    memory->spoken.count = 0;
}

static void put_sample(struct entropy_sample **at, const struct entropy_sample *now)
{
    if (!now && !*at)
        return;
    if (!*at)
        *at = xcalloc(1, sizeof(**at));
    **at = now ? *now : (struct entropy_sample){0};
}

static int share_of(int64_t part, int64_t whole)
{
    return whole > 0 ? (int)(part * PERMILLE / whole) : -1;
}

static void end_message(struct entropy_memory *memory, struct entropy_fact *out)
{
    *out = (struct entropy_fact){
        .kind = ENTROPY_MESSAGE,
        .call = memory->call.key,
        .bits = (memory->alike ? (unsigned)ENTROPY_ALIKE : 0) |
                (memory->chants ? (unsigned)ENTROPY_CHANTS : 0),
        .new_permille = -1,
    };
    memory->talked[memory->talked_count % TALKED_MAX] = memory->call.said;
    word_set_unite(&memory->spoken, &memory->call.said);
    if (memory->talked_count < INT_MAX)
        memory->talked_count++;
}

/* Returns true if the tool also failed in the previous step, with nearly the same message. Shell
 * commands are excluded: one program's messages about two inputs may differ in a single important
 * word. */
static bool is_near_error(struct entropy_memory *memory, const struct ending *ending)
{
    const bool counts = ending->now == CALL_END_FAILED && !memory->attempt &&
                        !(memory->call.traits & CALL_SHELL) && memory->sums.said.count > 0;
    const bool near = counts && memory->call.tool == memory->failed_tool &&
                      word_set_alike(&memory->sums.said, &memory->failed_said) >= NEAR_PERCENT;
    memory->failed_tool = counts ? memory->call.tool : 0;
    if (counts)
        memory->failed_said = memory->sums.said;
    return near;
}

/* Returns true if several failures in a row ended in the same message and few other lines are new:
 * a different position in a trace before the message is not news. Calls made before are excluded,
 * and so are attempts: they write to two streams, so their last line is a matter of chance. */
static bool is_same_error(struct entropy_memory *memory, const struct ending *ending)
{
    const bool failed = ending->now == CALL_END_FAILED && memory->sums.lines > 0;
    const bool again = failed && memory->errors > 0 && memory->error == memory->sums.last_line;
    memory->error = memory->sums.last_line;
    memory->errors = failed ? (again ? memory->errors : 0) + 1 : 0;
    const int64_t permille = share_of(ending->new_lines, memory->news.line_count);
    const int most = memory->sums.last_has_echo ? SAME_ERROR_PERMILLE : HARDLY_PERMILLE;
    return !memory->attempt && !ending->known && memory->errors > SAME_ERRORS && permille <= most;
}

/* Returns true if the failure concerns one of many inputs: it has a trace, or the input is numbered
 * or a host that does not answer. */
static bool is_of_many(const struct entropy_memory *memory, const struct ending *ending)
{
    const unsigned hints = memory->sums.hints;
    const unsigned traits = memory->call.traits;
    const unsigned no_answer = HINT_PASSES | CAUSE_REFUSED | CAUSE_UNREACHABLE;
    if (!(traits & CALL_SHELL) || traits & (CALL_CODE | CALL_CHANGES) || hints & HINT_HOPELESS)
        return false;
    if (ending->of_host && hints & no_answer)
        return true;
    const bool says_much = memory->sums.lines >= CRASH_LINES;
    const bool numbered = ending->of_number && memory->sums.lines > 0;
    return ending->of_path && (says_much || numbered) && !(hints & CAUSES) &&
           !(traits & CALL_READS);
}

/* Returns true if the step brings no news but is not a loop yet: it reads a different part of known
 * lines, gets a reworded answer, or fails for one of many inputs. */
static bool is_review(const struct entropy_memory *memory, const struct ending *ending,
                      enum entropy_gain gain)
{
    if (gain != ENTROPY_GAIN_NONE)
        return false;
    if (ending->asks_same || ending->answer == ANSWER_REWORDED)
        return true;
    if (ending->now == CALL_END_FAILED && !memory->attempt)
        return is_of_many(memory, ending);
    return ending->now == CALL_END_OK && !ending->result_known &&
           memory->call.traits & CALL_READS && memory->sums.lines > SILENT_LINES;
}

/* Returns true if an answer says that something was not found or not done. */
static bool is_negative(const struct word_set *said)
{
    /* "t" is what is left of "didn't". */
    static const char negations[] = "no not t nothing none never neither nor cannot without unable";
    struct word_set found = {0};
    word_set_add(&found, negations, sizeof(negations) - 1);
    word_set_intersect(&found, said);
    return found.count > 0;
}

/* Compares the answer of another agent with its earlier answers to the same prompt, perhaps with a
 * few more or fewer words. The answer is new only if it names something that neither the prompt nor
 * earlier answers named: prose differs by chance. Remembers the answer. */
static enum answer compare_answer(struct entropy_memory *memory, const struct ending *ending)
{
    const struct word_set *prompt = &memory->call.said;
    const struct word_set *said = &memory->sums.said;
    if (!(memory->call.traits & CALL_DELEGATES) || ending->now != CALL_END_OK)
        return ANSWER_NEW;
    struct delegated *delegated = memory->delegated;
    struct word_set *answered = &delegated->answered;
    const bool is_longer = word_set_within(&delegated->prompt, prompt) == PERCENT;
    const bool again = is_longer || word_set_within(prompt, &delegated->prompt) == PERCENT;
    if (!again)
        answered->count = 0;
    if (!is_longer)
        delegated->prompt = *prompt;
    struct word_set names = delegated->named;
    word_set_remove(&names, prompt);
    word_set_remove(&names, answered);
    const bool is_reworded = word_set_within(said, answered) < ANSWER_PERCENT;
    word_set_unite(answered, &names);
    word_set_unite(answered, said);
    if (!again || names.count > 0)
        return ANSWER_NEW;
    return is_reworded && !is_negative(said) ? ANSWER_REWORDED : ANSWER_SAME;
}

/* Returns true if the last failed edit is tried again, perhaps spelled differently, and fails with
 * nearly the same message. Remembers a failed edit. */
static bool repeats_edit(struct entropy_memory *memory, const struct ending *ending)
{
    const struct entropy_call *call = &memory->call;
    if (!(call->traits & CALL_CHANGES) || call->traits & CALL_SHELL || memory->attempt)
        return false;
    if (!memory->failing && ending->now != CALL_END_FAILED)
        return false;
    if (!memory->failing)
        memory->failing = xcalloc(1, sizeof(*memory->failing));
    struct failing_edit *failing = memory->failing;
    if (ending->now != CALL_END_FAILED) {
        failing->count = 0;
        return false;
    }
    const int alike = word_set_alike(&call->said, &failing->said);
    const int error_alike = word_set_alike(&memory->sums.said, &failing->error);
    /* Without a file, edits of a few words may be about two records that differ in a number. */
    const bool is_same_file =
        call->path == failing->path && (call->path != 0 || call->said.count >= PATCH_NAMES);
    const bool again = failing->count > 0 && failing->tool == call->tool && is_same_file &&
                       memory->limits.rewrite_percent > 0 &&
                       alike >= memory->limits.rewrite_percent && error_alike >= NEAR_PERCENT;
    failing->count = !again ? 1 : failing->count + (failing->count < INT_MAX);
    failing->reads = 0;
    failing->tool = call->tool;
    failing->path = call->path;
    failing->said = call->said;
    failing->error = memory->sums.said;
    return again;
}

/* Returns true if the step reads about an edit that failed several times in a row. After
 * EDIT_READS_MAX such steps, returns false: the agent is doing more than retrying the edit. */
static bool reads_for_edit(struct entropy_memory *memory, const struct ending *ending)
{
    struct failing_edit *failing = memory->failing;
    if (!failing || failing->count < EDITS_LEAST || ending->now != CALL_END_OK ||
        !(memory->call.traits & CALL_READS) || failing->reads >= EDIT_READS_MAX)
        return false;
    struct word_set names = memory->call.said;
    word_set_intersect(&names, &failing->said);
    const bool is_about =
        names.count > 0 || (memory->call.path != 0 && memory->call.path == failing->path);
    failing->reads += is_about;
    return is_about;
}

/* Returns true if the step, like earlier ones, found nothing about the same symbol. */
static bool finds_nothing_again(struct entropy_memory *memory, const struct ending *ending)
{
    const struct entropy_call *call = &memory->call;
    const struct step_sums *sums = &memory->sums;
    const bool is_empty = sums->lines == 0
                              ? (call->traits & CALL_READS) != 0
                              : sums->hints & HINT_EMPTY && sums->lines <= SILENT_LINES;
    if (memory->attempt || ending->now == CALL_END_RUNNING || call->traits & CALL_CHANGES)
        return false;
    if (!is_empty) {
        memory->missing_count = ending->news ? 0 : memory->missing_count;
        return false;
    }
    if (call->symbol_count == 0)
        return false;
    int common = 0;
    for (int i = 0; i < memory->missing_count; i++) {
        bool asked = false;
        for (int j = 0; j < call->symbol_count && !asked; j++)
            asked = call->symbols[j] == memory->missing[i];
        if (asked)
            memory->missing[common++] = memory->missing[i];
    }
    memory->missing_count = common > 0 ? common : call->symbol_count;
    if (common == 0)
        memcpy(memory->missing, call->symbols, sizeof(memory->missing));
    return common > 0;
}

/* Returns true if a command line succeeded but reports failures, as `curl -i` and a pipe from `make
 * test` to `tail` do. Returns false if the agent changed another file for the first time since the
 * last report: the remaining failures may be known. */
static bool reports_failures(struct entropy_memory *memory, const struct ending *ending)
{
    const bool runs = !(memory->call.traits & CALL_READS);
    const bool reports = ending->now == CALL_END_OK && memory->call.traits & CALL_SHELL &&
                         !ending->look &&
                         (memory->sums.http_error || (runs && memory->sums.has_failures));
    const bool reached = memory->reached;
    memory->reached = reached && !reports;
    return reports && !reached;
}

/* Returns true if a sub-agent gives the same answer to the same prompt and nothing has moved in
 * between. For other calls, notes whether something moved. */
static bool repeats_answer(struct entropy_memory *memory, const struct ending *ending,
                           enum entropy_gain gain)
{
    const bool ok = ending->now == CALL_END_OK;
    if (!(memory->call.traits & CALL_DELEGATES)) {
        memory->moved = memory->moved || ending->changed || (ok && gain != ENTROPY_GAIN_NONE);
        return false;
    }
    const bool moved = memory->moved;
    memory->moved = false;
    return ok && !moved && ending->known && ending->known->outcome == ending->outcome.lo;
}

static struct ending read_ending(struct entropy_memory *memory, const struct entropy_end *end)
{
    const struct entropy_news *news = &memory->news;
    const enum news_form form = end->failed ? NEWS_STRICT : NEWS_PLAIN;
    struct ending ending = {.end = end, .outcome = end->result};
    ending.now = end->failed ? CALL_END_FAILED : CALL_END_OK;
    if (end->running)
        ending.now = CALL_END_RUNNING;
    const bool finds = ending.now == CALL_END_OK && memory->call.traits & CALL_SEARCHES;
    if (!digest_is_known(end->result)) {
        const struct step_sums *sums = &memory->sums;
        uint64_t parts[] = {(uint64_t)ending.now, (uint64_t)sums->lines, sums->sums[form].hi,
                            sums->sums[form].lo};
        if (finds) { /* search results count in any order */
            parts[2] = sums->found;
            parts[3] = 0;
        }
        ending.outcome = entropy_digest(parts, sizeof(parts));
    }
    ending.known = entropy_tables_known(memory, memory->call.key);
    ending.succeeded_before = entropy_table_find(&memory->succeeded, memory->call.exact) >= 0;
    bool is_news[NEWS_FORMS];
    entropy_news_end(&memory->news, &memory->limits, is_news);
    const bool echoes = end->failed || memory->call.traits & CALL_SEARCHES;
    const enum news_form counted = echoes ? NEWS_STRICT : NEWS_PLAIN;
    ending.new_lines = news->new_lines[counted];
    ending.news = is_news[counted];
    /* Numbers in the answer to a new question, or in the next item of a queue, show no progress. */
    const bool takes = memory->call.traits & CALL_TAKES;
    if (ending.now == CALL_END_OK && (takes || !ending.succeeded_before))
        ending.news = ending.new_lines > 0;
    /* If a new call fails with a known message, different numbers in it are not news: the call may
     * have asked for them. */
    if (end->failed && !ending.known)
        ending.news = news->fresh[counted];
    ending.news = !is_same_error(memory, &ending) && ending.news;
    ending.news = !is_near_error(memory, &ending) && ending.news;
    ending.answer = compare_answer(memory, &ending);
    ending.news = !repeats_edit(memory, &ending) && ending.news;
    /* Forgotten lines of a long result look new; the digest of the result shows that they are
     * not. */
    if (ending.known && ending.known->outcome == ending.outcome.lo) {
        ending.news = false;
        ending.new_lines = 0;
    }
    /* A different program says with different words that it found nothing. */
    ending.asks_same = finds_nothing_again(memory, &ending) && ending.news;
    ending.news = ending.news && !ending.asks_same;
    ending.between = reads_for_edit(memory, &ending);
    ending.result_known = !is_first(memory, ending.outcome.lo, KNOWN_OUTCOME);
    ending.news = ending.news && !(finds && ending.result_known);
    ending.reports_same = ending.result_known && memory->sums.lines >= REPORT_LINES;
    ending.changed = has_changed(memory, &ending);
    if (ending.changed && memory->call.path != 0)
        memory->reached = is_first(memory, memory->call.path, KNOWN_PATH) || memory->reached;
    compare_words(memory, &ending);
    ending.refused = is_refused(memory, &ending);
    ending.look = !ending.refused && is_look(memory, &ending);
    return ending;
}

/* Returns true if the call is another run of the series that the agent announced. The series
 * consists of runs of the first shell command after the message, and ends when another call changes
 * something; then the agent may announce another series. */
static bool is_announced(struct entropy_memory *memory, const struct ending *ending)
{
    const uint64_t key = memory->call.key.lo;
    if (memory->announced_call != 0 && memory->announced_call != key && ending->changed) {
        memory->announced_call = 0;
        memory->announced = 0;
    }
    if (memory->announced == 0)
        return false;
    if (memory->announced_call == 0 && memory->call.traits & CALL_SHELL && !ending->changed)
        memory->announced_call = key;
    if (memory->announced_call != key)
        return false;
    memory->announced--;
    return ending->known;
}

/* Returns true if a plan counts as a call that brings nothing new: it returns to an earlier state,
 * or is written again right after another plan, however worded, while no item makes progress.
 * Remembers the plan. */
static bool repeats_plan(struct entropy_memory *memory, const struct ending *ending)
{
    const struct entropy_call *call = &memory->call;
    if (call->kind != ENTROPY_NEUTRAL)
        return false;
    const bool is_over = call->progress == ITEM_DONE * call->items;
    const bool is_further = !memory->planned || call->progress > memory->plan_progress ||
                            (memory->plan_over && !is_over);
    const bool returns = ending->known && (memory->planned || memory->plan != call->key.lo);
    memory->plan = call->key.lo;
    memory->plan_progress = is_further ? call->progress : memory->plan_progress;
    memory->plan_over = is_over;
    return returns || (call->items > 1 && !is_further);
}

void entropy_memory_end(struct entropy_memory *memory, const struct entropy_end *end,
                        struct entropy_fact *out)
{
    if (memory->call.kind == ENTROPY_MESSAGE) {
        end_message(memory, out);
        return;
    }
    const struct ending ending = read_ending(memory, end);
    const unsigned echo = 1u << NORMALISER_ARGUMENTS;
    const unsigned masks = end->failed ? memory->sums.masks : memory->sums.masks & ~echo;
    const bool replans = repeats_plan(memory, &ending);
    const bool idle = memory->call.traits & CALL_IDLE;
    const enum entropy_gain gain = replans || idle ? ENTROPY_GAIN_NONE : gain_of(memory, &ending);
    /* A script that prints no more than "done" may have changed anything. If an earlier step
     * printed the same report, it did the same again. */
    const bool changed = ending.changed || (gain == ENTROPY_GAIN_SILENT && !ending.reports_same);
    const bool same_answer = repeats_answer(memory, &ending, gain);
    const bool reports = reports_failures(memory, &ending) || same_answer;
    enum entropy_kind kind = replans ? ENTROPY_CALL : memory->call.kind;
    /* Repeating a call as often as announced is neither progress nor a loop. */
    if (is_announced(memory, &ending) && gain == ENTROPY_GAIN_NONE)
        kind = ENTROPY_NEUTRAL;
    *out = (struct entropy_fact){
        .kind = kind,
        .gain = gain,
        .bits = (end->failed ? (unsigned)ENTROPY_FAILED : 0) |
                (end->running ? (unsigned)ENTROPY_RUNNING : 0) |
                (ending.look ? (unsigned)ENTROPY_POLL : 0) |
                (fails_again(memory, &ending) ? (unsigned)ENTROPY_AGAIN : 0) |
                (ending.refused ? (unsigned)ENTROPY_REFUSED : 0) |
                (changed ? (unsigned)ENTROPY_CHANGED : 0) |
                (ending.between ? (unsigned)ENTROPY_BETWEEN : 0) |
                (reports ? (unsigned)ENTROPY_REPORTS : 0) |
                (is_review(memory, &ending, gain) ? (unsigned)ENTROPY_REVIEW : 0) |
                (idle ? (unsigned)ENTROPY_IDLE : 0) | (masks ? (unsigned)ENTROPY_MASKED : 0),
        .call = memory->call.key,
        .outcome = ending.outcome,
        .raw = entropy_hash_pair(memory->sums.raw, memory->call.exact),
        .new_permille = share_of(ending.new_lines, memory->news.line_count),
        .lines = memory->sums.lines,
    };
    if (memory->now)
        memory->now->masks = masks;
    if (gain != ENTROPY_GAIN_NONE || !memory->last_there)
        put_sample(&memory->first, memory->now);
    put_sample(&memory->last, memory->now);
    memory->last_there = true;
    remember_call(memory, &ending);
}
