/* sonde/globals.h - records which variables belong to this object. `sonde cc` includes it into every file that it
 * compiles; do not include it yourself.
 *
 * A note in the object holds the location and size of its share of the program's variables. So `.reset =
 * SONDE_GLOBALS` can tell variables of the code under test from those in sonde, the C library or a sanitizer.
 * Linkers collect the notes of all objects, and a running program finds them in each of its modules. The labels are
 * in the first and in the last subsection of each section; everything that the compiler puts there lies between. */
#ifndef SONDE_GLOBALS_H_
#define SONDE_GLOBALS_H_

#if defined(__ELF__) && defined(__GNUC__) && !defined(__ASSEMBLER__)
#define SONDE_SHARE_(first, last, name, flags)                                                                         \
    ".pushsection " name flags "\n" first ":\n.popsection\n"                                                           \
    ".pushsection " name ",8191" flags "\n" last ":\n.popsection\n"
__asm__(SONDE_SHARE_("31", "32", ".data", "") SONDE_SHARE_("33", "34", ".bss", "")
            SONDE_SHARE_("35", "36", ".data.rel.local", ",\"aw\"") SONDE_SHARE_("37", "38", ".data.rel", ",\"aw\"")
        /* a note of kind 1: for each section, its offset from here and its size */
        ".pushsection .note.sonde,\"a\",%note\n"
        ".balign 4\n"
        ".long 6,32,1\n"
        ".asciz \"sonde\"\n"
        ".balign 4\n"
        ".long 31b-.,32b-31b,33b-.,34b-33b,35b-.,36b-35b,37b-.,38b-37b\n"
        ".popsection\n");
#ifdef __x86_64__
__asm__(SONDE_SHARE_("41", "42", ".tdata", ",\"awT\",%progbits") SONDE_SHARE_("43", "44", ".tbss", ",\"awT\",%nobits")
        /* a note of kind 2: offset and size of thread-local variables, relative to the module's TLS block */
        ".pushsection .note.sonde,\"a\",%note\n"
        ".balign 4\n"
        ".long 6,16,2\n"
        ".asciz \"sonde\"\n"
        ".balign 4\n"
        ".long 41b@dtpoff,42b-41b,43b@dtpoff,44b-43b\n"
        ".popsection\n");
#endif
#undef SONDE_SHARE_
#endif

#endif
