/* Code that was made to be called once: variables of every kind, which a call changes. */
#include <string.h>

int initialised = 5, zero;
static int hidden = 7, hidden_zero;
static const char *name = "first";
int *where = &initialised;
static char large[20000];
_Thread_local int per_thread = 3;
static _Thread_local int per_thread_zero;

static int count(void)
{
    static int calls, from_ten = 10;
    return ++calls + from_ten++;
}

int first_call(void);
int add(int x);

/* 1 if nothing has been called before. */
int first_call(void)
{
    int is_first = initialised == 5 && zero == 0 && hidden == 7 && hidden_zero == 0 && strcmp(name, "first") == 0
                   && where == &initialised && large[0] == 0 && large[19999] == 0 && per_thread == 3
                   && per_thread_zero == 0 && count() == 11;
    initialised++, zero++, hidden++, hidden_zero++, per_thread++, per_thread_zero++;
    name = "again";
    where = &zero;
    large[0] = large[19999] = 1;
    return is_first;
}

/* The sum of all that was added. */
int add(int x)
{
    return zero += x;
}
