/* The includes of every unit test: cmocka and the headers that it needs. */
#ifndef DARSHAN_TEST_UNIT_H
#define DARSHAN_TEST_UNIT_H

/* cmocka.h needs these four headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
