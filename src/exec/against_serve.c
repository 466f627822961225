/* The side of --against that serves; see exec.h. */
#include "base/hash.h"
#include "exec/against_wire.h"
#include "exec/exec.h"
#include "program/witness.h"
#include "tape/codec.h"

#include <stdio.h>
#include <string.h>

/* Seconds that a run may take between two tapes: it may be stopped in a debugger. */
static const double patience = 1e9;

bool sonde_against_greet(int fd, char *property, size_t size)
{
    const double soon = 10;
    struct sonde_bytes in = {0};
    char type;
    bool is_run = sonde_against_receive(fd, soon, &in, &type) && type == 'H' && in.n > 4 && in.n - 4 < size;
    if (is_run) {
        struct sonde_reader reader = sonde_reader(in.data, in.n);
        snprintf(property, size, "%.*s", (int)(in.n - 4), (const char *)in.data + 4);
        if (sonde_read_u32(&reader) != SONDE_AGAINST_VERSION) {
            sonde_against_welcome(fd,
                                  "it was built with another version of sonde, which compares in another way; build "
                                  "both programs with the same version");
            is_run = false;
        }
    }
    sonde_bytes_clear(&in);
    return is_run;
}

void sonde_against_welcome(int fd, const char *error)
{
    char build[256];
    sonde_witness_build(build, sizeof build);
    const char *words = error ? error : build;
    sonde_against_send(fd, error ? 'E' : 'G', words, strlen(words));
}

bool sonde_against_next(int fd, struct sonde_tape *script, struct sonde_labels *labels, bool *is_cut)
{
    struct sonde_bytes in = {0};
    char type;
    bool is_tape = sonde_against_receive(fd, patience, &in, &type) && type == 'T' && in.n > 4;
    if (is_tape) {
        struct sonde_reader reader = sonde_reader(in.data, in.n);
        *is_cut = sonde_read_u32(&reader) != 0;
        is_tape = sonde_tape_decode(script, labels, in.data + 4, in.n - 4) == 0;
    }
    sonde_bytes_clear(&in);
    return is_tape;
}

/* Writes why the case did not end well. */
static void describe(const sonde *t, char *out, size_t size)
{
    char claim[1024];
    switch (t->verdict) {
    case SONDE_VALID: *out = '\0'; break;
    case SONDE_DISCARDED: snprintf(out, size, "%s", t->rejection.condition ? t->rejection.condition : ""); break;
    case SONDE_FAILED: snprintf(out, size, "%s", sonde_claim_describe(&t->claim, claim, sizeof claim)); break;
    case SONDE_OVERRUN: snprintf(out, size, "%s", t->overrun ? t->overrun : ""); break;
    case SONDE_MISUSE: snprintf(out, size, "%s", t->claim.message); break;
    }
}

bool sonde_against_reply(int fd, sonde *t, const struct sonde_tape *script, bool is_cut)
{
    struct sonde_against_reply reply = {.verdict = t->verdict};
    struct sonde_bytes out = {0};
    reply.draws_differ =
        !sonde_tape_agrees((struct sonde_agreed){script, is_cut},
                           (struct sonde_agreed){&t->tape, t->verdict != SONDE_VALID}, t->labels, &reply.where);
    if (t->verdict == SONDE_FAILED) {
        reply.kind = t->claim.kind;
        uint64_t place =
            sonde_hash_add(sonde_hash_text((uint64_t)t->claim.kind, t->claim.file), (uint64_t)t->claim.line);
        reply.brief = t->claim.innermost ? t->claim.innermost : place;
    }
    describe(t, reply.words, sizeof reply.words);
    reply.observed = t->observed;
    sonde_against_put_reply(&out, &reply);
    bool is_sent = sonde_against_send(fd, 'R', out.data, out.n);
    sonde_bytes_clear(&out);
    return is_sent;
}
