/*
 * fingerprint_json.h - the hash of a JSON value without what moves by itself. Private to
 * the fingerprint.
 */
#ifndef DEVS_FINGERPRINT_JSON_H
#define DEVS_FINGERPRINT_JSON_H

#include "canonical.h"
#include "normaliser.h"

/* SHA-256 of the canonical text in which the tokens of each member and element are masked;
 * with `words` (NULL: none), the call's own words too. Where nothing is masked, this is
 * canonical_hash(): blanks inside of strings count. */
void fingerprint_json_hash(const struct json *json, const struct normaliser_words *words,
                           unsigned char out[CANONICAL_HASH_BYTES]);

#endif
