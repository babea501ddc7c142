/* json_edit.c - finds and changes parts of JSON text.
 *
 * Plain JSON comes first, then JSON with comments. For the latter a second copy of the text has
 * blanks in place of comments, so that positions are the same in both. A new item is formatted like
 * its neighbors. */
#include "json_edit.h"

#include <assert.h>
#include <string.h>

#include "ascii.h"
#include "json.h"

static size_t skip_blank(const char *text, size_t at)
{
    while (ascii_is_blank(text[at]))
        at++;
    return at;
}

/* Returns the position after the closing quote. */
static size_t skip_string(const char *text, size_t at)
{
    for (at++; text[at] != '\0' && text[at] != '"'; at++) {
        if (text[at] == '\\' && text[at + 1] != '\0')
            at++;
    }
    return text[at] == '"' ? at + 1 : at;
}

static size_t skip_nested(const char *text, size_t at)
{
    int depth = 0;
    do {
        if (text[at] == '"') {
            at = skip_string(text, at);
            continue;
        }
        if (text[at] == '{' || text[at] == '[')
            depth++;
        if (text[at] == '}' || text[at] == ']')
            depth--;
        at++;
    } while (depth > 0 && text[at] != '\0');
    return at;
}

static size_t skip_value(const char *text, size_t at)
{
    if (text[at] == '"')
        return skip_string(text, at);
    if (text[at] == '{' || text[at] == '[')
        return skip_nested(text, at);
    while (text[at] != '\0' && !ascii_is_blank(text[at]) && !strchr(",]}", text[at]))
        at++;
    return at;
}

/* Finds the next value of a list or the next key of an object, after the item that ends at `at`
 * (or the opening bracket). Returns false at the closing one. */
static bool next_item(const char *text, size_t at, struct json_span *out)
{
    at = skip_blank(text, at);
    if (text[at] == ',')
        at = skip_blank(text, at + 1);
    if (text[at] == '\0' || text[at] == ']' || text[at] == '}')
        return false;
    *out = (struct json_span){at, skip_value(text, at)};
    return true;
}

static struct json_span member_value(const char *text, struct json_span key)
{
    size_t at = skip_blank(text, key.end);
    if (text[at] == ':')
        at = skip_blank(text, at + 1);
    return (struct json_span){at, skip_value(text, at)};
}

struct json_span json_edit_root(const char *text)
{
    size_t start = skip_blank(text, 0);
    return (struct json_span){start, skip_value(text, start)};
}

/* Finds member `index` of the object at `object`. Returns false past the last. */
static bool json_edit_member_at(const char *text, struct json_span object, size_t index,
                                struct json_member *out)
{
    struct json_span name;
    size_t at = object.start + 1;
    for (size_t i = 0; next_item(text, at, &name); i++) {
        const struct json_span value = member_value(text, name);
        if (i == index) {
            *out = (struct json_member){.name = name, .value = value};
            return true;
        }
        at = value.end;
    }
    return false;
}

/* Compares names after unescaping: "a" equals "\\u0061". */
static bool is_name(const char *text, struct json_span name, const char *key)
{
    const size_t len = name.end - name.start;
    struct json *decoded = NULL;
    if (!memchr(text + name.start, '\\', len))
        return len == strlen(key) + 2 && strncmp(text + name.start + 1, key, len - 2) == 0;
    const bool same = json_parse_data(text + name.start, len, &decoded, NULL, NULL) &&
                      strcmp(json_text(decoded, ""), key) == 0;
    json_free(decoded);
    return same;
}

bool json_edit_member_of(const char *text, struct json_span object, const char *key,
                         struct json_member *out)
{
    struct json_member member;
    for (size_t i = 0; json_edit_member_at(text, object, i, &member); i++) {
        if (is_name(text, member.name, key)) {
            *out = member;
            return true;
        }
    }
    return false;
}

bool json_edit_member(const char *text, const char *key, struct json_span *out)
{
    struct json_member member;
    const bool found = json_edit_member_of(text, json_edit_root(text), key, &member);
    if (found)
        *out = member.value;
    return found;
}

bool json_edit_element(const char *text, struct json_span list, size_t index, struct json_span *out)
{
    struct json_span element;
    size_t at = list.start + 1;
    for (size_t i = 0; next_item(text, at, &element); i++) {
        if (i == index) {
            *out = element;
            return true;
        }
        at = element.end;
    }
    return false;
}

void json_edit_replace(struct str *text, struct json_span part, const char *value)
{
    struct str edited = {0};
    str_add_n(&edited, text->data, part.start);
    str_add(&edited, value);
    str_add(&edited, text->data + part.end);
    str_done(text);
    *text = edited;
}

/* Appends the line feed and blanks before `at`; a space if something else is on that line. */
static void add_indent(const char *text, size_t at, struct str *out)
{
    size_t start = at;
    while (start > 0 && ascii_is_blank(text[start - 1]) && text[start - 1] != '\n')
        start--;
    if (start > 0 && text[start - 1] == '\n')
        str_add_n(out, text + start - 1, at - start + 1);
    else
        str_add_char(out, ' ');
}

/* Inserts an item after the last one of a list or object. */
static void add_item(struct str *text, struct json_span last, const char *item)
{
    struct str added = {0};
    str_add_char(&added, ',');
    add_indent(text->data, last.start, &added);
    str_add(&added, item);
    json_edit_replace(text, (struct json_span){last.end, last.end}, added.data);
    str_done(&added);
}

void json_edit_append(struct str *text, struct json_span list, const char *value)
{
    struct json_span element;
    struct json_span last = {0};
    size_t at = list.start + 1;
    while (next_item(text->data, at, &element)) {
        last = element;
        at = element.end;
    }
    if (last.end > 0) {
        add_item(text, last, value);
        return;
    }
    struct str first = {0};
    str_addf(&first, "[\n    %s\n  ]", value);
    json_edit_replace(text, list, first.data);
    str_done(&first);
}

void json_edit_add_member(struct str *text, const char *key, const char *value)
{
    struct json_span root = json_edit_root(text->data);
    struct json_span name;
    struct json_span last = {0};
    size_t at = root.start + 1;
    while (next_item(text->data, at, &name)) {
        at = member_value(text->data, name).end;
        last = (struct json_span){name.start, at};
    }
    struct str member = {0};
    str_json_key(&member, key);
    str_addf(&member, " %s", value);
    if (last.end > 0) {
        add_item(text, last, member.data);
    } else {
        struct str object = {0};
        str_addf(&object, "{\n  %s\n}", member.data);
        json_edit_replace(text, root, object.data);
        str_done(&object);
    }
    str_done(&member);
}

/* Returns the end of the comment that begins at `at`; `at` if there is none. */
static size_t skip_comment(const struct str *text, size_t at)
{
    const char *from = text->data + at;
    if (strncmp(from, "//", 2) == 0)
        return at + strcspn(from, "\n");
    if (strncmp(from, "/*", 2) != 0)
        return at;
    const char *end = strstr(from + 2, "*/");
    return end ? (size_t)(end - text->data) + 2 : at; /* an unterminated comment is an error */
}

static size_t skip_jsonc_string(const struct str *text, size_t at)
{
    for (at++; at < text->len && text->data[at] != '"'; at++) {
        if (text->data[at] == '\\' && at + 1 < text->len)
            at++;
    }
    return at < text->len ? at + 1 : at;
}

/* Returns the first comma between `from` and `to` that is not in a comment; `to` if there is
 * none. There are no strings in between. */
static size_t find_comma(const struct str *text, size_t from, size_t to)
{
    while (from < to && text->data[from] != ',') {
        const size_t behind = skip_comment(text, from);
        from = behind > from ? behind : from + 1;
    }
    return from < to ? from : to;
}

static void blank_out(struct str *plain, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (!ascii_is_blank(plain->data[i]))
            plain->data[i] = ' ';
    }
}

static void make_plain(const struct str *text, struct str *out)
{
    static const char bom[] = "\xef\xbb\xbf";
    size_t comma = 0;  /* position of a comma that follows an item and that only blanks have
                          followed; 0 = none */
    char before = '{'; /* the last non-blank byte */
    size_t at = strncmp(text->data, bom, sizeof(bom) - 1) == 0 ? sizeof(bom) - 1 : 0;
    str_clear(out);
    str_add_n(out, text->data, text->len);
    blank_out(out, 0, at);
    while (at < text->len) {
        const char c = text->data[at];
        const size_t behind = skip_comment(text, at);
        if (behind > at) {
            blank_out(out, at, behind);
            at = behind;
            continue;
        }
        if ((c == ']' || c == '}') && comma > 0)
            out->data[comma] = ' ';
        if (!ascii_is_blank(c)) {
            comma = c == ',' && !strchr(",[{", before) ? at : 0;
            before = c;
        }
        at = c == '"' ? skip_jsonc_string(text, at) : at + 1;
    }
}

static bool parse_plain(struct jsonc *jsonc, struct err *err)
{
    struct json_place place = {0};
    struct err why = {0};
    json_free(jsonc->tree);
    jsonc->tree = NULL;
    make_plain(&jsonc->text, &jsonc->plain);
    if (!json_parse_data(jsonc->plain.data, jsonc->plain.len, &jsonc->tree, &place, &why))
        return err_set(err, ERR_INVALID, "line %d, column %d: %s", place.line, place.column,
                       why.message);
    return json_kind(jsonc->tree) == JSON_KIND_OBJECT ||
           err_set(err, ERR_INVALID, "expected an object, got %s", json_kind_name(jsonc->tree));
}

bool jsonc_open(struct jsonc *out, const struct str *text, struct err *err)
{
    *out = (struct jsonc){0};
    const char *bytes = str_text(text);
    if (strlen(bytes) != text->len)
        return err_set(err, ERR_INVALID, "contains a NUL byte");
    str_add(&out->text, bytes[strspn(bytes, " \t\r\n")] == '\0' ? "{}\n" : bytes);
    return parse_plain(out, err);
}

void jsonc_close(struct jsonc *jsonc)
{
    json_free(jsonc->tree);
    str_done(&jsonc->text);
    str_done(&jsonc->plain);
    *jsonc = (struct jsonc){0};
}

/* Parses the text again after our own change, which keeps it valid. */
static void parse_again(struct jsonc *jsonc)
{
    const bool ok = parse_plain(jsonc, NULL);
    assert(ok);
    (void)ok;
}

/* Returns the blanks at the start of the line of `at`. */
static struct json_span line_indent(const struct str *text, size_t at)
{
    size_t start = at;
    while (start > 0 && text->data[start - 1] != '\n')
        start--;
    return (struct json_span){start, start + strspn(text->data + start, " \t")};
}

static void add_span(const struct str *text, struct json_span span, struct str *out)
{
    str_add_n(out, text->data + span.start, span.end - span.start);
}

/* The formatting of new items. */
struct layout {
    bool has_lines;
    const char *feed;    /* "\n" or "\r\n" */
    struct str step;     /* owned; one level of indentation */
    struct str indent;   /* owned; indentation of the new item */
    struct str at_close; /* owned; indentation of the closing bracket's line */
};

/* Finds the last item of the container; false if it has none. */
static bool last_item(const struct jsonc *jsonc, struct json_span container, struct json_span *out)
{
    const char *plain = jsonc->plain.data;
    const bool is_list = plain[container.start] == '[';
    struct json_span item = {0};
    struct json_member member;
    size_t count = 0;
    if (is_list) {
        while (json_edit_element(plain, container, count, &item))
            count++;
    } else {
        for (; json_edit_member_at(plain, container, count, &member); count++)
            item = (struct json_span){member.name.start, member.value.end};
    }
    if (count > 0)
        *out = item;
    return count > 0;
}

static bool has_feed(const struct str *text, size_t from, size_t to)
{
    return memchr(text->data + from, '\n', to - from) != NULL;
}

static struct layout find_layout(const struct jsonc *jsonc, struct json_span container,
                                 const struct json_span *last)
{
    const struct str *text = &jsonc->text;
    const char *feed = strchr(text->data, '\n');
    struct layout layout = {.feed = "\n"};
    const size_t len = text->len;
    layout.has_lines = feed && (last ? has_feed(text, container.start, last->start) ||
                                           has_feed(text, last->end, container.end)
                                     : feed < text->data + len - 1 || container.start == 0);
    if (feed && feed > text->data && feed[-1] == '\r')
        layout.feed = "\r\n";
    /* if the first member is on a line of its own, its indentation is one level */
    struct json_member first;
    const struct json_span root = json_edit_root(jsonc->plain.data);
    const bool has_one = json_edit_member_at(jsonc->plain.data, root, 0, &first);
    const struct json_span indent =
        has_one ? line_indent(text, first.name.start) : (struct json_span){0};
    if (has_one && indent.end == first.name.start && indent.end > indent.start)
        add_span(text, indent, &layout.step);
    else
        str_add(&layout.step, "  ");
    add_span(text, line_indent(text, container.start), &layout.at_close);
    if (last)
        add_span(text, line_indent(text, last->start), &layout.indent);
    else
        str_addf(&layout.indent, "%s%s", str_text(&layout.at_close), str_text(&layout.step));
    return layout;
}

static void add_laid_out_item(const struct layout *layout, const char *item, struct str *out)
{
    for (; *item != '\0'; item++) {
        if (*item == '\n' && layout->has_lines)
            str_addf(out, "%s%s", layout->feed, str_text(&layout->indent));
        else if (*item == '\t' && layout->has_lines)
            str_add(out, str_text(&layout->step));
        else if (*item != '\n' && *item != '\t')
            str_add_char(out, *item);
    }
}

void jsonc_add(struct jsonc *jsonc, struct json_span container, const char *item)
{
    struct json_span last = {0};
    const bool has_items = last_item(jsonc, container, &last);
    struct layout layout = find_layout(jsonc, container, has_items ? &last : NULL);
    struct str added = {0};
    size_t close = container.end - 1;
    /* If the last item ends in a comma, so does the new last item. */
    const bool ends_in_comma = has_items && find_comma(&jsonc->text, last.end, close) < close;
    if (has_items && !ends_in_comma) {
        json_edit_replace(&jsonc->text, (struct json_span){last.end, last.end}, ",");
        close++;
    }
    size_t tail = close; /* the end of the last item or comment */
    while (ascii_is_blank(jsonc->text.data[tail - 1]))
        tail--;
    if (layout.has_lines)
        add_laid_out_item(&layout, "\n", &added);
    else if (has_items)
        str_add_char(&added, ' ');
    add_laid_out_item(&layout, item, &added);
    if (ends_in_comma)
        str_add_char(&added, ',');
    const bool close_follows = layout.has_lines && !has_feed(&jsonc->text, tail, close);
    if (close_follows && !has_items)
        str_addf(&added, "%s%s", layout.feed, str_text(&layout.at_close));
    json_edit_replace(&jsonc->text,
                      (struct json_span){tail, close_follows && !has_items ? close : tail},
                      str_text(&added));
    str_done(&added);
    str_done(&layout.step);
    str_done(&layout.indent);
    str_done(&layout.at_close);
    parse_again(jsonc);
}

/* Returns the comma that is removed with an item: the next comma, or else the previous one. */
static size_t removal_comma(const struct jsonc *jsonc, struct json_span container,
                            struct json_span item)
{
    const size_t close = container.end - 1;
    size_t next = item.end;
    while (ascii_is_blank(jsonc->plain.data[next]))
        next++;
    const size_t behind = find_comma(&jsonc->text, item.end, next < close ? next + 1 : close);
    if (jsonc->text.data[behind] == ',' && behind < close)
        return behind;
    for (size_t at = item.start; at > container.start; at--) {
        if (jsonc->plain.data[at - 1] == ',')
            return at - 1;
        if (!ascii_is_blank(jsonc->plain.data[at - 1]))
            break;
    }
    return close;
}

/* Returns whether a comment extends to the line feed at `feed`. */
static bool ends_comment(const struct jsonc *jsonc, size_t feed)
{
    const char *text = jsonc->text.data;
    for (size_t at = feed; at > 1 && text[at - 1] != '\n'; at--) {
        if (text[at - 1] == '/' && text[at - 2] == '/')
            return true;
        if (!ascii_is_blank(jsonc->plain.data[at - 1]))
            return false;
    }
    return false;
}

/* Returns where the removal of an item starts: at the line feed and blanks before it, unless the
 * rest of its line would become part of a comment. */
static size_t removal_start(const struct jsonc *jsonc, struct json_span container,
                            struct json_span item)
{
    const char *text = jsonc->text.data;
    size_t start = item.start;
    while (start > container.start + 1 && (text[start - 1] == ' ' || text[start - 1] == '\t'))
        start--;
    if (start == container.start + 1 || text[start - 1] != '\n')
        return start;
    size_t end = item.end; /* end of the item's line, if only a comma follows the item */
    while (text[end] != '\n' && (ascii_is_blank(text[end]) || text[end] == ','))
        end++;
    if (ends_comment(jsonc, start - 1) && text[end] != '\n')
        return start;
    return start - (start > container.start + 2 && text[start - 2] == '\r' ? 2 : 1);
}

void jsonc_remove(struct jsonc *jsonc, struct json_span container, struct json_span item)
{
    const size_t close = container.end - 1;
    const size_t comma = removal_comma(jsonc, container, item);
    const bool has_comma = comma < close;
    const size_t start = removal_start(jsonc, container, item);
    if (has_comma && comma >= item.end)
        json_edit_replace(&jsonc->text, (struct json_span){comma, comma + 1}, "");
    json_edit_replace(&jsonc->text, (struct json_span){start, item.end}, "");
    if (has_comma && comma < item.start)
        json_edit_replace(&jsonc->text, (struct json_span){comma, comma + 1}, "");
    size_t end = container.start + 1;
    while (ascii_is_blank(jsonc->text.data[end]))
        end++;
    if (strchr("]}", jsonc->text.data[end]))
        json_edit_replace(&jsonc->text, (struct json_span){container.start + 1, end}, "");
    parse_again(jsonc);
}
