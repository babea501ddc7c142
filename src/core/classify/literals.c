#include "literals.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "xalloc.h"

enum { ROOT = 0 };
static_assert(LITERALS_NODES_MAX < LITERALS_END, "a node and the mark fit into 16 bits");

static unsigned char lower(unsigned char c)
{
    return ascii_is_upper(c) ? (unsigned char)(c + ('a' - 'A')) : c;
}

static unsigned char upper(unsigned char c)
{
    return ascii_is_lower(c) ? (unsigned char)(c - ('a' - 'A')) : c;
}

static int32_t *next_of(const struct literals *literals, size_t node, int class)
{
    return &literals->next[node * LITERALS_CLASSES_MAX + (size_t) class];
}

static int32_t add_node(struct literals *literals)
{
    const size_t node = literals->nodes++;
    if (literals->nodes > literals->nodes_cap) {
        size_t cap = literals->nodes_cap;
        const size_t row = LITERALS_CLASSES_MAX * sizeof(*literals->next);
        literals->next = xgrow(literals->next, &cap, literals->nodes, row);
        cap = literals->nodes_cap;
        literals->literal =
            xgrow(literals->literal, &cap, literals->nodes, sizeof(*literals->literal));
        literals->also =
            xgrow(literals->also, &literals->nodes_cap, literals->nodes, sizeof(*literals->also));
    }
    memset(next_of(literals, node, 0), 0, LITERALS_CLASSES_MAX * sizeof(*literals->next));
    literals->literal[node] = LITERAL_NONE;
    literals->also[node] = ROOT;
    return (int32_t)node;
}

void literals_init(struct literals *literals)
{
    *literals = (struct literals){.classes = 1};
    (void)add_node(literals);
}

void literals_done(struct literals *literals)
{
    free(literals->next);
    free(literals->table);
    free(literals->literal);
    free(literals->also);
    *literals = (struct literals){0};
}

static int class_for(struct literals *literals, unsigned char c)
{
    c = lower(c);
    if (literals->class_of[c] == 0) {
        assert(literals->classes < LITERALS_CLASSES_MAX);
        literals->class_of[c] = (uint8_t)literals->classes;
        literals->class_of[upper(c)] = (uint8_t)literals->classes;
        literals->classes++;
    }
    return literals->class_of[c];
}

int literals_add(struct literals *literals, const char *word)
{
    const size_t len = strlen(word);
    assert(len > 0);
    assert(!strchr(word, '\n'));
    if (literals->nodes + len > LITERALS_NODES_MAX ||
        (size_t)literals->classes + len > LITERALS_CLASSES_MAX)
        return LITERAL_NONE;

    size_t node = ROOT;
    for (size_t i = 0; i < len; i++) {
        const int class = class_for(literals, (unsigned char)word[i]);
        if (*next_of(literals, node, class) == ROOT) {
            const int32_t made = add_node(literals); /* may move the tables */
            *next_of(literals, node, class) = made;
        }
        node = (size_t)*next_of(literals, node, class);
    }
    if (literals->literal[node] == LITERAL_NONE)
        literals->literal[node] = literals->count++;
    return literals->literal[node];
}

/* The edges of one node, once the shorter ones are complete: an edge that is
 * missing is that of its longest proper ending. */
static void complete_node(struct literals *literals, size_t node, int32_t *ending, int32_t *queue,
                          size_t *queued)
{
    const size_t own = (size_t)ending[node];
    literals->also[node] =
        literals->literal[own] != LITERAL_NONE ? (int32_t)own : literals->also[own];
    for (int class = 1; class < literals->classes; class ++) {
        int32_t *edge = next_of(literals, node, class);
        const int32_t shorter = node == ROOT ? ROOT : *next_of(literals, own, class);
        if (*edge == ROOT) {
            *edge = shorter;
        } else {
            ending[*edge] = shorter;
            queue[(*queued)++] = *edge;
        }
    }
}

static void build_table(struct literals *literals)
{
    const size_t classes = (size_t)literals->classes;
    literals->table = xcalloc(literals->nodes * classes, sizeof(*literals->table));
    for (size_t node = 0; node < literals->nodes; node++) {
        for (int class = 0; class < literals->classes; class ++) {
            const size_t to = (size_t)*next_of(literals, node, class);
            const bool ends = literals->literal[to] != LITERAL_NONE || literals->also[to] != ROOT;
            literals->table[node * classes + (size_t) class] =
                (uint16_t)(to | (ends ? LITERALS_END : 0));
        }
    }
    free(literals->next);
    literals->next = NULL;
}

void literals_build(struct literals *literals)
{
    int32_t *ending = xcalloc(literals->nodes, sizeof(*ending));
    int32_t *queue = xcalloc(literals->nodes, sizeof(*queue));
    size_t queued = 0;
    queue[queued++] = ROOT;
    for (size_t i = 0; i < queued; i++)
        complete_node(literals, (size_t)queue[i], ending, queue, &queued);
    assert(queued == literals->nodes);
    free(ending);
    free(queue);
    build_table(literals);
}

void literals_scan(const struct literals *literals, const char *bytes, size_t len,
                   literals_hit_fn *hit, void *ctx)
{
    const size_t classes = (size_t)literals->classes;
    size_t node = ROOT;
    for (size_t i = 0; i < len; i++) {
        const size_t to =
            literals->table[node * classes + literals->class_of[(unsigned char)bytes[i]]];
        node = to & (LITERALS_END - 1);
        if (to == node)
            continue;
        size_t end = literals->literal[node] != LITERAL_NONE ? node : (size_t)literals->also[node];
        for (; end != ROOT; end = (size_t)literals->also[end])
            hit(ctx, literals->literal[end]);
    }
}
