#include "json.h"

#include <assert.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_place.h"
#include "json_tree.h"
#include "json_wide.h"
#include "str.h"
#include "utf8.h"
#include "xalloc.h"

enum {
    REAL_DIGITS = 15,   /* that every double keeps */
    REAL_TEXT_MAX = 40, /* bytes of a double with them */
};

/* What is read with the library becomes a tree of ours. */
static struct json ours(struct json_tree *tree, json_t *json);

static struct json our_object(struct json_tree *tree, json_t *json)
{
    struct json out;
    const char *key;
    json_t *value;
    size_t count = 0;
    struct json_member *members = xcalloc(json_object_size(json) + 1, sizeof(*members));
    json_object_foreach(json, key, value)
    {
        members[count].key = json_tree_text(tree, key, strlen(key));
        members[count++].value = ours(tree, value);
    }
    (void)!json_tree_object(tree, members, count, &out); /* the library keeps keys apart */
    free(members);
    return out;
}

static struct json our_array(struct json_tree *tree, json_t *json)
{
    const size_t count = json_array_size(json);
    struct json_member *elements = xcalloc(count + 1, sizeof(*elements));
    for (size_t i = 0; i < count; i++)
        elements[i].value = ours(tree, json_array_get(json, i));
    const struct json out = json_tree_array(tree, elements, count);
    free(elements);
    return out;
}

static struct json ours(struct json_tree *tree, json_t *json)
{
    const size_t len = json_string_length(json);
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return our_object(tree, json);
    case JSON_ARRAY:
        return our_array(tree, json);
    case JSON_STRING:
        return (struct json){.kind = JSON_KIND_STRING,
                             .count = (uint32_t)len,
                             .is = {.text = json_tree_text(tree, json_string_value(json), len)}};
    case JSON_INTEGER:
        return (struct json){.kind = JSON_KIND_INTEGER,
                             .is = {.integer = json_integer_value(json)}};
    case JSON_REAL:
        return (struct json){.kind = JSON_KIND_REAL, .is = {.real = json_real_value(json)}};
    case JSON_TRUE:
        return (struct json){.kind = JSON_KIND_TRUE};
    case JSON_FALSE:
        return (struct json){.kind = JSON_KIND_FALSE};
    case JSON_NULL:
        break;
    }
    return (struct json){.kind = JSON_KIND_NULL};
}

/* Ends the library's tree. */
static struct json *take_over(json_t *theirs, size_t len)
{
    struct json_tree tree;
    json_tree_begin(&tree, len);
    const struct json root = ours(&tree, theirs);
    json_decref(theirs);
    return json_tree_root(&tree, &root);
}

/* The other way round, for writing: no more than so many values, each of which is a byte at
 * least. */
static json_t *theirs(const struct json *json, size_t *left);

static json_t *their_object(const struct json *json, size_t *left)
{
    json_t *object = json_object();
    for (uint32_t i = 0; *left > 0 && i < json->count; i++) {
        const struct json_member *member = &json->is.members[i];
        (void)json_object_set_new_nocheck(object, member->key, theirs(&member->value, left));
    }
    return object;
}

static json_t *their_array(const struct json *json, size_t *left)
{
    json_t *array = json_array();
    for (uint32_t i = 0; *left > 0 && i < json->count; i++)
        (void)json_array_append_new(array, theirs(&json->is.elements[i], left));
    return array;
}

static json_t *theirs(const struct json *json, size_t *left)
{
    *left -= *left > 0;
    switch (json->kind) {
    case JSON_KIND_OBJECT:
        return their_object(json, left);
    case JSON_KIND_ARRAY:
        return their_array(json, left);
    case JSON_KIND_STRING:
        return json_stringn_nocheck(json->is.text, json->count);
    case JSON_KIND_INTEGER:
        return json_integer(json->is.integer);
    case JSON_KIND_REAL:
        return json_real(json->is.real);
    case JSON_KIND_TRUE:
        return json_true();
    case JSON_KIND_FALSE:
        return json_false();
    case JSON_KIND_NULL:
    case JSON_KIND_NONE:
    case JSON_KIND_COUNT:
        break;
    }
    return json_null();
}

/* What jansson's codes mean, in our words; its own text where that says more. */
static const struct {
    enum json_error_code code;
    const char *words;
} reasons[] = {
    {json_error_stack_overflow, "nested too deeply"},
    {json_error_premature_end_of_input, "the text ends too early"},
    {json_error_end_of_input_expected, "unexpected text after the value"},
    {json_error_null_character, "U+0000 is not allowed in a string"},
    {json_error_null_byte_in_key, "U+0000 is not allowed in a key"},
    {json_error_numeric_overflow, "the number is too large"},
};

static const char *reason_words(enum json_error_code code)
{
    for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
        if (reasons[i].code == code)
            return reasons[i].words;
    }
    return NULL;
}

/* Before the first character, jansson says 0. */
static int at_least_one(int number)
{
    return number > 0 ? number : 1;
}

static bool ends_in(const char *text, size_t len, const char *end)
{
    size_t end_len = strlen(end);
    return len >= end_len && memcmp(text + len - end_len, end, end_len) == 0;
}

/* jansson writes "what near 'token'", without the token where that is long. The
 * token says something only after "expected", after "token" and for a key. */
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

/* Does the error say that a whole token is wrong, not something within it? */
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
        *place = json_place_at(text, json_token_start(text, (size_t)error->position));
    else if (place)
        *place = (struct json_place){.line = at_least_one(error->line),
                                     .column = at_least_one(error->column)};

    const char *words = reason_words(code);
    if (words)
        return err_set(err, ERR_INVALID, "%s", words);
    return token_error(error->text, code == json_error_duplicate_key, err);
}

/* The bytes of an empty text may be nowhere, which the library takes for a mistake. */
static const char *bytes_of(const char *text)
{
    return text ? text : "";
}

/* jansson takes no memory for a wrong token, and says so. */
static void *allocate(size_t size)
{
    return xcheck(malloc(size));
}

static void set_allocation(void)
{
    json_set_alloc_funcs(allocate, free);
}

static void use_our_memory(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, set_allocation);
}

static json_t *load(const char *bytes, size_t len, size_t flags, json_error_t *error)
{
    use_our_memory();
    return json_loadb(bytes, len, flags, error);
}

bool json_parse(const char *text, size_t len, struct json **out, struct json_place *place,
                struct err *err)
{
    json_error_t error;
    const char *bytes = bytes_of(text);
    if (json_read(bytes, len, out))
        return true;
    json_t *tree = load(bytes, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!tree)
        return syntax_error(&error, bytes, place, err);
    *out = take_over(tree, len);
    return true;
}

/* What is wrong in the text that was rewritten is so in the first one, at another place. */
static bool wide_error(const json_error_t *error, const char *text, size_t len,
                       struct json_place *place, struct err *err)
{
    struct str wide = {0};
    const size_t stop = error->position > 0 ? (size_t)error->position : 0;
    const size_t offset = json_wide(&wide, text, len, stop);
    str_done(&wide);
    (void)syntax_error(error, text, NULL, err);
    if (place)
        *place = json_place_at(text, is_of_token(error) ? json_token_start(text, offset)
                                     : offset > 0       ? offset - 1
                                                        : 0);
    return false;
}

bool json_parse_data(const char *text, size_t len, struct json **out, struct json_place *place,
                     struct err *err)
{
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL;
    json_error_t error;
    if (json_read(bytes_of(text), len, out))
        return true;
    json_t *tree = load(bytes_of(text), len, flags, &error);
    const bool is_wide = !tree && json_error_code(&error) == json_error_numeric_overflow;
    if (!tree && !is_wide)
        return syntax_error(&error, bytes_of(text), place, err);
    if (is_wide) {
        struct str wide = {0};
        (void)json_wide(&wide, text, len, SIZE_MAX);
        tree = load(str_text(&wide), wide.len, flags, &error);
        str_done(&wide);
        if (!tree)
            return wide_error(&error, text, len, place, err);
    }
    *out = take_over(tree, len);
    return true;
}

bool json_begins(const char *text, size_t len, size_t *read)
{
    json_error_t error;
    json_t *tree = load(text, len, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &error);
    const bool begins = tree || json_error_code(&error) == json_error_numeric_overflow;
    json_decref(tree);
    *read = error.position > 0 ? (size_t)error.position : 0;
    return begins;
}

/* The longest prefix of at most `max` bytes that ends between two characters. */
static size_t cut_len(const char *text, size_t max)
{
    size_t len = max;
    while (len > 0 && utf8_is_inner(text[len]))
        len--;
    return len;
}

/* A text that is being written, and when there is enough of it. */
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

/* 15 digits are the shorter ones; a real that they do not tell is written with all it has. */
static size_t real_flags(const struct json *json)
{
    char text[REAL_TEXT_MAX];
    if (json_kind(json) != JSON_KIND_REAL)
        return JSON_REAL_PRECISION(REAL_DIGITS);
    const double value = json_number(json, 0);
    (void)snprintf(text, sizeof(text), "%.*g", REAL_DIGITS, value);
    return strtod(text, NULL) == value ? JSON_REAL_PRECISION(REAL_DIGITS) : 0;
}

static void write_whole(struct str *out, const struct json *json, size_t flags)
{
    struct brief whole = {.text = *out, .max = SIZE_MAX};
    size_t left = SIZE_MAX;
    use_our_memory();
    json_t *tree = theirs(json, &left);
    const int failed = json_dump_callback(tree, add_part, &whole, flags | JSON_ENCODE_ANY);
    assert(failed == 0); /* a tree that was parsed */
    json_decref(tree);
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
    const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | real_flags(json);
    size_t left = max + 1;
    use_our_memory();
    json_t *tree = theirs(json, &left);
    (void)json_dump_callback(tree, add_part, &brief, flags); /* fails where we end it */
    json_decref(tree);
    if (brief.text.len <= max)
        return brief.text.data;
    str_cut(&brief.text, cut_len(brief.text.data, max));
    str_add(&brief.text, "...");
    return brief.text.data;
}
