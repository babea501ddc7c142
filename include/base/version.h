/* version.h - the version of this devs. Written at build time (cmake/DevsVersion.cmake). */
#ifndef DEVS_VERSION_H
#define DEVS_VERSION_H

/* Returns "0.1.0 (abc1234)": the version and the commit it was built from; "+" after the commit
 * if the sources differed from it; no commit outside a checkout. Static. */
const char *version_text(void);

#endif
