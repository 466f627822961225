/* The steps of check.c that follow references from rule to rule. */
#ifndef SONDE_GRAMMAR_ORDER_H
#define SONDE_GRAMMAR_ORDER_H

#include "grammar/notation.h"

/* Computes the cost of every node and orders alternatives by it, with their weights. Returns false if a rule never
 * ends, or notes another mistake. */
bool sonde_syntax_order(struct sonde_build *b);
/* Finds out which rules the start rule leads to, and which nodes lead back to their rule. */
void sonde_syntax_relate(struct sonde_syntax *g);
/* Gives draws their labels, and decides which rules are spans. */
void sonde_syntax_label(struct sonde_syntax *g);

#endif
