/* sonde_json: draw strings in common formats.
 * Also: sonde_file_name sonde_file_path sonde_date sonde_time sonde_datetime sonde_ipv4 sonde_ipv6 sonde_url sonde_email sonde_uuid
 * See also: sonde_string sonde_put */
#include <arpa/inet.h>
#include <sonde.h>
#include <string.h>

static void addresses_are_read(sonde *t)
{
    struct in_addr a4;
    struct in6_addr a6;
    sonde_check_eq(t, inet_pton(AF_INET, sonde_ipv4(t, "ipv4"), &a4), 1);
    sonde_check_eq(t, inet_pton(AF_INET6, sonde_ipv6(t, "ipv6"), &a6), 1);
}

static void formats_are_what_they_are(sonde *t)
{
    sonde_check(t, !strchr(sonde_file_name(t, "file"), '/'));
    sonde_check_eq(t, strlen(sonde_uuid(t, "uuid")), 36);
    sonde_check_eq(t, strlen(sonde_date(t, "date")), 10);
    sonde_check_ge(t, strlen(sonde_json(t, "json", 3)), 1);
}

SONDE_MAIN(addresses_are_read, formats_are_what_they_are)
