/* What every unit test includes: cmocka and the headers that it relies on. */
#ifndef DARSHAN_TEST_UNIT_H
#define DARSHAN_TEST_UNIT_H

/* cmocka.h wants these four before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
