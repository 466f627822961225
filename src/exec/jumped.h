/* Jumps past sonde. The assertions of many test frameworks (cmocka, Unity, CUnit, Check without fork) end in a longjmp to the
 * framework's runner. Out of a property it would lead past sonde: in a worker, the runner would go on with the rest of the suite.
 *
 * The GNU C library calls cleanup handlers whose frames a longjmp leaves (as it does for cancelled threads), before it jumps. So a
 * handler in the frame that calls the property hears of every jump past it, and makes it a failure of the case instead. Jumps within the property,
 * and sonde's own way out, which leads to that frame, do not call it. Elsewhere (musl) jumps are not seen until the worker ends or calls
 * sonde again. */
#ifndef SONDE_EXEC_JUMPED_H
#define SONDE_EXEC_JUMPED_H

#include "case/case.h"

#include <pthread.h>

/* Lies in the frame that calls the property. An exception that passes there calls sonde_jumped_unwound, where the library was compiled with
 * -fexceptions. */
#define SONDE_JUMP_WATCH __attribute__((cleanup(sonde_jumped_unwound))) struct sonde_jump_watch
struct sonde_jump_watch {
    sonde *t; /* NULL: the call has ended */
#ifdef __GLIBC__
    struct _pthread_cleanup_buffer buffer;
#endif
};

/* Around each call of the user's code. */
void sonde_jumped_begin(struct sonde_jump_watch *watch, sonde *t);
void sonde_jumped_end(struct sonde_jump_watch *watch);
/* Fails the case, and leaves it, unless the call has ended. */
void sonde_jumped_unwound(struct sonde_jump_watch *watch);

#endif
