/* Null pointers, closed handles, wrong numbers and wrong texts are errors with a message, and every
 * place for a result is then NULL or 0: misuse DATABASE, which is SCID with at least three games */
#include <stdint.h>

#include "expect.h"

static char *const unset = (char *)1;
static chessdb_move unset_move;

/* Calls every function that stores results with this database and these arguments, expects that each
 * fails, and that nothing remains in the places. */
static void expect_failures(const chessdb *db, uint32_t number, const char *text)
{
    char *pgn = unset, *rows = unset, *report = unset;
    uint32_t numbers[2] = {77, 77};
    uint64_t unread = 77;
    chessdb_move moves[2] = {unset_move, unset_move};

    expect(chessdb_game_pgn(db, number, &pgn) == CHESSDB_ERROR && pgn == NULL, "game_pgn");
    expect(chessdb_last_error() != NULL, "a message");
    expect(chessdb_rows(db, &number, 1, text, &rows) == CHESSDB_ERROR && rows == NULL, "rows");
    expect(chessdb_last_error() != NULL, "a message");
    expect(chessdb_game_moves(db, number, moves, 2, sizeof *moves) == CHESSDB_ERROR, "moves");
    expect(moves[0].san[0] == 0 && moves[1].ply == 0, "no moves");
    expect(chessdb_find(db, text, numbers, 2, &unread) == CHESSDB_ERROR, "find");
    expect(numbers[0] == 0 && numbers[1] == 0 && unread == 0, "no numbers");
    expect(chessdb_convert(db, text, "no such format", 0, &report) == CHESSDB_ERROR, "convert");
    expect(report == NULL && chessdb_last_error() != NULL, "no report");
}

static void closed_handles(const char *path)
{
    chessdb *db = chessdb_open(path, NULL);
    chessdb *other = chessdb_open(path, NULL);
    chessdb_edit *edit;
    char *report = unset;

    expect(db != NULL && other != NULL && db != other, "two databases");
    chessdb_close(db);
    expect(chessdb_last_error() == NULL, "closed once");
    chessdb_close(db);
    expect_message("closed");
    expect(chessdb_count(db) == CHESSDB_ERROR && chessdb_format(db) == NULL, "a closed database");
    expect_failures(db, 1, "white");
    expect(chessdb_count(other) > 2, "the other is still open");
    /* An edit is not a database, and a database not an edit. */
    edit = (chessdb_edit *)other;
    expect(chessdb_edit_tag(edit, 1, "White", "x") == CHESSDB_ERROR, "a database as edit");
    expect(chessdb_edit_save(edit, &report) == CHESSDB_ERROR && report == NULL, "a save");
    chessdb_edit_close(edit);
    expect_message("edit");
    expect(chessdb_count((chessdb *)&report) == CHESSDB_ERROR, "an address");
    expect_message("not an open database");
    chessdb_close(other);
}

static void structures(const char *path)
{
    chessdb_options options = {sizeof options, NULL, NULL, NULL};
    struct {
        chessdb_options options;
        const char *later;
    } newer = {{sizeof newer, "si4", NULL, NULL}, NULL};
    const uint8_t bytes[] = "1. e4 e5 *";
    chessdb_file file = {"a.pgn", bytes, sizeof bytes - 1}, bad = {NULL, bytes, 1};
    chessdb_move moves[3];
    chessdb *db;

    options.format = "no such format";
    expect(chessdb_open_with(path, &options) == NULL, "a wrong format");
    options.format = "\xC3";
    expect(chessdb_open_with(path, &options) == NULL, "half a letter");
    expect_message("UTF-8");
    options = (chessdb_options){sizeof options, "si4", "no such encoding", NULL};
    expect(chessdb_open_with(path, &options) == NULL, "a wrong encoding");
    options = (chessdb_options){0, "si4", NULL, NULL};
    expect(chessdb_open_with(path, &options) == NULL, "options without a size");
    expect_message("sizeof");
    /* The options of an older header end after the format. */
    options = (chessdb_options){2 * sizeof(size_t), "si4", "no such encoding", NULL};
    db = chessdb_open_with(path, &options);
    expect(db != NULL, "options of an older header");
    chessdb_close(db);
    db = chessdb_open_with(path, &newer.options);
    expect(db != NULL, "options of a newer header");
    chessdb_close(db);
    newer.later = "x";
    expect(chessdb_open_with(path, &newer.options) == NULL, "members that are not known");
    expect(chessdb_open_with(NULL, NULL) == NULL, "no path");

    expect(chessdb_open_files(NULL, 1, NULL) == NULL, "no files");
    expect(chessdb_open_files(&file, 0, NULL) == NULL, "an empty list");
    expect(chessdb_open_files(&bad, 1, NULL) == NULL, "a file without a name");
    bad = (chessdb_file){"a.pgn", NULL, 10};
    expect(chessdb_open_files(&bad, 1, NULL) == NULL, "a file without bytes");
    bad = (chessdb_file){"a.si4", bytes, sizeof bytes - 1};
    expect(chessdb_open_files(&bad, 1, NULL) == NULL, "a file of another format");
    db = chessdb_open_files(&file, 1, NULL);
    expect(chessdb_count(db) == 1, "a file in memory");
    expect(chessdb_game_moves(db, 1, NULL, 0, sizeof *moves) == 2, "the number of moves");
    expect(chessdb_game_moves(db, 1, NULL, 3, sizeof *moves) == CHESSDB_ERROR, "no array");
    expect(chessdb_game_moves(db, 1, moves, 3, 1) == CHESSDB_ERROR, "a wrong size");
    expect(chessdb_game_moves(db, 1, moves, SIZE_MAX, sizeof *moves) == CHESSDB_ERROR, "too many");
    chessdb_close(db);
}

int main(int count, char **words)
{
    char *text = unset;
    uint32_t numbers[2] = {77, 77}, zero = 0;
    const char *wrong[] = {NULL, "\xC3", "(((", "\xF0\x9F\x99", "elo:high"};

    memset(&unset_move, 77, sizeof unset_move);
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
    expect_failures(NULL, 1, "white");
    expect(chessdb_undo(NULL, &text) == CHESSDB_ERROR && text == NULL, "undo without a path");
    expect(chessdb_create(NULL, NULL) == CHESSDB_ERROR, "create without a path");
    expect(chessdb_create("x.si4", "no such format") == CHESSDB_ERROR, "create in a wrong format");
    expect(chessdb_create(words[1], NULL) == CHESSDB_ERROR, "create a database that exists");

    chessdb *db = chessdb_open(words[1], "si4");
    expect(db != NULL && chessdb_last_error() == NULL, "open");
    int64_t games = chessdb_count(db);
    expect(games > 2, "games");
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        expect_failures(db, 0, wrong[n]);
        expect_failures(db, (uint32_t)games + 1, wrong[n]);
        expect_failures(db, UINT32_MAX, wrong[n]);
    }
    text = unset;
    expect(chessdb_game_pgn(db, 0, &text) == CHESSDB_ERROR && text == NULL, "game 0");
    expect_message("counted from 1");
    expect(chessdb_game_pgn(db, 1, NULL) == CHESSDB_ERROR, "a game without a place");
    expect(chessdb_rows(db, numbers, 1, NULL, NULL) == CHESSDB_ERROR, "rows without a place");
    expect(chessdb_rows(db, NULL, 1, NULL, &text) == CHESSDB_ERROR, "rows without numbers");
    expect(chessdb_rows(db, &zero, 1, NULL, &text) == CHESSDB_ERROR, "the row of game 0");
    numbers[0] = 1;
    expect(chessdb_rows(db, numbers, 1, "white,nosuch", &text) == CHESSDB_ERROR, "a wrong column");
    expect_message("nosuch");
    expect(chessdb_rows(db, numbers, 1, "", &text) == CHESSDB_ERROR, "no column");
    expect(chessdb_rows(db, NULL, 0, NULL, &text) == CHESSDB_OK && text[0] == 0, "no rows");
    chessdb_free(text);
    expect(chessdb_find(db, "", NULL, 0, NULL) == games, "all games");
    expect(chessdb_find(db, "", numbers, 1, NULL) == games, "all games, one number");
    expect(numbers[0] == 1 && numbers[1] == 77, "no number after the capacity");
    expect(chessdb_find(db, "", NULL, 1, NULL) == CHESSDB_ERROR, "an array that is NULL");
    expect(chessdb_find(db, "", numbers, SIZE_MAX / 2, NULL) == CHESSDB_ERROR, "a huge array");
    expect(chessdb_convert(db, "x.si4", NULL, 64, &text) == CHESSDB_ERROR && text == NULL,
           "unknown flags");
    expect(chessdb_convert(db, "x.unknown", NULL, 0, NULL) == CHESSDB_ERROR, "unknown suffix");
    expect_message("extension");
    text = unset;
    expect(chessdb_convert(db, words[1], NULL, 0, &text) == CHESSDB_ERROR && text == NULL,
           "a target that exists");
    chessdb_close(db);

    closed_handles(words[1]);
    structures(words[1]);
    return failures > 0;
}
