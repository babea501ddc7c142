/*
 * app_report.h - what `=` shows: two tries compared, or the run with other policies.
 */
#ifndef DEVS_APP_REPORT_H
#define DEVS_APP_REPORT_H

#include "compare.h"
#include "log_reader.h"
#include "report_rows.h"
#include "view_report.h"
#include "what_if.h"

struct app;

struct app_report {
    struct compare *compare;      /* owned; REPORT_COMPARE */
    struct what_if *what;         /* owned; REPORT_WHAT_IF */
    struct what_if *same;         /* owned; the run as recorded, decided by this build */
    struct policy_change *change; /* owned; its policies */
    struct event_page page;       /* reused while the run is read into `what` */
    int64_t after;                /* the event that was read last */
    int64_t pages;                /* that were read so far */
    bool reads;                   /* there is more to read */
    struct report_rows rows;      /* the text, laid for so many columns: */
    int columns;                  /* 0 = it is to be laid */
};

/* Compare the try that the view has marked with the one it is about; what other policies make of
 * the run that is shown. Where that cannot be, the view says why. */
void app_report_compare(struct app *app);
/* Begin what the view's file of policies would have made of the run that is shown. */
void app_report_what_if(struct app *app);
/* Show a text of this kind from its first row; it is laid for the next frame. */
void app_report_open(struct app *app, enum view_report_kind kind);
/* Read on, a page at a time. */
void app_report_go_on(struct app *app);
/* Lay the text for the screen, and forget one that was closed. */
void app_report_load(struct app *app);
void app_report_close(struct app *app);

#endif
