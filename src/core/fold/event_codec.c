/* event_codec.c - writes and reads the JSON object of an event, and checks its numbers, from the
 * field tables in event_data.c. */
#include <assert.h>
#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "event_field.h"
#include "json.h"

/* Returns the fields of the event's kind; none if this build does not know the kind. */
static const struct event_fields *fields_of(const struct event *event)
{
    return &event_kind_fields[event_kind_is_known(event->kind) ? event->kind : EVENT_NONE];
}

/* Sets of fields, as bits. Every event is made, checked and copied, but few of its fields matter
 * for that: which ones is derived from the table once for each kind. */

enum field_set { WITH_DEFAULT, WITH_RANGE, WITH_STRINGS, FIELD_SET_COUNT };

static const uint64_t all_fields = UINT64_MAX;

static bool is_in_set(const struct event_field *field, enum field_set set)
{
    int64_t least = INT64_MIN;
    int64_t most = INT64_MAX;
    switch (set) {
    case WITH_DEFAULT:
        return field->otherwise != 0;
    case WITH_RANGE:
        if (field->type == EVENT_FIELD_INT) {
            least = INT_MIN;
            most = INT_MAX;
        } else if (field->type == EVENT_FIELD_BOOL) {
            least = 0;
            most = 1;
        }
        return field->type == EVENT_FIELD_REAL || field->type == EVENT_FIELD_NEAR ||
               field->type == EVENT_FIELD_LOOP ||
               (field->type < EVENT_FIELD_DIGEST && (field->least > least || field->most < most));
    case WITH_STRINGS:
        return field->type >= EVENT_FIELD_STRINGS;
    case FIELD_SET_COUNT:
        break;
    }
    return false;
}

/* Threads that need a set at the same time derive the same one. */
static uint64_t fields_in(const struct event *event, enum field_set set)
{
    static _Atomic(uint64_t) known[EVENT_KIND_COUNT][FIELD_SET_COUNT];
    enum { DERIVED = 63 }; /* a bit that no field has */
    const struct event_fields *fields = fields_of(event);
    _Atomic(uint64_t) *of_kind = &known[fields - event_kind_fields][set];
    uint64_t bits = atomic_load_explicit(of_kind, memory_order_relaxed);
    if (bits == 0) {
        assert(fields->count <= DERIVED);
        for (size_t i = 0; i < fields->count; i++)
            bits |= (uint64_t)is_in_set(&fields->items[i], set) << i;
        bits |= UINT64_C(1) << DERIVED;
        atomic_store_explicit(of_kind, bits, memory_order_relaxed);
    }
    return bits;
}

/* Removes the first field from the set and returns it; NULL if there is none. */
static inline const struct event_field *next_field(const struct event_fields *fields, uint64_t *set)
{
    const size_t i = *set ? (size_t)__builtin_ctzll(*set) : fields->count;
    *set &= *set - 1;
    return i < fields->count ? &fields->items[i] : NULL;
}

/* Access to a field. `base` is the event, the step of a trajectory, or a near miss. */

static const void *at_const(const void *base, const struct event_field *field)
{
    return (const char *)base + field->offset;
}

static void *at(void *base, const struct event_field *field)
{
    return (char *)base + field->offset;
}

/* Returns the value of an integer field (also bits, words and booleans), or 0 for other types. */
static inline int64_t get_number(const void *base, const struct event_field *field)
{
    const void *from = at_const(base, field);
    int number = 0;
    unsigned bits = 0;
    int64_t value = 0;
    bool flag = false;
    switch (field->type) {
    case EVENT_FIELD_INT:
    case EVENT_FIELD_WORD:
        memcpy(&number, from, sizeof(number));
        return number;
    case EVENT_FIELD_UNSIGNED:
        memcpy(&bits, from, sizeof(bits));
        return bits;
    case EVENT_FIELD_I64:
    case EVENT_FIELD_BITS: /* as signed numbers, see event_field.h */
        memcpy(&value, from, sizeof(value));
        return value;
    case EVENT_FIELD_BOOL:
        memcpy(&flag, from, sizeof(flag));
        return flag;
    case EVENT_FIELD_REAL:
    case EVENT_FIELD_DIGEST:
    case EVENT_FIELD_TEXT:
    case EVENT_FIELD_JSON:
    case EVENT_FIELD_LINES:
    case EVENT_FIELD_COUNTS:
    case EVENT_FIELD_LOOP:
    case EVENT_FIELD_NEAR:
        break;
    }
    return 0;
}

static void set_number(void *base, const struct event_field *field, int64_t value)
{
    void *to = at(base, field);
    const int number = (int)value;
    const unsigned bits = (unsigned)value;
    const bool flag = value != 0;
    const double real = (double)value;
    switch (field->type) {
    case EVENT_FIELD_INT:
    case EVENT_FIELD_WORD:
        memcpy(to, &number, sizeof(number));
        break;
    case EVENT_FIELD_UNSIGNED:
        memcpy(to, &bits, sizeof(bits));
        break;
    case EVENT_FIELD_I64:
    case EVENT_FIELD_BITS:
        memcpy(to, &value, sizeof(value));
        break;
    case EVENT_FIELD_BOOL:
        memcpy(to, &flag, sizeof(flag));
        break;
    case EVENT_FIELD_REAL: /* set only for default values */
        memcpy(to, &real, sizeof(real));
        break;
    case EVENT_FIELD_DIGEST:
    case EVENT_FIELD_TEXT:
    case EVENT_FIELD_JSON:
    case EVENT_FIELD_LINES:
    case EVENT_FIELD_COUNTS:
    case EVENT_FIELD_LOOP:
    case EVENT_FIELD_NEAR:
        break;
    }
}

static bool is_in_range(const struct event_field *field, int64_t value)
{
    const int64_t most = field->type == EVENT_FIELD_WORD ? field->most - 1 : field->most;
    return value >= field->least && value <= most;
}

/* Returns whether the step of a LOOP field is set. */
static bool has_loop(const struct event *event, const struct event_field *field)
{
    bool is_there;
    memcpy(&is_there, (const char *)event + field->least, sizeof(is_there));
    return is_there;
}

/* Returns the number of near misses in a NEAR field. */
static int near_count(const void *base, const struct event_field *field)
{
    int count;
    memcpy(&count, (const char *)base + field->least, sizeof(count));
    return count;
}

static void set_defaults(void *base, const struct event_fields *fields, uint64_t set)
{
    const struct event_field *field;
    while ((field = next_field(fields, &set))) {
        if (field->otherwise != 0)
            set_number(base, field, field->otherwise);
    }
}

static_assert(offsetof(struct event, wait) + sizeof(struct event_wait) ==
                  offsetof(struct event, is_damaged),
              "the first member of the union is the largest");

struct event event_new(enum event_kind kind)
{
    struct event event = {.kind = kind, .task = -1, .step = -1};
    set_defaults(&event, fields_of(&event), fields_in(&event, WITH_DEFAULT));
    return event;
}

static bool numbers_are_in_range(const void *base, const struct event_fields *fields, uint64_t set)
{
    const struct event_field *field;
    while ((field = next_field(fields, &set))) {
        double real;
        switch (field->type) {
        case EVENT_FIELD_DIGEST:
        case EVENT_FIELD_TEXT:
        case EVENT_FIELD_JSON:
        case EVENT_FIELD_LINES:
        case EVENT_FIELD_COUNTS:
            break;
        case EVENT_FIELD_REAL:
            memcpy(&real, at_const(base, field), sizeof(real));
            if (!(real >= (double)field->least && real <= (double)field->most))
                return false;
            break;
        case EVENT_FIELD_LOOP:
            if (has_loop(base, field) &&
                !numbers_are_in_range(at_const(base, field), &event_loop_fields, all_fields))
                return false;
            break;
        case EVENT_FIELD_NEAR:
            if (near_count(base, field) < 0 || near_count(base, field) > VERDICT_NEAR_MAX)
                return false;
            for (int n = 0; n < near_count(base, field); n++) {
                const struct verdict_near_record *near = at_const(base, field);
                if (!numbers_are_in_range(near + n, &event_near_fields, all_fields))
                    return false;
            }
            break;
        case EVENT_FIELD_INT:
        case EVENT_FIELD_I64:
        case EVENT_FIELD_UNSIGNED:
        case EVENT_FIELD_BITS:
        case EVENT_FIELD_BOOL:
        case EVENT_FIELD_WORD:
            if (!is_in_range(field, get_number(base, field)))
                return false;
            break;
        }
    }
    return true;
}

bool event_is_in_range(const struct event *event)
{
    return numbers_are_in_range(event, fields_of(event), fields_in(event, WITH_RANGE));
}

/* Writing. */

static void write_fields(const void *base, const struct event_fields *fields, struct str *out);

static void write_lines(const char *name, const char *lines, struct str *out)
{
    const char *before = "";
    str_json_key(out, name);
    str_add_char(out, '[');
    while (*lines) {
        const size_t len = strcspn(lines, "\n");
        str_add(out, before);
        str_add_json(out, lines, len);
        before = ",";
        lines += len + (lines[len] == '\n');
    }
    str_add_char(out, ']');
}

static void write_counts(const char *name, const char *lines, struct str *out)
{
    const char *before = "";
    str_json_key(out, name);
    str_add_char(out, '{');
    while (*lines) {
        char *of;
        const int64_t count = strtoll(lines, &of, 10);
        const size_t len = strcspn(++of, "\n");
        str_add(out, before);
        str_add_json(out, of, len);
        str_add_char(out, ':');
        str_add_i64(out, count);
        before = ",";
        lines = of + len + (of[len] == '\n');
    }
    str_add_char(out, '}');
}

static void write_field(const void *base, const struct event_field *field, struct str *out)
{
    const void *from = at_const(base, field);
    char hex[DIGEST_HEX_MAX];
    struct digest digest;
    const char *text;
    double real;
    int64_t value;
    switch (field->type) {
    case EVENT_FIELD_INT:
    case EVENT_FIELD_I64:
    case EVENT_FIELD_UNSIGNED:
    case EVENT_FIELD_BITS:
        value = get_number(base, field);
        if (field->always || value != field->otherwise)
            str_json_i64(out, field->name, value);
        break;
    case EVENT_FIELD_BOOL:
        value = get_number(base, field);
        if (field->always || value != 0)
            str_json_bool(out, field->name, value != 0);
        break;
    case EVENT_FIELD_WORD:
        value = get_number(base, field);
        if (is_in_range(field, value) && (field->always || value != field->otherwise))
            str_json_text(out, field->name, field->word((int)value));
        break;
    case EVENT_FIELD_REAL:
        memcpy(&real, from, sizeof(real));
        if (real < (double)field->otherwise || real > (double)field->otherwise) {
            str_json_key(out, field->name);
            str_add_number(out, real);
        }
        break;
    case EVENT_FIELD_DIGEST:
        memcpy(&digest, from, sizeof(digest));
        if (!digest_is_known(digest))
            break;
        digest_to_hex(digest, hex);
        str_json_text(out, field->name, hex);
        break;
    case EVENT_FIELD_TEXT:
        memcpy(&text, from, sizeof(text));
        if (text)
            str_json_text(out, field->name, text);
        break;
    case EVENT_FIELD_JSON:
        memcpy(&text, from, sizeof(text));
        if (!text)
            break;
        str_json_key(out, field->name);
        str_add(out, text);
        break;
    case EVENT_FIELD_LINES:
        memcpy(&text, from, sizeof(text));
        if (text)
            write_lines(field->name, text, out);
        break;
    case EVENT_FIELD_COUNTS:
        memcpy(&text, from, sizeof(text));
        if (text)
            write_counts(field->name, text, out);
        break;
    case EVENT_FIELD_NEAR:
        if (near_count(base, field) == 0)
            break;
        str_json_key(out, field->name);
        for (int i = 0; i < near_count(base, field); i++) {
            str_add(out, i == 0 ? "[{" : ",{");
            write_fields((const struct verdict_near_record *)from + i, &event_near_fields, out);
            str_add_char(out, '}');
        }
        str_add_char(out, ']');
        break;
    case EVENT_FIELD_LOOP:
        if (!has_loop(base, field))
            break;
        str_json_key(out, field->name);
        str_add_char(out, '{');
        write_fields(from, &event_loop_fields, out);
        str_add_char(out, '}');
        break;
    }
}

static void write_fields(const void *base, const struct event_fields *fields, struct str *out)
{
    for (size_t i = 0; i < fields->count; i++)
        write_field(base, &fields->items[i], out);
}

void event_write_members(const struct event *event, struct str *out)
{
    write_fields(event, fields_of(event), out);
}

void event_write(const struct event *event, struct str *out)
{
    if (event->data) {
        str_add(out, event->data);
        return;
    }
    str_add_char(out, '{');
    event_write_members(event, out);
    str_add_char(out, '}');
}

char *event_object(const struct event *event)
{
    struct str out = {0};
    event_write(event, &out);
    return out.data;
}

/* Reading. */

static bool read_fields(void *base, const struct event_fields *fields, struct json_members members,
                        struct str *room);

static bool read_word(void *base, const struct event_field *field, struct json_piece piece)
{
    if (piece.len < 2 || piece.text[0] != '"')
        return false;
    for (int64_t i = field->least; i < field->most; i++) {
        const char *word = field->word((int)i);
        if (strlen(word) == piece.len - 2 && memcmp(word, piece.text + 1, piece.len - 2) == 0) {
            set_number(base, field, i);
            return true;
        }
    }
    return false;
}

static bool read_real(void *base, const struct event_field *field, struct json_piece piece)
{
    enum { REAL_BYTES_MAX = 40 };
    char digits[REAL_BYTES_MAX];
    char *end;
    if (piece.len == 0 || piece.len >= sizeof(digits))
        return false;
    memcpy(digits, piece.text, piece.len);
    digits[piece.len] = '\0';
    const double real = strtod(digits, &end);
    if (*end != '\0' || !(real >= (double)field->least && real <= (double)field->most))
        return false;
    memcpy(at(base, field), &real, sizeof(real));
    return true;
}

static bool read_digest(void *base, const struct event_field *field, struct json_piece piece)
{
    char hex[DIGEST_HEX_MAX];
    struct digest digest;
    if (piece.len != DIGEST_HEX_MAX + 1 || piece.text[0] != '"')
        return false;
    memcpy(hex, piece.text + 1, DIGEST_HEX_MAX - 1);
    hex[DIGEST_HEX_MAX - 1] = '\0';
    if (!digest_from_hex(hex, &digest))
        return false;
    memcpy(at(base, field), &digest, sizeof(digest));
    return true;
}

/* Appends the string to the room, which has enough space, and makes the field point to it. */
static bool read_text(void *base, const struct event_field *field, struct json_piece piece,
                      struct str *room)
{
    const size_t from = room->len;
    if (field->type == EVENT_FIELD_JSON)
        str_add_n(room, piece.text, piece.len);
    else if (!json_scan_text(piece, room))
        return false;
    str_add_char(room, '\0');
    const char *text = room->data + from;
    memcpy(at(base, field), &text, sizeof(text));
    return true;
}

static bool read_loop(void *base, const struct event_field *field, struct json_piece piece,
                      struct str *room)
{
    struct entropy_fact fact = {0};
    const bool is_there = true;
    set_defaults(&fact, &event_loop_fields, all_fields);
    if (!read_fields(&fact, &event_loop_fields, json_members(piece.text, piece.len), room))
        return false;
    memcpy(at(base, field), &fact, sizeof(fact));
    memcpy((char *)base + field->least, &is_there, sizeof(is_there));
    return true;
}

/* Reads as many near misses as there is space for. */
static bool read_near(void *base, const struct event_field *field, struct json_piece piece,
                      struct str *room)
{
    struct verdict_near_record *list = at(base, field);
    struct json_members items = json_members(piece.text, piece.len);
    struct json_piece item;
    int count = 0;
    while (json_items_next(&items, &item)) {
        struct verdict_near_record near = {0};
        if (!read_fields(&near, &event_near_fields, json_members(item.text, item.len), room))
            return false;
        if (count < VERDICT_NEAR_MAX)
            list[count++] = near;
    }
    memcpy((char *)base + field->least, &count, sizeof(count));
    return json_members_are_over(&items);
}

/* Ends a line that begins at `from`, or removes it if it is empty. */
static void end_line(struct str *room, size_t from)
{
    str_cut(room, from + strcspn(str_text(room) + from, "\n"));
    if (room->len > from)
        str_add_char(room, '\n');
}

/* Makes the field point to the lines that begin at `from`, if there are any. */
static void end_lines(void *base, const struct event_field *field, struct str *room, size_t from)
{
    if (room->len == from)
        return;
    room->data[room->len - 1] = '\0';
    const char *text = room->data + from;
    memcpy(at(base, field), &text, sizeof(text));
}

/* Reads the first line of each string; skips empty ones. */
static bool read_lines(void *base, const struct event_field *field, struct json_piece piece,
                       struct str *room)
{
    struct json_members items = json_members(piece.text, piece.len);
    struct json_piece item;
    const size_t from = room->len;
    while (json_items_next(&items, &item)) {
        const size_t line = room->len;
        if (!json_scan_text(item, room))
            return false;
        end_line(room, line);
    }
    end_lines(base, field, room, from);
    return json_members_are_over(&items);
}

static bool read_counts(void *base, const struct event_field *field, struct json_piece piece,
                        struct str *room)
{
    struct json_members members = json_members(piece.text, piece.len);
    struct json_piece key;
    struct json_piece value;
    const size_t from = room->len;
    while (json_members_next(&members, &key, &value)) {
        const size_t line = room->len;
        const int64_t count = json_scan_i64(value, -1);
        const struct json_piece quoted = {.text = key.text - 1, .len = key.len + 2};
        if (count < 0)
            return false;
        str_add_i64(room, count);
        str_add_char(room, ' ');
        if (!json_scan_text(quoted, room))
            return false;
        end_line(room, line);
    }
    end_lines(base, field, room, from);
    return json_members_are_over(&members);
}

static bool read_number(void *base, const struct event_field *field, struct json_piece piece)
{
    const int64_t value = json_scan_i64(piece, 0);
    const bool is_number = value != 0 || json_scan_i64(piece, 1) == 0;
    if (!is_number || !is_in_range(field, value))
        return false;
    set_number(base, field, value);
    return true;
}

static bool read_field(void *base, const struct event_field *field, struct json_piece piece,
                       struct str *room)
{
    switch (field->type) {
    case EVENT_FIELD_INT:
    case EVENT_FIELD_I64:
    case EVENT_FIELD_UNSIGNED:
    case EVENT_FIELD_BITS:
        return read_number(base, field, piece);
    case EVENT_FIELD_BOOL:
        set_number(base, field, piece.text[0] == 't');
        return piece.text[0] == 't' || piece.text[0] == 'f';
    case EVENT_FIELD_WORD:
        return read_word(base, field, piece);
    case EVENT_FIELD_REAL:
        return read_real(base, field, piece);
    case EVENT_FIELD_DIGEST:
        return read_digest(base, field, piece);
    case EVENT_FIELD_TEXT:
    case EVENT_FIELD_JSON:
        return read_text(base, field, piece, room);
    case EVENT_FIELD_LINES:
        return read_lines(base, field, piece, room);
    case EVENT_FIELD_COUNTS:
        return read_counts(base, field, piece, room);
    case EVENT_FIELD_NEAR:
        return read_near(base, field, piece, room);
    case EVENT_FIELD_LOOP:
        return read_loop(base, field, piece, room);
    }
    return false;
}

/* Reads the members into their fields. Members are usually in the order of the fields, so each
 * search begins after the previous field. */
static bool read_fields(void *base, const struct event_fields *fields, struct json_members members,
                        struct str *room)
{
    const size_t count = fields->count;
    struct json_piece key;
    struct json_piece value;
    size_t next = 0;
    while (json_members_next(&members, &key, &value)) {
        for (size_t i = 0; i < count; i++) {
            const struct event_field *field = &fields->items[(next + i) % count];
            if (strlen(field->name) != key.len || memcmp(field->name, key.text, key.len) != 0)
                continue;
            if (!read_field(base, field, value, room))
                return false;
            next = (next + i + 1) % count;
            break;
        }
    }
    return json_members_are_over(&members);
}

bool event_read(struct event *event, const char *json, size_t len, struct str *room)
{
    const struct event_fields *fields = fields_of(event);
    event->data = json;
    if (len > EVENT_DATA_MAX || !json_check(json, len))
        return false;
    assert(room->cap - room->len >
           len); /* a decoded string is never longer than its JSON form with quotes */
    set_defaults(event, fields, fields_in(event, WITH_DEFAULT));
    /* A field without a valid default must be there. */
    return read_fields(event, fields, json_members(json, len), room) && event_is_in_range(event);
}

/* Strings. */

static void each_text(void *base, const struct event_fields *fields, uint64_t set,
                      event_text_fn *visit, void *ctx)
{
    const struct event_field *field;
    while ((field = next_field(fields, &set))) {
        if (field->type < EVENT_FIELD_STRINGS)
            continue;
        if (field->type == EVENT_FIELD_NEAR) {
            struct verdict_near_record *near = at(base, field);
            for (int n = 0; n < near_count(base, field); n++)
                each_text(&near[n], &event_near_fields, all_fields, visit, ctx);
        } else if (field->type == EVENT_FIELD_LOOP) {
            if (has_loop(base, field))
                each_text(at(base, field), &event_loop_fields, all_fields, visit, ctx);
        } else {
            const char **text = at(base, field);
            if (*text)
                visit(ctx, text);
        }
    }
}

void event_each_text(struct event *event, event_text_fn *visit, void *ctx)
{
    if (event->kind == EVENT_UNKNOWN && event->unknown.kind)
        visit(ctx, &event->unknown.kind);
    each_text(event, fields_of(event), fields_in(event, WITH_STRINGS), visit, ctx);
    if (event->data)
        visit(ctx, &event->data);
}
