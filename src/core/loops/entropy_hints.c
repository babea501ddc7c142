#include "entropy_hints.h"

#include <stdbool.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"

enum { LINE_BYTES = 256 };

/* Sorted: the first of a letter is looked up. Compared in lower case, whole words. */
static const struct {
    const char *phrase;
    unsigned hints;
} phrases[] = {
    {"0 files", HINT_EMPTY},
    {"0 found", HINT_EMPTY},
    {"0 hits", HINT_EMPTY},
    {"0 matches", HINT_EMPTY},
    {"0 replacements", HINT_NO_CHANGE},
    {"0 results", HINT_EMPTY},
    {"0 rows", HINT_EMPTY},
    {"0 tests", HINT_EMPTY},
    {"401", CAUSE_FORBIDDEN},
    {"403", CAUSE_FORBIDDEN},
    {"407", CAUSE_FORBIDDEN},
    {"429", HINT_PASSES},
    {"502", HINT_PASSES},
    {"503", HINT_PASSES},
    {"504", HINT_PASSES},
    {"access denied", CAUSE_DENIED},
    {"access is denied", CAUSE_DENIED},
    {"accessdenied", CAUSE_FORBIDDEN},
    {"added", HINT_ACK},
    {"already", HINT_NO_CHANGE},
    {"are you root", CAUSE_DENIED},
    {"authentication failed", CAUSE_FORBIDDEN},
    {"authentication failure", CAUSE_DENIED},
    {"authentication required", CAUSE_FORBIDDEN},
    {"bad credentials", CAUSE_FORBIDDEN},
    {"bad request", HINT_TROUBLE},
    {"blocked", HINT_TROUBLE},
    {"building", HINT_BUSY},
    {"can't", HINT_TROUBLE},
    {"can't connect", CAUSE_REFUSED},
    {"can't resolve", CAUSE_NAME},
    {"cannot", HINT_TROUBLE},
    {"cannot connect", HINT_HOPELESS | CAUSE_REFUSED},
    {"cannot resolve", CAUSE_NAME},
    {"certificate is not trusted", CAUSE_CERTIFICATE},
    {"certificate problem", CAUSE_CERTIFICATE},
    {"certificate signed by unknown authority", CAUSE_CERTIFICATE},
    {"certificate verify failed", CAUSE_CERTIFICATE},
    {"command not found", HINT_MISSING},
    {"completed", HINT_OVER},
    {"connecting", HINT_BUSY},
    {"connection refused", CAUSE_REFUSED},
    {"containercreating", HINT_PENDING},
    {"could not connect", CAUSE_REFUSED},
    {"could not find", HINT_EMPTY},
    {"could not resolve", CAUSE_NAME},
    {"couldn't connect", HINT_PASSES | CAUSE_REFUSED},
    {"couldn't resolve", CAUSE_NAME},
    {"created", HINT_ACK},
    {"deleted", HINT_ACK},
    {"denied", HINT_HOPELESS},
    {"disk full", CAUSE_FULL},
    {"disk quota exceeded", CAUSE_FULL},
    {"does not exist", HINT_EMPTY | HINT_HOPELESS},
    {"done", HINT_OVER | HINT_ACK},
    {"eacces", CAUSE_DENIED},
    {"eai_again", CAUSE_NAME},
    {"econnrefused", CAUSE_REFUSED},
    {"ehostunreach", CAUSE_UNREACHABLE},
    {"enetunreach", CAUSE_UNREACHABLE},
    {"enospc", CAUSE_FULL},
    {"enotfound", CAUSE_NAME},
    {"eperm", CAUSE_DENIED},
    {"erofs", CAUSE_READ_ONLY},
    {"errno 1", CAUSE_DENIED},
    {"errno 111", CAUSE_REFUSED},
    {"errno 13", CAUSE_DENIED},
    {"errno 28", CAUSE_FULL},
    {"errno 30", CAUSE_READ_ONLY},
    {"error", HINT_TROUBLE},
    {"exception", HINT_TROUBLE},
    {"exited", HINT_OVER},
    {"failed", HINT_OVER},
    {"failed to connect", HINT_PASSES | CAUSE_REFUSED},
    {"failed to resolve", CAUSE_NAME},
    {"failed to verify certificate", CAUSE_CERTIFICATE},
    {"failure resolving", CAUSE_NAME},
    {"fatal", HINT_TROUBLE},
    {"finished", HINT_OVER},
    {"forbidden", HINT_HOPELESS | CAUSE_FORBIDDEN},
    {"getaddrinfo", CAUSE_NAME},
    {"identical", HINT_NO_CHANGE},
    {"in progress", HINT_PENDING},
    {"in_progress", HINT_PENDING},
    {"initializing", HINT_BUSY},
    {"insufficient privilege", CAUSE_DENIED},
    {"insufficient privileges", CAUSE_DENIED},
    {"invalid", HINT_HOPELESS},
    {"invalid credentials", CAUSE_FORBIDDEN},
    {"invalid peer certificate", CAUSE_CERTIFICATE},
    {"local issuer certificate", CAUSE_CERTIFICATE},
    {"must be root", CAUSE_DENIED},
    {"name or service not known", CAUSE_NAME},
    {"name resolution", CAUSE_NAME},
    {"network is unreachable", CAUSE_UNREACHABLE},
    {"no address associated", CAUSE_NAME},
    {"no change", HINT_NO_CHANGE},
    {"no changes", HINT_NO_CHANGE},
    {"no data", HINT_EMPTY},
    {"no entries", HINT_EMPTY},
    {"no files", HINT_EMPTY},
    {"no hits", HINT_EMPTY},
    {"no match", HINT_EMPTY | HINT_NO_CHANGE},
    {"no matches", HINT_EMPTY | HINT_NO_CHANGE},
    {"no new output", HINT_PENDING},
    {"no output yet", HINT_PENDING},
    {"no records", HINT_EMPTY},
    {"no results", HINT_EMPTY},
    {"no route to host", CAUSE_UNREACHABLE},
    {"no space left", CAUSE_FULL},
    {"no such", HINT_EMPTY | HINT_HOPELESS},
    {"no such host", CAUSE_NAME},
    {"no test", HINT_EMPTY},
    {"no tests", HINT_EMPTY},
    {"nodename nor servname", CAUSE_NAME},
    {"not authorized", CAUSE_FORBIDDEN | CAUSE_DENIED},
    {"not enough space", CAUSE_FULL},
    {"not found", HINT_EMPTY | HINT_HOPELESS},
    {"not permitted", CAUSE_DENIED},
    {"not ready", HINT_PENDING},
    {"not yet", HINT_PENDING},
    {"nothing found", HINT_EMPTY},
    {"nothing matched", HINT_EMPTY},
    {"nothing to", HINT_NO_CHANGE},
    {"nxdomain", CAUSE_NAME},
    {"ok", HINT_ACK},
    {"operation not permitted", CAUSE_DENIED},
    {"password is required", CAUSE_DENIED},
    {"pending", HINT_PENDING},
    {"permission denied", CAUSE_DENIED},
    {"processing", HINT_BUSY},
    {"proxy authentication required", CAUSE_FORBIDDEN},
    {"queued", HINT_PENDING},
    {"rate limit", HINT_PASSES},
    {"read-only file system", CAUSE_READ_ONLY},
    {"refused", HINT_PASSES},
    {"removed", HINT_ACK},
    {"reset by peer", HINT_PASSES},
    {"running", HINT_PENDING},
    {"saved", HINT_ACK},
    {"self signed certificate", CAUSE_CERTIFICATE},
    {"self-signed certificate", CAUSE_CERTIFICATE},
    {"self_signed_cert_in_chain", CAUSE_CERTIFICATE},
    {"server can't find", CAUSE_NAME},
    {"server certificate verification failed", CAUSE_CERTIFICATE},
    {"starting", HINT_BUSY},
    {"still", HINT_PENDING},
    {"succeeded", HINT_OVER},
    {"success", HINT_ACK},
    {"successfully", HINT_ACK},
    {"temporarily", HINT_PASSES},
    {"timed out", HINT_PASSES},
    {"timeout", HINT_PASSES},
    {"traceback", HINT_TROUBLE},
    {"try again", HINT_PASSES},
    {"unable to", HINT_TROUBLE},
    {"unable to connect", CAUSE_REFUSED},
    {"unable to resolve", CAUSE_NAME},
    {"unable_to_get_issuer_cert_locally", CAUSE_CERTIFICATE},
    {"unable_to_verify_leaf_signature", CAUSE_CERTIFICATE},
    {"unauthenticated", CAUSE_FORBIDDEN},
    {"unauthorized", HINT_HOPELESS | CAUSE_FORBIDDEN},
    {"unchanged", HINT_NO_CHANGE},
    {"unknown", HINT_HOPELESS},
    {"unknown host", CAUSE_NAME},
    {"unknownissuer", CAUSE_CERTIFICATE},
    {"unreachable", HINT_PASSES},
    {"up to date", HINT_NO_CHANGE},
    {"up-to-date", HINT_NO_CHANGE},
    {"updated", HINT_ACK},
    {"waiting", HINT_BUSY},
    {"written", HINT_ACK},
    {"wrote", HINT_ACK},
};

static bool is_word(char c)
{
    return ascii_is_lower(c) || ascii_is_digit(c) || c == '_';
}

/* Index of the first phrase that begins with this byte or a later one. */
static size_t first_of(char letter)
{
    size_t low = 0;
    size_t high = ARRAY_LEN(phrases);
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (phrases[middle].phrase[0] < letter)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static unsigned hints_at(const char *text, size_t len)
{
    unsigned hints = 0;
    for (size_t i = first_of(text[0]); i < ARRAY_LEN(phrases); i++) {
        const char *phrase = phrases[i].phrase;
        if (phrase[0] != text[0])
            break;
        const size_t phrase_len = strlen(phrase);
        const bool fits = phrase_len <= len && memcmp(phrase, text, phrase_len) == 0;
        if (fits && (phrase_len == len || !is_word(text[phrase_len])))
            hints |= phrases[i].hints;
    }
    return hints;
}

/* "Running 5 tests", "server running on port 80": what a command says of its own work is no
 * state that somebody looks at. */
static bool is_own_work(const char *line, size_t at, size_t len)
{
    static const char running[] = "running";
    static const char *const places[] = {" on ", " at ", " in ", " as "};
    const size_t word = sizeof(running) - 1;
    if (len - at <= word || memcmp(line + at, running, word) != 0 || line[at + word] != ' ')
        return false;
    const char next = len - at > word + 1 ? line[at + word + 1] : '\0';
    bool own = at == 0 || ascii_is_digit(next);
    for (size_t i = 0; i < ARRAY_LEN(places) && !own; i++)
        own = len - at >= word + 4 && memcmp(line + at + word, places[i], 4) == 0;
    return own;
}

/* A list of nothing, in a result that is JSON. */
static bool has_empty_list(const char *line, size_t len)
{
    if (len == 0 || (line[0] != '{' && line[0] != '['))
        return false;
    for (size_t i = 0; i + 1 < len; i++)
        if (line[i] == '[' && line[i + 1] == ']')
            return true;
    return false;
}

unsigned entropy_hints(const char *line, size_t len)
{
    char lower[LINE_BYTES];
    unsigned hints = 0;
    const size_t kept = len < LINE_BYTES ? len : LINE_BYTES;
    for (size_t i = 0; i < kept; i++)
        lower[i] = ascii_is_upper(line[i]) ? (char)(line[i] | 0x20) : line[i];
    for (size_t i = 0; i < kept; i++)
        if (is_word(lower[i]) && (i == 0 || !is_word(lower[i - 1])))
            hints |=
                is_own_work(lower, i, kept) ? (unsigned)HINT_BUSY : hints_at(lower + i, kept - i);
    return hints | (has_empty_list(lower, kept) ? (unsigned)HINT_EMPTY : 0);
}
