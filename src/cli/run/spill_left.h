/*
 * spill_left.h - telling the person that the end of a run is in a spill (store/spill.h).
 */
#ifndef DEVS_SPILL_LEFT_H
#define DEVS_SPILL_LEFT_H

#include <stdint.h>

#include "log_writer.h"
#include "place.h"

/* The uid of a run while its log can still be read; "" where it cannot. */
void spill_left_uid(const struct place *place, int64_t run, char out[LOG_UID_MAX]);

/* After the run: what its log lacks, and how to bring it in, on stderr; nothing if its log has
 * everything. */
void spill_left_tell(const struct place *place, const char *uid);

#endif
