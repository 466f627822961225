/* One value as a string, in two spellings: one for tokens, which is read back, and one for people.
 *
 *     value               in a token      for people
 *     true                yes             true
 *     "a b"               a%20b           "a b"
 *     two bytes           00ff            (2 bytes) 00 ff
 *     the double 0.1      0.1             0.1
 *     an empty string     nothing         "" */
#ifndef SONDE_TAPE_LITERAL_H
#define SONDE_TAPE_LITERAL_H

#include "tape/tape.h"

/* An output that counts all characters and keeps those that fit. So a caller can write twice, first with size 0 to
 * learn the size of the buffer. */
struct sonde_sink {
    char *out;
    size_t size;     /* size of out in bytes */
    size_t n;        /* number of characters written so far, including those that did not fit */
    bool in_handler; /* only async-signal-safe functions are called, and doubles get more digits */
};

/* Writes one character. */
static inline void sonde_put_char(struct sonde_sink *sink, char c)
{
    if (sink->n < sink->size) sink->out[sink->n] = c;
    sink->n++;
}

/* Writes a string to the sink. None of these functions fails; a full sink keeps counting. All of them are safe in a
 * signal handler if sink->in_handler is set. */
void sonde_put_text(struct sonde_sink *sink, const char *text);
/* Writes a number. A double gets as many digits as it needs to be read back, in every locale. */
void sonde_put_uint(struct sonde_sink *sink, uint64_t x);
void sonde_put_int(struct sonde_sink *sink, int64_t x);
void sonde_put_double(struct sonde_sink *sink, double x);
/* Writes letters, digits and _ . + - as they are, every other byte as %XX. */
void sonde_put_escaped(struct sonde_sink *sink, const char *text, size_t n);
/* Writes a string as in C, in quotes. Bytes that are not UTF-8 and characters that a terminal hides are octal. */
void sonde_put_quoted(struct sonde_sink *sink, const char *text, size_t n);
/* Writes the value of a choice as in a token. */
void sonde_put_value(struct sonde_sink *sink, const struct sonde_tape *tape, const struct sonde_choice *choice);
/* Writes the value of a choice for people. */
void sonde_put_shown(struct sonde_sink *sink, const struct sonde_tape *tape, const struct sonde_choice *choice);

/* ---- Literals. A LITERAL choice has its value as a string. choice->base is an offset into the script's side
 * buffer, where a uint32_t length and that many bytes lie. The length is in the machine's byte order, since literals
 * live in memory only. Its meaning depends on the draw that takes it. */

/* Returns the string of a LITERAL, without a NUL. It points into the side buffer of the script and is valid until
 * that grows. */
const char *sonde_literal_text(const struct sonde_tape *script, const struct sonde_choice *literal, uint32_t *n);
/* Appends the record of a literal to the side buffer; returns its offset, for choice->base. */
uint32_t sonde_tape_add_literal(struct sonde_tape *script, const char *text, uint32_t n);

/* Reads a literal as a number or a bool: yes, no, true, false; decimal, 0x hexadecimal, doubles, each with a sign.
 * Skips a name after a number (`0-put`), which only people read.
 * Returns false if the literal is none of these. */
bool sonde_literal_value(const struct sonde_tape *script, const struct sonde_choice *literal,
                         struct sonde_value *value);
/* Reads a literal as symbols of an alphabet; returns how many, at most `max`. For the alphabet BYTES, hex pairs are
 * decoded; any other literal gives its bytes unchanged. Characters that the alphabet lacks are left out. */
uint32_t sonde_literal_symbols(const struct sonde_tape *script, const struct sonde_choice *literal,
                               const struct sonde_alphabet *alphabet, uint32_t *symbols, uint32_t max);

/* A run of at least this many equal bytes is written with its length. */
enum { SONDE_RUN_LONG = 16 };
/* Returns how many equal symbols begin at i. */
uint32_t sonde_run_at(const struct sonde_blob *blob, uint32_t i);

/* Writes the value of one choice for people: 3, true, 1.5, "hello\n" as in C, (3 bytes) 00 ff 00. Shows the first 64
 * of many bytes. Returns the length as snprintf does. */
size_t sonde_choice_print(const struct sonde_tape *tape, const struct sonde_choice *choice, char *out, size_t size);

/* Returns the value of a hexadecimal digit, 0..15; -1 for any other character. */
static inline int sonde_hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

#endif
