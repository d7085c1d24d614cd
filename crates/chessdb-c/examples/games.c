/* Searches a database, prints a page of the games that match and the moves of the first of them, and
 * converts the database: games DATABASE QUERY [TARGET]
 * CHESSDB_ENCODING and CHESSDB_PASSWORD in the environment are the options of opening. */
#include <stdio.h>
#include <stdlib.h>

#include "chessdb.h"

enum { PAGE = 10, PLIES = 600 };

static int failed(const char *what)
{
    const char *reason = chessdb_last_error();
    fprintf(stderr, "%s: %s\n", what, reason ? reason : "unknown reason");
    return 3;
}

/* Shows how far a call is; a result other than 0 would cancel it. */
static int show_progress(void *data, uint64_t done, uint64_t total)
{
    (void)data;
    fprintf(stderr, "\r%llu of %llu games\r", (unsigned long long)done, (unsigned long long)total);
    return 0;
}

static int print_page(const chessdb *db, const uint32_t *numbers, size_t count)
{
    char *rows;
    int result = chessdb_rows(db, numbers, count, "game,date,white,black,result", &rows);
    if (result == CHESSDB_ERROR)
        return failed("cannot list the games");
    if (result == CHESSDB_INCOMPLETE)
        fprintf(stderr, "incomplete: %s\n", chessdb_last_error());
    fputs(rows, stdout);
    chessdb_free(rows);
    return 0;
}

static int print_moves(const chessdb *db, uint32_t number)
{
    chessdb_move moves[PLIES];
    int64_t count = chessdb_game_moves(db, number, moves, PLIES, sizeof *moves);
    if (count == CHESSDB_ERROR)
        return failed("cannot read the game");
    for (int64_t n = 0; n < count && n < PLIES; n++)
        if (moves[n].depth == 0)
            printf("%c%d-%c%d %s\n", 'a' + moves[n].from % 8, 1 + moves[n].from / 8,
                   'a' + moves[n].to % 8, 1 + moves[n].to / 8, moves[n].san);
    return 0;
}

static int print_pgn(const chessdb *db, uint32_t number)
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
    chessdb_options options = {sizeof options, NULL, getenv("CHESSDB_ENCODING"),
                               getenv("CHESSDB_PASSWORD")};
    uint32_t numbers[PAGE];
    uint64_t unread;
    int status = 0;

    if (chessdb_interface() != CHESSDB_INTERFACE || count < 3) {
        fprintf(stderr, "usage: games DATABASE QUERY [TARGET]\n");
        return 2;
    }
    chessdb_watch(show_progress, NULL);
    chessdb *db = chessdb_open_with(words[1], &options);
    if (db == NULL)
        return failed("cannot open the database");
    char *format = chessdb_format(db);
    int64_t matches = chessdb_find(db, words[2], numbers, PAGE, &unread);
    if (format == NULL || matches == CHESSDB_ERROR) {
        status = failed("cannot search");
    } else {
        printf("%s: %lld games, %lld match, %llu not readable\n", format,
               (long long)chessdb_count(db), (long long)matches, (unsigned long long)unread);
        if (matches > 0)
            status = print_page(db, numbers, matches < PAGE ? (size_t)matches : PAGE);
        if (status == 0 && matches > 0)
            status = print_moves(db, numbers[0]);
        if (status == 0 && matches > 0)
            status = print_pgn(db, numbers[0]);
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
