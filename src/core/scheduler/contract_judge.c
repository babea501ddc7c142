#include "contract_judge.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "repair.h"
#include "str.h"
#include "text.h"
#include "violation.h"

enum {
    COUNT_MAX = 32, /* bytes of "... and 12 more", which always has room */
};

static const char rule[] = "contract";

/* What was cut cannot be checked, and half a check would be none. */
static void check(const struct contract *contract, const struct contract_output *output,
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
    violations_add(violations, VIOLATION_INVALID_VALUE, "", "the output is too large to be checked",
                   "at most 1 MiB", str_text(&actual));
    str_done(&actual);
}

static void add_count(struct verdict *verdict, size_t more)
{
    char line[COUNT_MAX];
    int len = snprintf(line, sizeof(line), "... and %zu more", more);
    bool has_room = verdict_add_line(verdict, line, (size_t)len);
    assert(has_room); /* add_lines() left it */
}

/* Whole lines, as many as fit beside the count of the others. */
static void add_lines(const struct violations *violations, const char *lines,
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
    if (more > 0)
        add_count(verdict, more);
}

/* The code that says most: what no second try mends, else the first one. */
static const char *leading_code(const struct violations *violations)
{
    enum violation_code code = violations->items[0].code;
    for (size_t i = 0; i < violations->count; i++) {
        enum violation_code other = violations->items[i].code;
        if (violation_is_mismatch(other))
            return violation_code_name(other);
    }
    return violation_code_name(code);
}

void contract_judge(const struct contract *contract, const struct contract_output *output,
                    struct verdict *verdict, struct violations *found)
{
    if (verdict->class != VERDICT_SUCCESS)
        return;
    check(contract, output, found);
    if (found->count == 0)
        return;
    struct str lines = {0};
    violations_display(found, &lines);
    verdict_set_persistent(verdict, REASON_CONTRACT, leading_code(found), rule);
    verdict->no_retry = !repair_may_retry(found);
    size_t len =
        text_cut(str_text(&lines), strcspn(str_text(&lines), "\n"), sizeof(verdict->match) - 1);
    (void)snprintf(verdict->match, sizeof(verdict->match), "%.*s", (int)len, str_text(&lines));
    add_lines(found, str_text(&lines), verdict);
    str_done(&lines);
}
