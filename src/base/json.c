/*
 * json.c - JSON trees with jansson: parsing, reading, writing, and errors with a position.
 *
 * A struct json is a json_t under another name.
 */
#include "json.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "str.h"
#include "utf8.h"
#include "xalloc.h"

enum {
    REAL_DIGITS = 15,   /* digits that every double preserves */
    REAL_TEXT_MAX = 40, /* bytes of a formatted double */
};

/* All integers up to this one can be represented as double. */
static const double exact_max = 9007199254740992.0;

/* Returns the value as jansson's type. Users need no jansson header, and cannot modify borrowed
 * values. */
static json_t *theirs(const struct json *json)
{
    return (json_t *)(uintptr_t)json;
}

static struct json *ours(json_t *json)
{
    return (struct json *)(void *)json;
}

struct json_place json_place_at(const char *text, size_t offset)
{
    struct json_place place = {.line = 1, .column = 1};
    while (offset > 0 && utf8_is_inner(text[offset]))
        offset--;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n')
            place = (struct json_place){.line = place.line + 1, .column = 1};
        else if (!utf8_is_inner(text[i]))
            place.column++;
    }
    return place;
}

static bool is_token_letter(char c)
{
    return ascii_is_letter(c) || ascii_is_digit(c) || (c != '\0' && strchr("+-.", c));
}

/* Returns the offset of the first character of the token whose last byte is text[end - 1]. */
static size_t token_start(const char *text, size_t end)
{
    if (end == 0)
        return 0;
    const size_t last = end - 1;
    size_t at = last;
    if (text[last] != '"') {
        while (at > 0 && is_token_letter(text[at]) && is_token_letter(text[at - 1]))
            at--;
        return at;
    }
    while (at > 0) {
        at--;
        size_t before = at;
        while (before > 0 && text[before - 1] == '\\')
            before--;
        /* A quote after an odd number of backslashes is part of the string. */
        if (text[at] == '"' && (at - before) % 2 == 0)
            return at;
    }
    return last;
}

/* Our messages for jansson's error codes. Codes without an entry keep jansson's text, which is more
 * specific. */
static const struct {
    enum json_error_code code;
    const char *words;
} reasons[] = {
    {json_error_stack_overflow, "nested too deeply"},
    {json_error_premature_end_of_input, "unexpected end of the document"},
    {json_error_end_of_input_expected, "unexpected text after the value"},
    {json_error_null_character, "U+0000 is not allowed in a string"},
    {json_error_null_byte_in_key, "U+0000 is not allowed in a key"},
    {json_error_numeric_overflow, "the number is too large"},
};

/* Returns the line or column, at least 1: jansson reports 0 for errors before the first
 * character. */
static int at_least_one(int number)
{
    return number > 0 ? number : 1;
}

static bool ends_in(const char *text, size_t len, const char *end)
{
    size_t end_len = strlen(end);
    return len >= end_len && memcmp(text + len - end_len, end, end_len) == 0;
}

/* Sets the error from jansson's text, which is "what near 'token'" and omits long tokens. The token
 * is only useful after "expected", after "token" and for a key. */
static bool token_error(const char *text, bool duplicate_key, struct err *err)
{
    static const char join[] = " near '";
    const char *found = strstr(text, join);
    if (!found)
        return err_set(err, ERR_INVALID, "%s", text);

    int what = (int)(found - text);
    const char *token = found + strlen(join);
    int token_len = (int)strlen(token) - 1; /* without the closing quote */
    if (duplicate_key)
        return err_set(err, ERR_INVALID, "duplicate key %.*s", token_len, token);
    if (ends_in(text, (size_t)what, "expected"))
        return err_set(err, ERR_INVALID, "%.*s, not '%.*s'", what, text, token_len, token);
    if (ends_in(text, (size_t)what, "token"))
        return err_set(err, ERR_INVALID, "%.*s '%.*s'", what, text, token_len, token);
    return err_set(err, ERR_INVALID, "%.*s", what, text);
}

/* Returns true if a whole token is wrong, not something within it. */
static bool is_of_token(const json_error_t *error)
{
    const char *near = strstr(error->text, " near ");
    const size_t len = near ? (size_t)(near - error->text) : strlen(error->text);
    switch (json_error_code(error)) {
    case json_error_duplicate_key:
    case json_error_null_character:
    case json_error_null_byte_in_key:
    case json_error_end_of_input_expected:
    case json_error_numeric_overflow:
        return true;
    case json_error_invalid_syntax:
        return ends_in(error->text, len, "expected") || ends_in(error->text, len, "token");
    default:
        return false;
    }
}

static bool syntax_error(const json_error_t *error, const char *text, struct json_place *place,
                         struct err *err)
{
    enum json_error_code code = json_error_code(error);
    if (code == json_error_out_of_memory)
        abort();
    if (place && is_of_token(error) && error->position > 0)
        *place = json_place_at(text, token_start(text, (size_t)error->position));
    else if (place)
        *place = (struct json_place){.line = at_least_one(error->line),
                                     .column = at_least_one(error->column)};

    for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
        if (reasons[i].code == code)
            return err_set(err, ERR_INVALID, "%s", reasons[i].words);
    }
    return token_error(error->text, code == json_error_duplicate_key, err);
}

/*
 * The memory of a tree. jansson allocates several blocks for each value and frees them one by one,
 * which takes a fifth of the time to read a large plan. So a tree is built in an arena, which
 * json_free() frees as a whole.
 */

enum {
    BLOCK_ALIGN = 8, /* bytes; the alignment that jansson's types need */
    CHUNK_BYTES_MIN =
        1024, /* size of an arena's first chunk; each further chunk is twice as large */
    /* A larger block gets a chunk of its size. malloc() takes chunks of more than 128 KiB from
     * mmap(), and returns them at once when they are freed. */
    CHUNK_BYTES_MAX = 64 * 1024,
};

static_assert(alignof(json_int_t) <= BLOCK_ALIGN && alignof(double) <= BLOCK_ALIGN &&
                  alignof(void *) <= BLOCK_ALIGN,
              "blocks are aligned for jansson's types");

struct chunk {
    alignas(BLOCK_ALIGN) struct chunk *next;
};

struct arena {
    struct chunk *chunks;
    char *at;    /* start of the next block */
    size_t left; /* bytes left after `at` */
    size_t chunk_bytes;
};

/* Precedes each block, so that json_free() finds the arena of a tree by its root. */
struct block {
    alignas(BLOCK_ALIGN) struct arena *arena;
};

/* The arena of the tree that this thread is building; NULL otherwise, for example while jansson
 * writes. */
static _Thread_local struct arena *building;

static void add_chunk(struct arena *arena, size_t least)
{
    const size_t bytes = least > arena->chunk_bytes ? least : arena->chunk_bytes;
    struct chunk *chunk = xcheck(malloc(sizeof(*chunk) + bytes));
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->at = (char *)(chunk + 1);
    arena->left = bytes;
    if (arena->chunk_bytes < CHUNK_BYTES_MAX)
        arena->chunk_bytes *= 2;
}

/* Allocates a block for jansson. Aborts when out of memory, because jansson would report that as a
 * wrong token. */
static void *allocate_block(size_t size)
{
    struct arena *arena = building;
    if (!arena)
        return xcheck(malloc(size));
    assert(size < SIZE_MAX / 2);
    const size_t bytes =
        sizeof(struct block) + (size + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
    if (bytes > arena->left)
        add_chunk(arena, bytes);
    struct block *block = (struct block *)(void *)arena->at;
    block->arena = arena;
    arena->at += bytes;
    arena->left -= bytes;
    return block + 1;
}

static void free_block(void *block)
{
    if (!building)
        free(block);
}

static void set_allocation(void)
{
    json_set_alloc_funcs(allocate_block, free_block);
}

static void free_arena(struct arena *arena)
{
    for (struct chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(arena);
}

/* Returns true if the value is in an arena. jansson's true, false and null are constants. */
static bool is_in_arena(const json_t *json)
{
    return json && !json_is_boolean(json) && !json_is_null(json);
}

/* Creates an arena, from which all of jansson's memory comes until finish_tree(). */
static void begin_tree(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, set_allocation);
    assert(!building);
    building = xcalloc(1, sizeof(*building));
    building->chunk_bytes = CHUNK_BYTES_MIN;
}

/* Returns the tree, which owns the arena. Frees the arena if the tree is NULL or a constant. */
static struct json *finish_tree(json_t *root)
{
    struct arena *arena = building;
    building = NULL;
    if (!is_in_arena(root))
        free_arena(arena);
    return ours(root);
}

bool json_parse(const char *text, size_t len, struct json **out, struct json_place *place,
                struct err *err)
{
    json_error_t error;
    const char *bytes = text ? text : ""; /* jansson rejects NULL even if len is 0 */
    begin_tree();
    struct json *tree =
        finish_tree(json_loadb(bytes, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error));
    if (!tree)
        return syntax_error(&error, bytes, place, err);
    *out = tree;
    return true;
}

/* Turns reals back into integers if that is exact, in a tree whose integers were read as reals. */
static json_t *restore_integers(json_t *json)
{
    const char *key;
    json_t *value;
    size_t index;
    void *next;
    const double real = json_real_value(json);
    if (json_is_real(json) && fabs(real) <= exact_max && trunc(real) == real)
        return json_integer((json_int_t)real);
    json_object_foreach_safe(json, next, key, value)
    {
        (void)json_object_set_new_nocheck(json, key, restore_integers(value));
    }
    json_array_foreach(json, index, value)
    {
        (void)json_array_set_new(json, index, restore_integers(value));
    }
    return json_incref(json);
}

bool json_parse_data(const char *text, size_t len, struct json **out, struct json_place *place,
                     struct err *err)
{
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL;
    const char *bytes = text ? text : "";
    json_error_t error;
    begin_tree();
    json_t *root = json_loadb(bytes, len, flags, &error);
    if (!root && json_error_code(&error) == json_error_numeric_overflow) {
        root = json_loadb(bytes, len, flags | JSON_DECODE_INT_AS_REAL, &error);
        root = root ? restore_integers(root) : NULL;
    }
    struct json *tree = finish_tree(root);
    if (!tree)
        return syntax_error(&error, bytes, place, err);
    *out = tree;
    return true;
}

bool json_begins(const char *text, size_t len, size_t *read)
{
    json_error_t error;
    begin_tree();
    const json_t *root = json_loadb(text, len, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &error);
    const bool begins = root || json_error_code(&error) == json_error_numeric_overflow;
    (void)finish_tree(NULL);
    *read = error.position > 0 ? (size_t)error.position : 0;
    return begins;
}

size_t json_values_at_most(const char *text, size_t len, size_t enough)
{
    size_t values = 1;
    bool quoted = false;
    for (size_t i = 0; i < len && values < enough; i++) {
        if (quoted && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted)
            values += text[i] == ',' || text[i] == '{' || text[i] == '[';
    }
    return values;
}

struct json *json_clone(const struct json *json)
{
    if (!json)
        return NULL;
    begin_tree();
    return finish_tree(json_deep_copy(theirs(json)));
}

void json_free(struct json *json)
{
    if (is_in_arena(theirs(json)))
        free_arena(((struct block *)(void *)json)[-1].arena);
}

enum json_kind json_kind(const struct json *json)
{
    if (!json)
        return JSON_KIND_NONE;
    switch (json_typeof(theirs(json))) {
    case JSON_OBJECT:
        return JSON_KIND_OBJECT;
    case JSON_ARRAY:
        return JSON_KIND_ARRAY;
    case JSON_STRING:
        return JSON_KIND_STRING;
    case JSON_INTEGER:
        return JSON_KIND_INTEGER;
    case JSON_REAL:
        return JSON_KIND_REAL;
    case JSON_TRUE:
        return JSON_KIND_TRUE;
    case JSON_FALSE:
        return JSON_KIND_FALSE;
    case JSON_NULL:
        break;
    }
    return JSON_KIND_NULL;
}

const char *json_kind_name(const struct json *json)
{
    static const char *const names[] = {
        [JSON_KIND_NONE] = "nothing",  [JSON_KIND_OBJECT] = "object",   [JSON_KIND_ARRAY] = "array",
        [JSON_KIND_STRING] = "string", [JSON_KIND_INTEGER] = "integer", [JSON_KIND_REAL] = "number",
        [JSON_KIND_TRUE] = "boolean",  [JSON_KIND_FALSE] = "boolean",   [JSON_KIND_NULL] = "null",
    };
    static_assert(ARRAY_LEN(names) == JSON_KIND_COUNT, "every kind has a name");
    return names[json_kind(json)];
}

const struct json *json_get(const struct json *json, const char *key)
{
    return ours(json_object_get(theirs(json), key)); /* NULL unless it is an object */
}

const struct json *json_at(const struct json *json, size_t index)
{
    return ours(json_array_get(theirs(json), index)); /* NULL unless it is an array */
}

size_t json_count(const struct json *json)
{
    return json_kind(json) == JSON_KIND_OBJECT ? json_object_size(theirs(json))
                                               : json_array_size(theirs(json));
}

bool json_next(const struct json *object, void **iter, const char **key, const struct json **value)
{
    *iter = *iter ? json_object_iter_next(theirs(object), *iter) : json_object_iter(theirs(object));
    if (!*iter)
        return false;
    *key = json_object_iter_key(*iter);
    *value = ours(json_object_iter_value(*iter));
    return true;
}

const char *json_text(const struct json *json, const char *otherwise)
{
    const char *text = json_string_value(theirs(json));
    return text ? text : otherwise;
}

const char *json_bytes(const struct json *json, size_t *len)
{
    *len = json_string_length(theirs(json));
    return json_string_value(theirs(json));
}

struct json *json_new_text(const char *text)
{
    begin_tree();
    return finish_tree(json_string_nocheck(text));
}

int64_t json_i64(const struct json *json, int64_t otherwise)
{
    return json_kind(json) == JSON_KIND_INTEGER ? json_integer_value(theirs(json)) : otherwise;
}

double json_number(const struct json *json, double otherwise)
{
    return json_is_number(theirs(json)) ? json_number_value(theirs(json)) : otherwise;
}

bool json_bool(const struct json *json, bool otherwise)
{
    enum json_kind kind = json_kind(json);
    bool is_bool = kind == JSON_KIND_TRUE || kind == JSON_KIND_FALSE;
    return is_bool ? kind == JSON_KIND_TRUE : otherwise;
}

/* Text being written, with a limit at which writing stops. */
struct brief {
    struct str text;
    size_t max;
};

static int add_part(const char *bytes, size_t len, void *ctx)
{
    struct brief *brief = ctx;
    str_add_n(&brief->text, bytes, len);
    return brief->text.len > brief->max ? -1 : 0;
}

static void write_whole(struct str *out, const struct json *json, size_t flags)
{
    struct brief whole = {.text = *out, .max = SIZE_MAX};
    const int failed = json_dump_callback(theirs(json), add_part, &whole, flags | JSON_ENCODE_ANY);
    assert(failed == 0); /* a parsed tree can always be serialized */
    *out = whole.text;
}

void json_write(struct str *out, const struct json *json)
{
    write_whole(out, json, JSON_COMPACT);
}

void json_write_indented(struct str *out, const struct json *json)
{
    enum { STEP = 2 };
    write_whole(out, json, JSON_INDENT(STEP));
    str_add_char(out, '\n');
}

char *json_brief(const struct json *json, size_t max)
{
    if (!json)
        return xstrdup("nothing");
    struct brief brief = {.max = max};
    size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(REAL_DIGITS);
    if (json_kind(json) == JSON_KIND_REAL) {
        /* Uses 15 digits, which are shorter, unless the real needs more. */
        char text[REAL_TEXT_MAX];
        const double value = json_number(json, 0);
        (void)snprintf(text, sizeof(text), "%.*g", REAL_DIGITS, value);
        if (strtod(text, NULL) != value)
            flags = JSON_COMPACT | JSON_ENCODE_ANY;
    }
    (void)json_dump_callback(theirs(json), add_part, &brief, flags); /* add_part() may stop it */
    if (brief.text.len <= max)
        return brief.text.data;
    size_t len = max;
    while (len > 0 && utf8_is_inner(brief.text.data[len])) /* do not split a character */
        len--;
    str_cut(&brief.text, len);
    str_add(&brief.text, "...");
    return brief.text.data;
}
