/*
 * repair.c - outputs that break their contract, and the prompts that agents get.
 *
 * First the verdict on an output with a contract, then the prompt that asks for a repair, the
 * prompt about a failed check, and last the prompt of an attempt, which puts these together.
 */
#include "repair.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "contract.h"
#include "redact.h"
#include "run_state.h"
#include "str.h"
#include "text.h"
#include "utf8.h"

enum {
    COUNT_MAX = 32, /* bytes of "... and 12 more", which always fits */
};

static const char rule[] = "contract";

/* Checks the output against its contract. Truncated output cannot be checked, and checking half of
 * it would prove nothing. */
static void check_output(const struct contract *contract, const struct contract_output *output,
                         struct violations *violations)
{
    if (output->written <= CONTRACT_OUTPUT_MAX) {
        assert((int64_t)output->len == output->written);
        bool fits = contract_check_text(contract, output->bytes, output->len, NULL, violations);
        assert(fits == (violations->count == 0));
        return;
    }
    struct str actual = {0};
    str_addf(&actual, "%lld bytes", (long long)output->written);
    violations_add(violations, VIOLATION_INVALID_VALUE, "", "the output is too large to check",
                   "at most 1 MiB", str_text(&actual));
    str_done(&actual);
}

/* Adds as many whole lines as fit, leaving space for the count of the rest. */
static void add_evidence_lines(const struct violations *violations, const char *lines,
                               struct verdict *verdict)
{
    size_t shown = 0;
    const char *line = lines;
    while (shown < violations->count) {
        size_t len = strcspn(line, "\n");
        if (strlen(verdict->violations) + len + 1 + COUNT_MAX > VERDICT_LINES_MAX)
            break;
        bool has_room = verdict_add_line(verdict, line, len);
        assert(has_room);
        line += len + 1;
        shown++;
    }
    size_t more = violations->count - shown + violations->dropped;
    if (more > 0) {
        char count[COUNT_MAX];
        int len = snprintf(count, sizeof(count), "... and %zu more", more);
        bool has_room = verdict_add_line(verdict, count, (size_t)len);
        assert(has_room); /* the loop left space for it */
    }
}

void contract_judge(const struct contract *contract, const struct contract_output *output,
                    struct verdict *verdict, struct violations *found)
{
    if (verdict->class != VERDICT_SUCCESS)
        return;
    check_output(contract, output, found);
    if (found->count == 0)
        return;
    /* The most telling code: one that retrying cannot repair, otherwise the first. */
    size_t telling = 0;
    while (telling < found->count && !violation_is_mismatch(found->items[telling].code))
        telling++;
    if (telling == found->count)
        telling = 0;
    const char *code = violation_code_name(found->items[telling].code);

    struct str lines = {0};
    violations_display(found, &lines);
    verdict_set_persistent(verdict, REASON_CONTRACT, code, rule);
    verdict->no_retry = !repair_may_retry(found);
    size_t len =
        text_cut(str_text(&lines), strcspn(str_text(&lines), "\n"), sizeof(verdict->match) - 1);
    (void)snprintf(verdict->match, sizeof(verdict->match), "%.*s", (int)len, str_text(&lines));
    add_evidence_lines(found, str_text(&lines), verdict);
    str_done(&lines);
}

/* The prompt about an output that does not match its contract. */

enum {
    FIELD_MAX = 400,         /* maximum bytes shown of each string of a violation */
    INSTRUCTIONS_ROOM = 600, /* bytes reserved for what follows the violations */
};

/* What each code means for a repair. Lower ranks are shown first. */
static const struct {
    int rank;
    bool is_fixable;
} codes[] = {
    [VIOLATION_KERNEL_MISMATCH] = {0, false}, [VIOLATION_OP_MISMATCH] = {0, false},
    [VIOLATION_NOT_JSON] = {1, true},         [VIOLATION_NOT_OBJECT] = {2, true},
    [VIOLATION_MISSING_FIELD] = {3, true},    [VIOLATION_WRONG_TYPE] = {4, true},
    [VIOLATION_INVALID_VALUE] = {5, true},
};
static_assert(ARRAY_LEN(codes) == VIOLATION_CODE_COUNT, "every code has a meaning");

enum { RANKS = 6 };

static const char repair_head[] = "YOUR PREVIOUS RESPONSE HAD VALIDATION ERRORS.\n\nVIOLATIONS:\n";

static const char repair_instructions[] = "INSTRUCTIONS:\n"
                                          "1. Fix ALL of the violations above\n"
                                          "2. Return ONLY valid JSON matching the OUTPUT CONTRACT\n"
                                          "3. Do NOT use markdown code blocks\n"
                                          "4. Do NOT add any explanation or preamble\n"
                                          "\n"
                                          "Return the corrected JSON response now:\n";

bool repair_may_retry(const struct violations *violations)
{
    bool may = violations->count > 0 && !violations->mismatch;
    for (size_t i = 0; may && i < violations->count; i++)
        may = codes[violations->items[i].code].is_fixable;
    return may;
}

/* Adds a field of a violation as one line, cut to FIELD_MAX. Adds nothing if `text` is NULL. */
static void add_field(struct str *out, const char *before, const char *text)
{
    if (!text)
        return;
    const size_t len = strlen(text);
    const size_t cut = text_cut(text, len, FIELD_MAX);
    struct str part = {0};
    str_add_n(&part, text, cut);
    str_add(out, before);
    violation_add_visible(out, str_text(&part));
    str_add(out, cut < len ? "...\n" : "\n");
    str_done(&part);
}

/* Adds as many violations as fit into `room` bytes. Returns their number. */
static size_t add_violations(struct str *out, const struct violations *violations, size_t room)
{
    struct str next = {0};
    size_t shown = 0;
    bool is_full = false;
    for (int rank = 0; rank < RANKS; rank++) {
        for (size_t i = 0; i < violations->count && !is_full; i++) {
            if (codes[violations->items[i].code].rank != rank)
                continue;
            const struct violation *violation = &violations->items[i];
            str_clear(&next);
            add_field(&next, "  - Path: ", violation_path_shown(violation));
            add_field(&next, "    Code: ", violation_code_name(violation->code));
            add_field(&next, "    Error: ", violation->message);
            add_field(&next, "    Expected: ", violation->expected);
            add_field(&next, "    Got: ", violation->actual);
            is_full = shown == REPAIR_SHOWN_MAX || next.len > room;
            if (is_full)
                break;
            str_add(out, str_text(&next));
            room -= next.len;
            shown++;
        }
    }
    str_done(&next);
    return shown;
}

void repair_prompt_within(const struct violations *violations, size_t max, struct str *out)
{
    const size_t all = violations->count + violations->dropped;
    assert(max >= REPAIR_PROMPT_MIN);
    str_add(out, repair_head);
    const size_t room = max - strlen(repair_head) - INSTRUCTIONS_ROOM;
    const size_t shown = add_violations(out, violations, room);
    if (shown < all)
        str_addf(out, "  ... and %zu more\n", all - shown);
    str_add(out, "\n");
    str_add(out, repair_instructions);
}

void repair_prompt(const struct violations *violations, struct str *out)
{
    repair_prompt_within(violations, REPAIR_PROMPT_MAX, out);
}

/* The prompt about a failed check of an agent's work. */

enum {
    COMMAND_MAX = 600, /* maximum bytes shown of the command */
    LINES_MAX = 1100,  /* maximum bytes of lines about a contract */
};

static const char check_failed[] = "A check of your work failed.\n\n";
static const char check_passed[] = "A check of your work did not fail in the expected way.\n\n";
static const char closing[] =
    "\nFind the cause and fix it. Do not weaken the check to make it pass. When you are done, this "
    "command is run again.\n";

/* Adds the text as one clean line of at most `max` bytes. */
static void add_line(struct str *out, const char *text, size_t max)
{
    struct str clean = {0};
    text_clean(&clean, text, strlen(text));
    for (size_t i = 0; i < clean.len; i++)
        clean.data[i] = clean.data[i] == '\n' ? ' ' : clean.data[i];
    const size_t cut = text_cut(str_text(&clean), clean.len, max);
    str_add_n(out, str_text(&clean), cut);
    str_add(out, cut < clean.len ? " ..." : "");
    str_done(&clean);
}

/* Adds a line of violations_display(), "[CODE] PATH: MESSAGE", in the form of repair_prompt(). Adds
 * any other line unchanged. */
static void add_violation_line(struct str *out, const char *line, size_t len)
{
    const char *code_end = line[0] == '[' ? memchr(line, ']', len) : NULL;
    const char *path = code_end ? code_end + 2 : NULL; /* after "] " */
    const char *end = line + len;
    const char *path_end = path;
    while (path_end && path_end + 1 < end && (path_end[0] != ':' || path_end[1] != ' '))
        path_end++;
    if (!path_end || path_end + 1 >= end) {
        str_addf(out, "  - %.*s\n", (int)len, line);
        return;
    }
    str_addf(out, "  - Path: %.*s\n", (int)(path_end - path), path);
    str_addf(out, "    Code: %.*s\n", (int)(code_end - line - 1), line + 1);
    str_addf(out, "    Error: %.*s\n", (int)(end - path_end - 2), path_end + 2);
}

/* Adds as many lines as fit, those about an agent's own output in the form of a repair prompt. */
static void add_response_lines(struct str *out, const char *lines)
{
    const size_t before = out->len;
    while (*lines) {
        const size_t len = strcspn(lines, "\n");
        const size_t kept = out->len;
        add_violation_line(out, lines, len);
        if (out->len - before > LINES_MAX) {
            str_cut(out, kept);
            str_add(out, "  ...\n");
            return;
        }
        lines += len + (lines[len] == '\n');
    }
}

/* Adds as many whole lines as fit, from the first. */
static void add_lines(struct str *out, const char *lines)
{
    size_t used = 0;
    while (*lines) {
        const size_t len = strcspn(lines, "\n");
        if (used + len + 1 > LINES_MAX)
            break;
        str_add_n(out, lines, len);
        str_add_char(out, '\n');
        used += len + 1;
        lines += len + (lines[len] == '\n');
    }
    str_add(out, *lines ? "...\n" : "");
}

/* Adds the end of the failed check's output in at most `room` bytes, starting at the beginning of a
 * line if possible. */
static void add_output(struct str *out, const struct repair_failure *failure, size_t room)
{
    static const char title[] = "\nThe end of its output:\n\n";
    struct str clean = {0};
    if (failure->tail)
        text_clean(&clean, failure->tail, failure->tail_len);
    if (clean.len > 0 && room > sizeof(title) + 1) {
        const char *text = str_text(&clean);
        const size_t tail_max = room - sizeof(title) - 1;
        size_t from = 0;
        if (clean.len > tail_max) {
            from = clean.len - tail_max;
            const char *line = memchr(text + from, '\n', clean.len - from);
            if (line && line[1] != '\0')
                from = (size_t)(line + 1 - text);
            while (from < clean.len && utf8_is_inner(text[from]))
                from++;
        }
        str_add(out, title);
        str_add_n(out, text + from, clean.len - from);
        if (text[clean.len - 1] != '\n')
            str_add_char(out, '\n');
    }
    str_done(&clean);
}

void repair_failure_prompt(const struct repair_failure *failure, size_t max, struct str *out)
{
    struct str words = {0};
    assert(max >= REPAIR_PROMPT_MIN);
    if (failure->argv) {
        str_add(&words, failure->expected_to_fail ? check_passed : check_failed);
        struct str command = {0};
        for (char *const *arg = failure->argv; *arg && command.len <= COMMAND_MAX; arg++)
            str_addf(&command, "%s%.*s", command.len > 0 ? " " : "", COMMAND_MAX + 1, *arg);
        str_add(&words, "Command: ");
        add_line(&words, str_text(&command), COMMAND_MAX);
        str_add_char(&words, '\n');
        str_done(&command);
        if (failure->ended) {
            str_add(&words, "It ended with: ");
            add_line(&words, failure->ended, COMMAND_MAX / 2);
            str_add_char(&words, '\n');
        }
        if (failure->violations) {
            str_add(&words, "\nProblems with its output:\n\n");
            add_lines(&words, failure->violations);
        }
        add_output(&words, failure, max - words.len - sizeof(closing));
        str_add(&words, closing);
    } else { /* the agent's own response */
        str_add(&words, repair_head);
        if (failure->violations)
            add_response_lines(&words, failure->violations);
        str_addf(&words, "\n%s", repair_instructions);
    }
    assert(words.len <= max);
    str_add_n(out, str_text(&words), words.len);
    str_done(&words);
}

/* The prompt of an attempt. */

static const char go_on[] = "The last turn was cut short before it was done: ";
static const char go_on_how[] =
    "\nContinue where you stopped: look at what is already there, then do the rest.";

static const char does_not_fit[] = "Your answer does not have the requested format:\n";
static const char hint_head[] = "A hint from the person who requested this try:\n";
static const char fit_how[] =
    "\nGive the whole result again, as JSON that matches, and nothing else.";

/* Adds a part to the prompt, separated by an empty line. Adds nothing if `text` is NULL or
 * empty. */
static void add_part(struct str *out, const char *text)
{
    if (!text || text[0] == '\0')
        return;
    if (out->len > 0)
        str_add(out, "\n\n");
    str_add(out, text);
}

void agent_prompt_write(const struct agent_prompt *prompt, struct str *out)
{
    struct str words = {0};
    assert(prompt->step);
    if (prompt->resumes && prompt->was_asked && prompt->violations) {
        str_add(&words, does_not_fit);
        str_add(&words, prompt->violations);
        str_add(&words, fit_how);
    } else if (prompt->resumes && prompt->was_asked) {
        str_add(&words, go_on);
        str_add(&words, prompt->why ? prompt->why : "it was interrupted");
        str_add(&words, go_on_how);
    } else if (prompt->resumes && prompt->repair) {
        str_add(&words, prompt->repair);
    } else {
        str_add(&words, prompt->step);
        add_part(&words, prompt->repair);
    }
    add_part(&words, prompt->nudge);
    if (prompt->hint) {
        add_part(&words, hint_head);
        str_add(&words, prompt->hint);
    }
    str_add_n(out, str_text(&words), words.len);
    str_done(&words);
}

void agent_prompt_why(const struct outcome *outcome, const struct verdict *verdict, struct str *out)
{
    struct str words = {0};
    struct str clean = {0};
    outcome_words(outcome, &words);
    if (verdict && verdict->match[0] != '\0')
        str_addf(&words, ": %s", verdict->match);
    text_clean(&clean, str_text(&words), strcspn(str_text(&words), "\n"));
    str_add_n(out, str_text(&clean), text_cut(str_text(&clean), clean.len, AGENT_WHY_MAX));
    str_done(&clean);
    str_done(&words);
}

const char *agent_session_next(const struct run_state *state, int task,
                               const struct plan_agent *agent)
{
    const struct task_agent *known = state->tasks[task].agent;
    const char *session = agent->resume;
    char cut[REDACT_NAME_MAX + 1];
    if (!adapter_resumes(agent->adapter))
        return NULL;
    if (known && known->session && known->agent &&
        strcmp(known->agent, adapter_name(agent->adapter)) == 0)
        session = known->session;
    return session && !redact_find_mark(session, cut) ? session : NULL;
}

char **agent_session_argv(const struct run_state *state, int task, int step)
{
    const struct plan_step *plan = &state->plan->tasks[task].steps[step];
    if (!plan->agent)
        return text_list_copy(plan->argv);
    /* If the step's current attempt began the known session, the agent was started without a
     * session. */
    const struct task_agent *agent = state->tasks[task].agent;
    const struct step_state *at = &state->tasks[task].steps[step];
    const struct attempt_state *latest = step_state_attempt(at);
    const bool is_begun =
        at->status == STEP_RUNNING || at->status == STEP_JUDGING || at->status == STEP_ENDED;
    const bool began_session = agent && latest && is_begun && agent->heard_new &&
                               agent->heard_step == step && agent->heard_attempt == latest->number;

    const char *session = began_session ? NULL : agent_session_next(state, task, plan->agent);
    const struct adapter_call call = {.session = session,
                                      .model = plan->agent->model,
                                      .args = plan->agent->args,
                                      .permission_args = plan->agent->permission_args};
    char **argv = NULL;
    adapter_argv(plan->agent->adapter, &call, &argv);
    return argv;
}
