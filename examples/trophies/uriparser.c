/* uriparser: normalising keeps the meaning of a URI, and a relative reference leads back to where it came from. */
#include <sonde.h>
#include <string.h>
#include <uriparser/Uri.h>

static void drop(void *uri)
{
    uriFreeUriMembersA(uri);
}

static UriUriA *parse(sonde *t, const char *text)
{
    UriUriA *uri = sonde_new(t, UriUriA);
    const char *wrong;
    sonde_assume(t, uriParseSingleUriA(uri, text, &wrong) == URI_SUCCESS);
    sonde_defer(t, drop, uri);
    return uri;
}

static const char *text_of(sonde *t, const UriUriA *uri)
{
    int n = 0;
    sonde_check_eq(t, uriToStringCharsRequiredA(uri, &n), URI_SUCCESS);
    char *text = sonde_buffer(t, (size_t)n + 1);
    sonde_check_eq(t, uriToStringA(text, uri, n + 1, NULL), URI_SUCCESS);
    return text;
}

/* RFC 3986, 6.2.2.3 removes dot segments, and 3.3 does not let a path without an authority begin with two slashes. */
static void a_normalised_path_does_not_become_a_host(sonde *t)
{
    UriUriA *uri = parse(t, sonde_regex(t, "path", "(/[ab.]{0,2}){1,4}"));
    sonde_assume(t, uri->hostText.first == NULL);
    sonde_check_eq(t, uriNormalizeSyntaxA(uri), URI_SUCCESS);
    sonde_note(t, "normalised: %s", text_of(t, uri));
    sonde_check(t, parse(t, text_of(t, uri))->hostText.first == NULL);
}

/* "The resulting URI is going to be relative if the absolute URI and base URI share both scheme and authority." */
static void a_relative_reference_leads_back(sonde *t)
{
    const char *to = sonde_regex(t, "to", "s:(//[gh])?(/[ab]{1,2}){0,3}"),
               *base = sonde_regex(t, "base", "s:(//[gh])?(/[ab]{1,2}){0,3}");
    UriUriA *relative = sonde_new(t, UriUriA), *back = sonde_new(t, UriUriA);
    sonde_check_eq(t, uriRemoveBaseUriA(relative, parse(t, to), parse(t, base), URI_FALSE), URI_SUCCESS);
    sonde_defer(t, drop, relative);
    sonde_note(t, "relative to the base: \"%s\"", text_of(t, relative));
    sonde_check_eq(t, uriAddBaseUriA(back, parse(t, text_of(t, relative)), parse(t, base)), URI_SUCCESS);
    sonde_defer(t, drop, back);
    sonde_check_eq(t, text_of(t, back), to);
}

SONDE_MAIN(a_normalised_path_does_not_become_a_host, a_relative_reference_leads_back)
