/* Parsing: finds how a grammar derives a file, for --import.
 *
 * A derivation is the list of the decisions of a drawing, in their order. A decision is the index of an alternative,
 * the number of repetitions, or the number of bytes of a rule that a C function draws. Characters are not in it: the
 * file has them. */
#ifndef SONDE_GRAMMAR_PARSE_H
#define SONDE_GRAMMAR_PARSE_H

#include "case/aim.h"
#include "grammar/syntax.h"

/* Fills aim->derivation for the file in `aim` by aim->grammar, a struct sonde_syntax. A file that the grammar does not
 * derive
 * gets the decisions up to where it stops. A final line feed that the grammar does not have is ignored. */
void sonde_grammar_parse(struct sonde_aim *aim);

#endif
