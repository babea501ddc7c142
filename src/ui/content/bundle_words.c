#include "bundle_words.h"

#include "shown.h"
#include "size_text.h"
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

void bundle_words(const struct bundle_contents *contents, const char *file, bool is_whole,
                  struct str *out)
{
    struct str words = {0};
    write_words(contents, file, is_whole, &words);
    text_clean(out, str_text(&words), words.len);
    str_done(&words);
}
