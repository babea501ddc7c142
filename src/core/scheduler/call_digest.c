/*
 * call_digest.c - the digest of a step's call, by which equal calls are recognized.
 *
 * Each part is preceded by its length and by whether it exists, so that different calls never have
 * the same encoding. The folder and the environment of the run are encoded once.
 */
#include "scheduler.h"

#include <stdlib.h>
#include <string.h>

#include "sha256.h"
#include "str.h"
#include "text.h"
#include "xalloc.h"

enum { ABSENT = 0, PRESENT = 1 }; /* a missing part is encoded differently from an empty one */

struct call_digester {
    struct str run_dir;     /* the run's folder, as encoded in every call */
    struct str environment; /* the sorted environment, as encoded in every call */
    struct str call;        /* buffer for the current call */
};

/* Lengths and counts have the same encoding on every machine: 8 bytes, little-endian. */
enum { COUNT_BYTES = sizeof(uint64_t) };

static void write_count(char at[COUNT_BYTES], uint64_t count)
{
    const unsigned char bytes[COUNT_BYTES] = {
        (unsigned char)count,         (unsigned char)(count >> 8),  (unsigned char)(count >> 16),
        (unsigned char)(count >> 24), (unsigned char)(count >> 32), (unsigned char)(count >> 40),
        (unsigned char)(count >> 48), (unsigned char)(count >> 56),
    };
    memcpy(at, bytes, sizeof(bytes));
}

/* Makes space for `len` more bytes, which the caller writes. */
static char *append_space(struct str *out, size_t len)
{
    str_reserve(out, len);
    char *at = out->data + out->len;
    at[len] = '\0';
    out->len += len;
    return at;
}

static void add_part(struct str *out, const char *text)
{
    const size_t len = text ? strlen(text) : 0;
    char *at = append_space(out, 1 + COUNT_BYTES);
    *at++ = text ? PRESENT : ABSENT;
    write_count(at, len);
    str_add_n(out, text ? text : "", len);
}

static void add_list(struct str *out, char *const *texts)
{
    const size_t count = text_list_count(texts);
    write_count(append_space(out, COUNT_BYTES), count);
    for (size_t i = 0; i < count; i++)
        add_part(out, texts[i]);
}

static int compare_texts(const void *left, const void *right)
{
    const char *const *a = left;
    const char *const *b = right;
    return strcmp(*a, *b);
}

/* Adds the variables in sorted order: their order does not matter to a program, so equal sets must
 * have equal digests. */
static void add_sorted(struct str *out, char *const *texts)
{
    const size_t count = text_list_count(texts);
    if (count <= 1) {
        add_list(out, texts);
        return;
    }
    char **sorted = xcalloc(count + 1, sizeof(*sorted));
    for (size_t i = 0; i < count; i++)
        sorted[i] = texts[i];
    qsort(sorted, count, sizeof(*sorted), compare_texts);
    add_list(out, sorted);
    free(sorted);
}

void call_digester_open(struct call_digester **out, const char *run_dir, char *const *environment)
{
    struct call_digester *digester = xcalloc(1, sizeof(*digester));
    add_part(&digester->run_dir, run_dir);
    add_sorted(&digester->environment, environment);
    *out = digester;
}

void call_digester_close(struct call_digester *digester)
{
    if (!digester)
        return;
    str_done(&digester->call);
    str_done(&digester->environment);
    str_done(&digester->run_dir);
    free(digester);
}

struct digest call_digester_take(struct call_digester *digester, const struct plan_step *step)
{
    struct str *call = &digester->call;
    str_clear(call);
    add_list(call, step->argv);
    str_add_n(call, digester->run_dir.data, digester->run_dir.len);
    add_part(call, step->cwd);
    add_part(call, step->stdin_path);
    add_sorted(call, step->env);
    str_add_n(call, digester->environment.data, digester->environment.len);
    /* The same command in a different sandbox is a different call. */
    if (step->sandbox && !sandbox_spec_is_empty(step->sandbox)) {
        struct str sandbox = {0};
        sandbox_spec_write(step->sandbox, &sandbox);
        add_part(call, sandbox.data);
        str_done(&sandbox);
    }
    if (step->agent)
        add_part(call, step->agent->prompt);

    unsigned char hash[SHA256_BYTES];
    sha256_of(call->data, call->len, hash);
    return digest_from_bytes(hash);
}
