/*
 * version.h - which devs this is. What it says is written at build time (cmake/DevsVersion.cmake).
 */
#ifndef DEVS_VERSION_H
#define DEVS_VERSION_H

/* "0.1.0 (abc1234)": the version, and the commit it was built from; "+" behind the commit where
 * the sources differed from it, no commit where they were no checkout. Static. */
const char *version_text(void);

#endif
