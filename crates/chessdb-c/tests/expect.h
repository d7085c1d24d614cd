/* What the test programs have in common: a failed expectation is counted, and the program continues. */
#include <stdio.h>
#include <string.h>

#include "chessdb.h"

static int failures = 0;

static inline void expect(int is_true, const char *what)
{
    if (!is_true) {
        const char *last = chessdb_last_error();
        fprintf(stderr, "not as expected: %s (%s)\n", what, last ? last : "no message");
        failures++;
    }
}

/* Expects a message that contains a text. */
static inline void expect_message(const char *part)
{
    const char *last = chessdb_last_error();
    expect(last != NULL && strstr(last, part) != NULL, part);
}
