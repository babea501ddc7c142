/*
 * doctor_log.h - for `devs doctor`: is there a run log, can it be read and written, and what does
 * it lie on. Makes nothing. Any thread.
 */
#ifndef DEVS_DOCTOR_LOG_H
#define DEVS_DOCTOR_LOG_H

#include "doctor.h"

/* `db` as in --db, or NULL; `dir`: the folder that a first log would be made in. */
struct doctor_line doctor_log(const char *db, const char *dir);

#endif
