/* own_keys.c - makes a keymap from the built-in keys and the user's file.
 *
 * If two acts use the same key, the built-in binding wins, or else the earlier line of the file. An
 * act that loses all its keys gets its default keys back, which can cause another conflict, so
 * conflicts are resolved one at a time until none is left. */
#include "own_keys.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "keymap.h"
#include "text.h"
#include "xalloc.h"

enum { OWN_KEYS_PER_ACT = 8 };

/* The file being read. */
struct reading {
    const char *name;
    const char *text;
    struct str *problems;
    uint32_t wanted[UI_ACT_COUNT][OWN_KEYS_PER_ACT];
    int counts[UI_ACT_COUNT]; /* number of keys listed for each act; -1 = unchanged */
    int lines[UI_ACT_COUNT];
};

/* Returns the line of the member with this name, counted from 1. Skips equal strings in arrays,
 * which are not followed by a colon. */
static int line_of(const char *text, const char *member)
{
    struct str quoted = {0};
    str_addf(&quoted, "\"%s\"", member);
    const char *at = text;
    for (at = strstr(at, quoted.data); at; at = strstr(at + 1, quoted.data)) {
        const char *behind = at + quoted.len;
        if (behind[strspn(behind, " \t\r\n")] == ':')
            break;
    }
    str_done(&quoted);
    int line = 1;
    for (; at && text < at; text++)
        line += *text == '\n';
    return line;
}

/* Starts a line in *problems. The caller appends the problem and a line feed. */
static struct str *begin_problem(const struct reading *reading, int line)
{
    str_addf(reading->problems, "%s:%d: ", reading->name, line);
    return reading->problems;
}

static void add_unknown_act(const struct reading *reading, const char *name)
{
    struct near_word near = near_word_new(name);
    for (enum act act = UI_NONE + 1; act < UI_ACT_COUNT; act++)
        near_word_offer(&near, keymap_act_name(act));
    struct str *out = begin_problem(reading, line_of(reading->text, name));
    str_addf(out, "unknown action '%s'", name);
    if (near.nearest)
        str_addf(out, ": did you mean '%s'?", near.nearest);
    else
        str_add(out, ": devs keys lists them");
    str_add(out, "\n");
}

static void read_key(struct reading *reading, enum act act, const struct json *json)
{
    const char *name = json_text(json, "");
    uint32_t *wanted = reading->wanted[act];
    uint32_t key = 0;
    if (!keymap_parse_key(name, &key)) {
        str_addf(begin_problem(reading, reading->lines[act]),
                 "'%s' is not a key: try r, ^R, Space or F1\n", name);
    } else if (reading->counts[act] == OWN_KEYS_PER_ACT) {
        str_addf(begin_problem(reading, reading->lines[act]), "%s has more than %d keys\n",
                 keymap_act_name(act), OWN_KEYS_PER_ACT);
    } else {
        int at = 0;
        while (at < reading->counts[act] && wanted[at] != key)
            at++;
        if (at == reading->counts[act]) /* a key that is listed twice counts once */
            wanted[reading->counts[act]++] = key;
    }
}

/* Reads the keys of an act. An act without any valid key keeps its default keys, unless the file
 * gives it an empty list. */
static void read_act(struct reading *reading, const char *name, const struct json *keys)
{
    const enum act act = keymap_parse_act(name);
    if (act == UI_NONE) {
        add_unknown_act(reading, name);
        return;
    }
    reading->lines[act] = line_of(reading->text, name);
    if (json_kind(keys) != JSON_KIND_ARRAY) {
        str_addf(begin_problem(reading, reading->lines[act]),
                 "%s needs a list of keys, such as [\"r\"]\n", name);
        return;
    }
    if (json_count(keys) == 0 && act == UI_QUIT) {
        str_addf(begin_problem(reading, reading->lines[act]), "%s needs a key\n", name);
        return;
    }
    reading->counts[act] = 0;
    for (size_t i = 0; i < json_count(keys); i++)
        read_key(reading, act, json_at(keys, i));
    if (reading->counts[act] == 0 && json_count(keys) > 0)
        reading->counts[act] = -1;
}

/* The rows being built. */
struct making {
    struct key_binding *rows;
    size_t count, room;
};

static void add_row(struct making *making, const struct key_binding *like, uint32_t key)
{
    assert(making->count < making->room);
    making->rows[making->count] = *like;
    making->rows[making->count++].key = key;
}

/* Returns true if no earlier row has the same act, modes and screens. */
static bool is_first_of_place(const struct keymap *keys, size_t row)
{
    const struct key_binding *wanted = &keys->rows[row];
    for (size_t i = 0; i < row; i++) {
        const struct key_binding *other = &keys->rows[i];
        if (other->act == wanted->act && other->modes == wanted->modes &&
            other->screens == wanted->screens)
            return false;
    }
    return true;
}

/* Returns the row of a different act that keeps the key of `row`, or NULL if there is no conflict.
 * Built-in keys win; if both are from the file, the earlier line wins. */
static const struct key_binding *find_holder(const struct reading *reading,
                                             const struct making *making,
                                             const struct key_binding *row)
{
    for (size_t i = 0; i < making->count; i++) {
        const struct key_binding *other = &making->rows[i];
        const bool collides = row->key == other->key && row->act != other->act &&
                              (row->modes & other->modes) != 0 &&
                              (row->screens & other->screens) != 0;
        const bool is_earlier =
            reading->counts[other->act] < 0 ||
            reading->lines[other->act] < reading->lines[row->act] ||
            (reading->lines[other->act] == reading->lines[row->act] && other->act < row->act);
        if (collides && is_earlier)
            return other;
    }
    return NULL;
}

/* Resolves the first conflict by taking the key away from the act that loses. An act without any
 * keys left gets its default keys. Returns false if there is no conflict. */
static bool settle_one(struct reading *reading, const struct making *making)
{
    for (size_t i = 0; i < making->count; i++) {
        const struct key_binding *row = &making->rows[i];
        const struct key_binding *holder =
            reading->counts[row->act] < 0 ? NULL : find_holder(reading, making, row);
        if (!holder)
            continue;
        char key[KEY_NAME_MAX];
        (void)keymap_key_name(row->key, true, key);
        str_addf(begin_problem(reading, reading->lines[row->act]),
                 "%s is used by %s: not assigned to %s\n", key, keymap_act_name(holder->act),
                 keymap_act_name(row->act));
        uint32_t *wanted = reading->wanted[row->act];
        int kept = 0;
        for (int k = 0; k < reading->counts[row->act]; k++) {
            if (wanted[k] != row->key)
                wanted[kept++] = wanted[k];
        }
        reading->counts[row->act] = kept > 0 ? kept : -1;
        return true;
    }
    return false;
}

/* Copies the built-in rows, replacing the keys of acts that the file lists, in each place where the
 * act works, and resolves conflicts until no two acts use the same key. */
static struct keymap *make_keymap(struct reading *reading)
{
    struct keymap *keys = xcalloc(1, sizeof(*keys));
    const struct keymap *builtin = keymap_builtin();
    const size_t room = builtin->count * OWN_KEYS_PER_ACT;
    struct making making = {.rows = xcalloc(room, sizeof(*making.rows)), .room = room};
    do {
        making.count = 0;
        for (size_t i = 0; i < builtin->count; i++) {
            const struct key_binding *row = &builtin->rows[i];
            const int count = is_first_of_place(builtin, i) ? reading->counts[row->act] : 0;
            if (reading->counts[row->act] < 0)
                add_row(&making, row, row->key);
            for (int k = 0; k < count; k++)
                add_row(&making, row, reading->wanted[row->act][k]);
        }
    } while (settle_one(reading, &making));
    *keys = (struct keymap){making.rows, making.count};
    return keys;
}

struct keymap *own_keys_read(const char *name, const char *text, size_t len, struct str *problems)
{
    struct json *root = NULL;
    struct json_place place = {0};
    struct err err = {0};
    struct reading *reading = xcalloc(1, sizeof(*reading));
    *reading = (struct reading){.name = name, .text = text, .problems = problems};
    for (enum act act = UI_NONE; act < UI_ACT_COUNT; act++)
        reading->counts[act] = -1;
    if (!json_parse(text, len, &root, &place, &err)) {
        str_addf(begin_problem(reading, place.line), "%s\n", err.message);
    } else if (json_kind(root) != JSON_KIND_OBJECT) {
        str_addf(begin_problem(reading, 1), "expected an object, such as {\"retry\": [\"r\"]}\n");
    } else {
        void *iter = NULL;
        const char *act;
        const struct json *keys;
        while (json_next(root, &iter, &act, &keys)) {
            if (strncmp(act, "//", 2) != 0)
                read_act(reading, act, keys);
        }
    }
    struct keymap *keys = make_keymap(reading);
    json_free(root);
    free(reading);
    return keys;
}

void own_keys_free(struct keymap *keys)
{
    if (keys)
        free((void *)(uintptr_t)keys->rows); /* the cast is safe: we allocated the rows */
    free(keys);
}
