/* c-ares: a sort list that is refused leaves nothing allocated. Built with --sanitize, so that leaks are failures. */
#include <ares.h>
#include <sonde.h>

static void destroy(void *channel)
{
    ares_destroy(*(ares_channel *)channel);
}

static void a_refused_sort_list_is_freed(sonde *t)
{
    ares_channel *channel = sonde_new(t, ares_channel);
    const char *list = sonde_regex(t, "list", "([0-9]{1,3}(\\.[0-9]{1,20}){0,4}(/[0-9.]{1,20})?[ ;]?){0,3}");
    sonde_check_eq(t, ares_init(channel), ARES_SUCCESS);
    sonde_defer(t, destroy, channel);
    sonde_note(t, "result: %s", ares_strerror(ares_set_sortlist(*channel, list)));
}

SONDE_MAIN(a_refused_sort_list_is_freed)
