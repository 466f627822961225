/* One value as text, in its two spellings: the one of the text form, which is read back, and the one for people.
 *
 *     value               in a token      for people
 *     true                yes             true
 *     "a b"               a%20b           "a b"
 *     two bytes           00ff            (2 bytes) 00 ff
 *     the double 0.1      0.1             0.1
 *     an empty text       nothing         "" */
#ifndef SONDE_TAPE_LITERAL_H
#define SONDE_TAPE_LITERAL_H

#include "tape/tape.h"

/* Where text goes. Counts what it is given and keeps what fits, so that writing twice, first into nothing, gives a
 * buffer of the right size. */
struct sonde_sink {
    char *out;
    size_t size;     /* of out */
    size_t n;        /* given so far */
    bool in_handler; /* of a signal: nothing of the C library is called that may not be; doubles are longer then */
};

static inline void sonde_put_char(struct sonde_sink *sink, char c)
{
    if (sink->n < sink->size) sink->out[sink->n] = c;
    sink->n++;
}

/* These write to the sink and never fail; a sink that is full keeps counting. All of them may be called
 * in a handler if sink->in_handler is set. */
void sonde_put_text(struct sonde_sink *sink, const char *text);
void sonde_put_uint(struct sonde_sink *sink, uint64_t x);
/* Letters, digits and _ . + - as they are, every other byte as %XX. */
void sonde_put_escaped(struct sonde_sink *sink, const char *text, size_t n);
/* The value of a choice in the spelling of the text form. */
void sonde_put_value(struct sonde_sink *sink, const struct sonde_tape *tape, const struct sonde_choice *choice);
/* The value of a choice for people. */
void sonde_put_shown(struct sonde_sink *sink, const struct sonde_tape *tape, const struct sonde_choice *choice);

/* ---- Literals. A LITERAL choice has its value as text: choice->base is the offset, in the script's side buffer, of a
 * uint32_t length (in the machine's own byte order; literals live in memory only) followed by that many bytes. What
 * the text means is decided when the draw it answers is known. */

/* The text of a LITERAL. It points into the side buffer of the script and is valid until that grows.
 * Not NUL-terminated. */
const char *sonde_literal_text(const struct sonde_tape *script, const struct sonde_choice *literal, uint32_t *n);
/* Appends the record of a literal to the side buffer; its offset is for choice->base. */
uint32_t sonde_tape_add_literal(struct sonde_tape *script, const char *text, uint32_t n);

/* As a number or a truth: yes, no, true, false; decimal, 0x hexadecimal, doubles, each with a sign. False if the text
 * is none of these. */
bool sonde_literal_value(const struct sonde_tape *script, const struct sonde_choice *literal,
                         struct sonde_value *value);
/* As symbols of an alphabet; returns how many, at most `max`. For bytes the text is hex pairs, or, when it cannot be
 * read as such, itself. Characters that the alphabet lacks are left out. */
uint32_t sonde_literal_symbols(const struct sonde_tape *script, const struct sonde_choice *literal,
                               const struct sonde_alphabet *alphabet, uint32_t *symbols, uint32_t max);

/* The value of one choice for people: 3, true, 1.5, "hello\n" as in C, (3 bytes) 00 ff 00. Of bytes the first 64 are
 * shown. Into `out`; answers what snprintf would. */
size_t sonde_choice_print(const struct sonde_tape *tape, const struct sonde_choice *choice, char *out, size_t size);

/* 0..15, or -1. */
static inline int sonde_hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

#endif
