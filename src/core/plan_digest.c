#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "sha256.h"
#include "str.h"
#include "xalloc.h"

enum { ABSENT = 0, PRESENT = 1 }; /* a part that is missing differs from an empty one */

/* Lengths and counts have one form on every machine: 8 bytes, lowest first. */
static void add_count(struct str *out, size_t count)
{
    for (int shift = 0; shift < 64; shift += 8)
        str_add_char(out, (char)(unsigned char)((uint64_t)count >> shift & 0xFF));
}

static void add_part(struct str *out, const char *text)
{
    size_t len = text ? strlen(text) : 0;
    str_add_char(out, text ? PRESENT : ABSENT);
    add_count(out, len);
    str_add_n(out, text ? text : "", len);
}

static size_t count_texts(char *const *texts)
{
    size_t count = 0;
    while (texts && texts[count])
        count++;
    return count;
}

static void add_list(struct str *out, char *const *texts)
{
    size_t count = count_texts(texts);
    add_count(out, count);
    for (size_t i = 0; i < count; i++)
        add_part(out, texts[i]);
}

static int compare_texts(const void *left, const void *right)
{
    const char *const *a = left;
    const char *const *b = right;
    return strcmp(*a, *b);
}

/* The order of variables means nothing to a program: sorted, equal sets are equal. */
static void add_sorted(struct str *out, char *const *texts)
{
    size_t count = count_texts(texts);
    char **sorted = xcalloc(count + 1, sizeof(*sorted));
    for (size_t i = 0; i < count; i++)
        sorted[i] = texts[i];
    qsort(sorted, count, sizeof(*sorted), compare_texts);
    add_list(out, sorted);
    free(sorted);
}

/* The same command in another sandbox is another call; without one nothing is added. */
static void add_sandbox(struct str *out, const struct sandbox_spec *spec)
{
    struct str text = {0};
    if (!spec || sandbox_spec_is_empty(spec))
        return;
    sandbox_spec_write(spec, &text);
    add_part(out, text.data);
    str_done(&text);
}

struct digest plan_call_digest(const struct plan_step *step, const char *run_dir,
                               char *const *environment)
{
    struct str call = {0};
    add_list(&call, step->argv);
    add_part(&call, run_dir);
    add_part(&call, step->cwd);
    add_part(&call, step->stdin_path);
    add_sorted(&call, step->env);
    add_sorted(&call, environment);
    add_sandbox(&call, step->sandbox);
    if (step->agent)
        add_part(&call, step->agent->prompt);

    unsigned char hash[SHA256_BYTES];
    sha256_of(call.data, call.len, hash);
    str_done(&call);
    return digest_from_bytes(hash);
}
