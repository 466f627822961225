/* The mutants of the program: the tables that objects compiled by `sonde cc --mutants` register (sonde/mutants.h).
 *
 * Mutants have numbers from 1 over the whole program, and so have their sites. Tables are ordered by source name, then
 * by hash, so a number does not depend on the order of linking. A number means the same in
 * every process of one build. Without mutants, all of this costs nothing: the list of tables is empty. */
#ifndef SONDE_PROGRAM_MUTANTS_H
#define SONDE_PROGRAM_MUTANTS_H

#include <sonde/mutants.h>

#include <stdbool.h>
#include <stdint.h>

/* Returns the number of mutants, and of sites; 0: the program was built without `sonde cc --mutants`. */
uint32_t sonde_mutants_count(void);
uint32_t sonde_mutants_sites(void);
/* Returns a hash of all tables: another hash means that numbers mean something else. */
uint64_t sonde_mutants_hash(void);
/* Returns mutant `number`, which is in 1..count. */
const struct sonde_mutant_ *sonde_mutants_at(uint32_t number);
/* Returns the site of mutant `number`, and its statement, both counted over the program. */
uint32_t sonde_mutants_site_of(uint32_t number);
uint64_t sonde_mutants_statement_of(uint32_t number);

/* New memory holds the complement of this, in trials and with --mutant. A mutant may have dropped an initialisation:
 * the code then reads the same values each time. */
enum { SONDE_MUTANT_FILL = 0x5a };

/* Which side of a mutant's code runs. */
enum sonde_mutant_mode {
    SONDE_MUTANT_OFF,    /* the original code */
    SONDE_MUTANT_NULL,   /* the mutants' branch of the site, with the original's value */
    SONDE_MUTANT_ON,     /* the mutant */
    SONDE_MUTANT_WATCHED /* the mutant; its value is compared with the original's */
};
/* Chooses the code that runs in this process and in those that it forks from now on. */
void sonde_mutants_choose(uint32_t number, enum sonde_mutant_mode mode);
/* Returns how often both sides of the chosen mutant had different values since it was chosen. */
uint64_t sonde_mutants_differed(uint32_t number);

/* Returns the flag that the code at the site of mutant `number` sets when it runs. */
volatile unsigned char *sonde_mutants_flag(uint32_t number);
/* Clears the record of reached sites. */
void sonde_mutants_forget_reached(void);
/* Returns the number of words in a set of sites: bit s is for site s, and bit 0 is never set. */
uint32_t sonde_mutants_words(void);
/* Fills the set `bits` with the sites reached since they were forgotten. Returns how many there are. */
uint32_t sonde_mutants_reached(uint64_t *bits);

#endif
