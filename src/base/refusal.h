/* What was registered wrongly (guides, reporters), kept until sonde_main or sonde_run can say so: a constructor has nobody to
 * tell, and ending the program there would take the message's place and status from it. */
#ifndef SONDE_BASE_REFUSAL_H
#define SONDE_BASE_REFUSAL_H

#include <sonde.h>

/* Remembers the sentence, unless there is an earlier one. Returns -EINVAL, for the caller to return. */
int sonde_refuse(const char *format, ...) SONDE_PRINTF(1, 2);
/* The first of them; NULL if nothing was refused. */
const char *sonde_refused(void);

#endif
