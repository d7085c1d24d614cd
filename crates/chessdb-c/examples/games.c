/* Lists the games of a database that match a query, prints the first of them, and converts the
 * database: games DATABASE QUERY [TARGET] */
#include <stdio.h>
#include <stdlib.h>

#include "chessdb.h"

static int failed(const char *what)
{
    const char *reason = chessdb_last_error();
    fprintf(stderr, "%s: %s\n", what, reason ? reason : "unknown reason");
    return 3;
}

static int print_game(const chessdb *db, uint32_t number)
{
    char *pgn;
    int result = chessdb_game_pgn(db, number, &pgn);
    if (result == CHESSDB_ERROR)
        return failed("cannot read the game");
    if (result == CHESSDB_INCOMPLETE)
        fprintf(stderr, "game %u is incomplete: %s\n", (unsigned)number, chessdb_last_error());
    fputs(pgn, stdout);
    chessdb_free(pgn);
    return 0;
}

int main(int count, char **words)
{
    enum { MOST = 10 };
    uint32_t numbers[MOST];
    uint64_t unread;
    int status = 0;

    if (chessdb_interface() != CHESSDB_INTERFACE || count < 3) {
        fprintf(stderr, "usage: games DATABASE QUERY [TARGET]\n");
        return 2;
    }
    chessdb *db = chessdb_open(words[1], NULL);
    if (db == NULL)
        return failed("cannot open the database");
    char *format = chessdb_format(db);
    int64_t found = chessdb_find(db, words[2], numbers, MOST, &unread);
    if (format == NULL || found == CHESSDB_ERROR) {
        status = failed("cannot search");
    } else {
        printf("%s: %lld games, %lld found, %llu not readable\n", format,
               (long long)chessdb_count(db), (long long)found, (unsigned long long)unread);
        for (int64_t n = 0; n < found && n < MOST; n++)
            printf("%u\n", (unsigned)numbers[n]);
        if (found > 0)
            status = print_game(db, numbers[0]);
    }
    if (status == 0 && count > 3) {
        char *report;
        if (chessdb_convert(db, words[3], NULL, CHESSDB_REPLACE, &report) == CHESSDB_ERROR)
            status = failed("cannot convert");
        else
            fputs(report, stdout);
        chessdb_free(report);
    }
    chessdb_free(format);
    chessdb_close(db);
    return status;
}
