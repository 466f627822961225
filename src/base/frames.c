/* See frames.h. */
#include "base/frames.h"

int sonde_frames(void *frames[SONDE_FRAMES])
{
    return sonde_backtrace(frames, SONDE_FRAMES);
}

#ifndef sonde_backtrace
#include <unwind.h>
/* The symbol is weak: a program linked without the unwinder merely lacks stack traces. */
#pragma weak _Unwind_Backtrace
#pragma weak _Unwind_GetIP

/* State of one walk over the stack. */
struct walk {
    void **frames;
    int n, max;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *user)
{
    struct walk *w = user;
    if (w->n == w->max) return _URC_END_OF_STACK;
    if (w->n >= 0) w->frames[w->n] = (void *)_Unwind_GetIP(context);
    w->n++;
    return _URC_NO_REASON;
}

int sonde_backtrace(void **frames, int max)
{
    struct walk w = {frames, -1, max}; /* n starts at -1, so that this function is left out */
    if (!_Unwind_Backtrace) return 0;
    _Unwind_Backtrace(visit, &w);
    return w.n < 0 ? 0 : w.n;
}
#endif
