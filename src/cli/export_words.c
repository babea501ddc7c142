#include "export.h"

#include <string.h>

#include "shown.h"
#include "size_text.h"
#include "str.h"
#include "text.h"

static void add_cut(const struct bundle_cut *cut, const char *name, struct str *out)
{
    str_addf(out, "  %-24s", name);
    if (cut->recorded > 0)
        str_addf(out, "  %lld cut when it was recorded", (long long)cut->recorded);
    if (cut->now > 0)
        str_addf(out, "%s%lld more cut now", cut->recorded > 0 ? ", " : "  ", (long long)cut->now);
    str_add_char(out, '\n');
}

static void write_parts(const struct bundle_contents *contents, struct str *out)
{
    str_add(out, "in it: the plan, the rules, ");
    shown_count(contents->tasks, "task, ", "tasks, ", out);
    shown_count(contents->attempts, "try, ", "tries, ", out);
    shown_count(contents->events, "event, ", "events, ", out);
    shown_count(contents->captures, "capture, ", "captures, ", out);
    shown_count(contents->controls, "act, ", "acts, ", out);
    if (contents->bookmarks > 0)
        shown_count(contents->bookmarks, "bookmark, ", "bookmarks, ", out);
    size_text_add(contents->output_bytes, out);
    str_add(out, " of output\n");
}

static void write_words(const struct bundle_contents *contents, const char *file, bool is_whole,
                        struct str *out)
{
    str_addf(out, "run #%lld as %s, ", (long long)contents->run, file);
    size_text_add(contents->bytes, out);
    str_add_char(out, '\n');
    if (is_whole)
        write_parts(contents, out);
    if (contents->cut_count == 0) {
        str_add(out,
                "secrets: none was found, neither then nor now. What no variable and no known\n"
                "form gives away is not found: look before you hand it on\n");
        return;
    }
    str_add(out, "secrets that were cut (their values are in no byte of it):\n");
    for (int i = 0; i < contents->cut_count; i++)
        add_cut(&contents->cuts[i], contents->cuts[i].name, out);
    if (contents->other_cuts.recorded + contents->other_cuts.now > 0)
        add_cut(&contents->other_cuts, "others", out);
}

static void write_cut(const struct bundle_cut *cut, const char *name, struct str *out)
{
    str_json_key(out, name);
    str_add_char(out, '{');
    str_json_i64(out, "recorded", cut->recorded);
    str_json_i64(out, "now", cut->now);
    str_add_char(out, '}');
}

static void write_json(const struct bundle_contents *contents, const char *file, struct str *out)
{
    str_add_char(out, '{');
    str_json_i64(out, "v", 1);
    str_json_i64(out, "run", contents->run);
    str_json_text(out, "file", file);
    str_json_i64(out, "bytes", contents->bytes);
    str_json_i64(out, "tasks", contents->tasks);
    str_json_i64(out, "attempts", contents->attempts);
    str_json_i64(out, "events", contents->events);
    str_json_i64(out, "captures", contents->captures);
    str_json_i64(out, "controls", contents->controls);
    str_json_i64(out, "bookmarks", contents->bookmarks);
    str_json_i64(out, "output_bytes", contents->output_bytes);
    str_json_key(out, "secrets");
    str_add_char(out, '{');
    for (int i = 0; i < contents->cut_count; i++)
        write_cut(&contents->cuts[i], contents->cuts[i].name, out);
    if (contents->other_cuts.recorded + contents->other_cuts.now > 0)
        write_cut(&contents->other_cuts, "...", out);
    str_add(out, "}}\n");
}

void export_show(const struct bundle_contents *contents, const char *file,
                 const struct export_words *words, FILE *to)
{
    struct str text = {0};
    struct str clean = {0};
    const bool is_whole = strcmp(words->format, "bundle") == 0; /* the others are made of it */
    if (words->json) {
        write_json(contents, file, &text);
        (void)fputs(str_text(&text), to);
    } else {
        write_words(contents, file, is_whole, &text);
        text_clean(&clean, str_text(&text), text.len);
        (void)fputs(str_text(&clean), to);
    }
    (void)fflush(to);
    str_done(&text);
    str_done(&clean);
}
