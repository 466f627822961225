/* Jumps past sonde. The assertions of many test frameworks (cmocka, Unity, CUnit, Check without fork) end in a
 * longjmp to the framework's runner. From inside a property that jump would bypass sonde: in a worker, the runner
 * would continue with the rest of the suite.
 *
 * Before a longjmp, the GNU C library calls the cleanup handlers of the frames that it leaves, as it does for
 * cancelled threads. So a handler in the frame that calls the property notices every jump past it, and makes it a
 * failure of the case. Jumps within the property do not call the handler. Neither do sonde's own jumps, which lead
 * to that frame. With other libraries (musl) jumps go unnoticed until the worker ends or calls sonde again. */
#ifndef SONDE_EXEC_JUMPED_H
#define SONDE_EXEC_JUMPED_H

#include "case/case.h"

#include <pthread.h>

/* A watch in the frame that calls the property. An exception that passes this frame calls sonde_jumped_unwound, if
 * the library was compiled with -fexceptions. */
#define SONDE_JUMP_WATCH __attribute__((cleanup(sonde_jumped_unwound))) struct sonde_jump_watch
struct sonde_jump_watch {
    sonde *t; /* NULL: the watched call has ended */
#ifdef __GLIBC__
    struct _pthread_cleanup_buffer buffer;
#endif
};

/* Begins or ends a watch around each call of user code. */
void sonde_jumped_begin(struct sonde_jump_watch *watch, sonde *t);
void sonde_jumped_end(struct sonde_jump_watch *watch);
/* Fails the case and leaves it, if the frame is left while the watched call is running. Else does nothing. */
void sonde_jumped_unwound(struct sonde_jump_watch *watch);

#endif
