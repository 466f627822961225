/* cmocka with what it needs before it. */
#ifndef SONDE_TESTS_MOCKA_H
#define SONDE_TESTS_MOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
