/*
 * redactor.h - what a redactor is made of, for the files that make it and use it.
 */
#ifndef DEVS_REDACTOR_H
#define DEVS_REDACTOR_H

#include "redact.h"
#include "redact_trie.h"
#include "rule_pattern.h"

/* Of cuts that begin in one place, the first of these names it. */
enum redact_rank { REDACT_RANK_VALUE, REDACT_RANK_FORM, REDACT_RANK_PATTERN };

enum { REDACT_MARK_MAX = REDACT_NAME_MAX + 8 };

/* In the trie, form + this * redact_form_count() is a form inside of base64. */
enum redact_wrap { REDACT_PLAIN, REDACT_FIRST_PLACE };

struct redact_name {
    char *text; /* owned; as it was given */
    char mark[REDACT_MARK_MAX];
    size_t mark_len;
    enum redact_rank rank;
};

struct redactor {
    struct redact_trie trie;
    struct redact_trie forms;  /* their starts alone; while it is made */
    struct redact_name *names; /* owned */
    size_t name_count, name_cap;
    int *form_names; /* owned; the name of each form, -1 = kept */
    char **listed;   /* owned copies of the settings' lists; NULL = none */
    char **kept;     /* owned */
    size_t value_count, value_bytes;
    struct rule_pattern **patterns; /* owned, each */
    int *pattern_names;             /* owned */
    size_t pattern_count;
};

/* One more of that name. */
void redact_count_one(struct redact_counts *counts, const struct redactor *redactor, int name);

#endif
