/* Null pointers, wrong numbers and wrong texts are errors with a message: misuse DATABASE */
#include <stdio.h>
#include <string.h>

#include "expect.h"

static void expect_message(const char *part)
{
    const char *last = chessdb_last_error();
    expect(last != NULL && strstr(last, part) != NULL, part);
}

int main(int count, char **words)
{
    char *text = (char *)words;
    uint32_t numbers[2] = {77, 77};

    expect(count == 2, "one argument");
    expect(strchr(chessdb_version(), '.') != NULL, "a version");
    expect(chessdb_last_error() == NULL, "no message at the start");
    expect(chessdb_open(NULL, NULL) == NULL, "open without a path");
    expect_message("NULL");
    expect(chessdb_open(words[1], "no such format") == NULL, "open with a wrong format");
    expect_message("no such format");
    expect(chessdb_open(words[1], "\xFF") == NULL, "open with a format that is not a text");
    expect_message("UTF-8");
    expect(chessdb_count(NULL) == CHESSDB_ERROR, "count without a database");
    expect(chessdb_format(NULL) == NULL, "format without a database");
    chessdb_close(NULL);
    chessdb_free(NULL);

    chessdb *db = chessdb_open(words[1], "si4");
    expect(db != NULL && chessdb_last_error() == NULL, "open");
    int64_t games = chessdb_count(db);
    expect(games > 2, "games");
    expect(chessdb_game_pgn(db, 0, &text) == CHESSDB_ERROR && text == NULL, "game 0");
    expect_message("counted from 1");
    expect(chessdb_game_pgn(db, (uint32_t)games + 1, &text) == CHESSDB_ERROR && text == NULL,
           "a game after the last");
    expect(chessdb_game_pgn(db, 1, NULL) == CHESSDB_ERROR, "a game without a place");
    expect(chessdb_find(db, "", NULL, 0, NULL) == games, "all games");
    expect(chessdb_find(db, "", numbers, 1, NULL) == games, "all games, one number");
    expect(numbers[0] == 1 && numbers[1] == 77, "no number after the capacity");
    expect(chessdb_find(db, "", NULL, 1, NULL) == CHESSDB_ERROR, "an array that is NULL");
    expect(chessdb_find(db, NULL, NULL, 0, NULL) == CHESSDB_ERROR, "a query that is NULL");
    expect(chessdb_convert(db, "x.si4", NULL, 64, &text) == CHESSDB_ERROR && text == NULL,
           "unknown flags");
    expect(chessdb_convert(db, "x.unknown", NULL, 0, NULL) == CHESSDB_ERROR, "unknown suffix");
    expect_message("extension");
    chessdb_close(db);
    return failures > 0;
}
