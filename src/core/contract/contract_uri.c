#include "contract_uri.h"

#include <string.h>

#include "ascii.h"
#include "parse.h"

struct part {
    const char *text;
    size_t len;
    bool is_there;
};

struct uri {
    struct part scheme, authority, path, query, fragment;
};

static struct part part_of(const char *text, size_t len)
{
    return (struct part){.text = text, .len = len, .is_there = true};
}

/* Length of "scheme:" without the colon; 0 if there is none. */
static size_t scheme_len(const char *text)
{
    static const char chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789+-.";
    const size_t len = strspn(text, chars);
    return ascii_is_letter(text[0]) && text[len] == ':' ? len : 0;
}

static struct uri parse(const char *text)
{
    struct uri uri = {0};
    const size_t scheme = scheme_len(text);
    if (scheme > 0) {
        uri.scheme = part_of(text, scheme);
        text += scheme + 1;
    }
    if (strncmp(text, "//", 2) == 0) {
        uri.authority = part_of(text + 2, strcspn(text + 2, "/?#"));
        text += 2 + uri.authority.len;
    }
    uri.path = part_of(text, strcspn(text, "?#"));
    text += uri.path.len;
    if (*text == '?') {
        uri.query = part_of(text + 1, strcspn(text + 1, "#"));
        text += 1 + uri.query.len;
    }
    if (*text == '#')
        uri.fragment = part_of(text + 1, strlen(text + 1));
    return uri;
}

static size_t directory_len(struct part path)
{
    size_t len = path.len;
    while (len > 0 && path.text[len - 1] != '/')
        len--;
    return len;
}

/* Take the last segment, with the '/' before it, off what was written since `start`. */
static void drop_segment(struct str *out, size_t start)
{
    size_t len = out->len;
    while (len > start && out->data[len - 1] != '/')
        len--;
    len -= len > start ? 1 : 0;
    if (out->data) {
        out->data[len] = '\0';
        out->len = len;
    }
}

/* RFC 3986, 5.2.4, with one segment and the '/' before it at a time. A path that begins without
 * a '/' gets none. */
static void add_without_dots(struct str *out, const char *path, size_t len)
{
    const size_t start = out->len;
    size_t at = 0;
    while (at < len) {
        const size_t slash = path[at] == '/' ? 1 : 0;
        size_t end = at + slash;
        while (end < len && path[end] != '/')
            end++;
        const char *name = path + at + slash;
        const size_t name_len = end - at - slash;
        const bool is_up = name_len == 2 && memcmp(name, "..", 2) == 0;
        const bool is_here = name_len == 1 && *name == '.';
        if (is_up)
            drop_segment(out, start);
        const size_t skipped = out->len == start && path[0] != '/' ? slash : 0;
        if (!is_up && !is_here)
            str_add_n(out, path + at + skipped, end - at - skipped);
        else if (end == len && slash == 1)
            str_add_n(out, "/", 1 - skipped);
        at = end;
    }
}

static void add_path(struct str *out, const struct uri *base, const struct uri *reference)
{
    struct str whole = {0};
    if (reference->path.len == 0) {
        str_add_n(&whole, base->path.text, base->path.len);
    } else if (reference->path.text[0] == '/') {
        str_add_n(&whole, reference->path.text, reference->path.len);
    } else {
        const bool is_bare = base->authority.is_there && base->path.len == 0;
        str_add(&whole, is_bare ? "/" : "");
        str_add_n(&whole, base->path.text, directory_len(base->path));
        str_add_n(&whole, reference->path.text, reference->path.len);
    }
    add_without_dots(out, str_text(&whole), whole.len);
    str_done(&whole);
}

static void add_part(struct str *out, const char *before, struct part part, const char *behind)
{
    if (!part.is_there)
        return;
    str_add(out, before);
    str_add_n(out, part.text, part.len);
    str_add(out, behind);
}

static void add_resolved(struct str *out, const struct uri *base, const struct uri *reference)
{
    if (reference->scheme.is_there || reference->authority.is_there) {
        const struct uri *from = reference->scheme.is_there ? reference : base;
        add_part(out, "", from->scheme, ":");
        add_part(out, "//", reference->authority, "");
        add_without_dots(out, reference->path.text, reference->path.len);
        add_part(out, "?", reference->query, "");
        return;
    }
    add_part(out, "", base->scheme, ":");
    add_part(out, "//", base->authority, "");
    add_path(out, base, reference);
    const bool keeps_query = reference->path.len == 0 && !reference->query.is_there;
    add_part(out, "?", keeps_query ? base->query : reference->query, "");
}

/* No key holds U+0000, so its code stays as it is. */
static void add_decoded(struct str *out, struct part part)
{
    for (size_t i = 0; i < part.len; i++) {
        const bool is_code = part.text[i] == '%' && i + 2 < part.len;
        const int high = is_code ? parse_hex_digit(part.text[i + 1]) : -1;
        const int low = is_code ? parse_hex_digit(part.text[i + 2]) : -1;
        if (high < 0 || low < 0 || high + low == 0) {
            str_add_char(out, part.text[i]);
            continue;
        }
        str_add_char(out, (char)(high * 16 + low));
        i += 2;
    }
}

bool contract_uri_resolve(const char *base, const char *reference, struct str *out,
                          struct str *fragment)
{
    if (strlen(reference) > CONTRACT_URI_MAX)
        return false;
    const struct uri from = parse(base);
    const struct uri to = parse(reference);
    const size_t start = out->len;
    add_resolved(out, &from, &to);
    add_decoded(fragment, to.fragment);
    return out->len - start <= CONTRACT_URI_MAX;
}
