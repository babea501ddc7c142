#include "violation_order.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "xalloc.h"

/* One reference token of a JSON Pointer (RFC 6901), escaped as it stands there. */
struct token {
    const char *text;
    size_t len;
};

/* The token that begins at *at, a '/', and *at moved behind it. */
static struct token next_token(const char **at)
{
    struct token token = {.text = *at + 1};
    token.len = strcspn(token.text, "/");
    *at = token.text + token.len;
    return token;
}

static bool is_equal(const struct token *a, const struct token *b)
{
    return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

/* "~1" stands for '/', "~0" for '~'. */
static bool means_key(const struct token *token, const char *key)
{
    size_t i = 0;
    for (; i < token->len && *key; i++, key++) {
        char c = token->text[i];
        bool is_escape = c == '~' && i + 1 < token->len;
        if (is_escape)
            c = token->text[++i] == '1' ? '/' : '~';
        if (c != *key)
            return false;
    }
    return i == token->len && *key == '\0';
}

static size_t index_of(const struct token *token)
{
    return (size_t)strtoul(token->text, NULL, 10); /* ends at the '/' */
}

/* The member that the token means, and the how manieth it is; the count of members if
 * there is none. */
static size_t find_member(const struct json *object, const struct token *token,
                          const struct json **out)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;
    size_t number = 0;
    *out = NULL;
    while (json_next(object, &iter, &key, &member)) {
        if (means_key(token, key)) {
            *out = member;
            return number;
        }
        number++;
    }
    return number;
}

/* Where in its container a token points to. */
static size_t position(const struct json *container, const struct token *token,
                       const struct json **out)
{
    if (json_kind(container) == JSON_KIND_OBJECT)
        return find_member(container, token, out);
    size_t index = index_of(token);
    *out = json_at(container, index);
    return index;
}

/* Negative, 0 or positive: does `a` stand before, at or behind `b`? */
static int compare_places(const struct json *document, const char *a, const char *b)
{
    const struct json *value = document;
    while (*a && *b) {
        const struct token left = next_token(&a);
        const struct token right = next_token(&b);
        const struct json *inner;
        const struct json *other;
        size_t at = position(value, &left, &inner);
        if (!is_equal(&left, &right)) {
            size_t other_at = position(value, &right, &other);
            return at < other_at ? -1 : at > other_at;
        }
        value = inner;
    }
    return *a ? 1 : -(*b != '\0');
}

/* Take over a violation. */
static void move(struct violations *list, struct violation *violation)
{
    if (list->count < VIOLATIONS_MAX) {
        list->items = xgrow(list->items, &list->cap, list->count + 1, sizeof(*list->items));
        list->items[list->count++] = *violation;
        return;
    }
    free(violation->path);
    free(violation->message);
    free(violation->expected);
    free(violation->actual);
    list->dropped++;
}

void violations_merge(struct violations *list, struct violations *more, const struct json *document)
{
    struct violations both = {.dropped = list->dropped + more->dropped,
                              .mismatch = list->mismatch || more->mismatch};
    size_t i = 0;
    size_t j = 0;
    while (i < list->count || j < more->count) {
        bool is_first = j == more->count;
        if (i < list->count && j < more->count)
            is_first = !document ||
                       compare_places(document, list->items[i].path, more->items[j].path) <= 0;
        if (is_first)
            move(&both, &list->items[i++]);
        else
            move(&both, &more->items[j++]);
    }
    free(list->items);
    free(more->items);
    *list = both;
    *more = (struct violations){0};
}
