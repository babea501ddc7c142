/* The word search of the shop. It does not compile, and is meant not to. */
#include <string.h>

struct page {
    const char *title;
    int hits;
};

int count_hits(const struct page *pages, int page_count, const char *word)
{
    int hits = 0;
    for (int i = 0; i < page_count; i++) {
        if (strstr(pages[i].titel, word))
            hits += pages[i].hits
    }
    return hits;
}
