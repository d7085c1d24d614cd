/* What the test programs have in common: a failed expectation is counted, and the program goes on. */
#include <stdio.h>

#include "chessdb.h"

static int failures = 0;

static void expect(int is_true, const char *what)
{
    if (!is_true) {
        const char *last = chessdb_last_error();
        fprintf(stderr, "not as expected: %s (%s)\n", what, last ? last : "no message");
        failures++;
    }
}
