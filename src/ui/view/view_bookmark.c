#include "view_bookmark.h"

#include "view.h"

const struct bookmark *view_bookmark_here(const struct view_facts *facts)
{
    for (size_t i = 0; i < facts->bookmark_count; i++) {
        const struct bookmark *bookmark = &facts->bookmarks[i];
        if (bookmark->seq == facts->state->last_seq && bookmark->at_ms == facts->now.at_ms)
            return bookmark;
    }
    return NULL;
}

struct view_todo view_bookmark(struct view *view, const struct view_facts *facts)
{
    const struct bookmark *here = view_bookmark_here(facts);
    if (here)
        return (struct view_todo){.kind = VIEW_UNBOOKMARK, .bookmark = here->id};
    line_edit_clear(&view->bookmark);
    line_edit_open(&view->bookmark);
    return (struct view_todo){.kind = VIEW_DRAW};
}

struct view_todo view_bookmark_key(struct view *view, uint32_t key)
{
    const bool is_kept = line_edit_key(&view->bookmark, key) == LINE_EDIT_KEPT;
    return (struct view_todo){.kind = is_kept ? VIEW_BOOKMARK : VIEW_DRAW};
}
