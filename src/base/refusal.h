/* Errors in the registration of guides and reporters, kept until sonde_main or sonde_run can report them.
 * Registration runs in constructors, which have no caller to inform. Ending the program there would change how the
 * error is reported, and its exit status. */
#ifndef SONDE_BASE_REFUSAL_H
#define SONDE_BASE_REFUSAL_H

#include <sonde.h>

/* Keeps the message, unless there is an earlier one. Returns -EINVAL, for the caller to return. */
int sonde_refuse(const char *format, ...) SONDE_PRINTF(1, 2);
/* Returns the first message; NULL if there is none. */
const char *sonde_refused(void);

#endif
