/* Rows, moves, files in memory, passwords and cancelled calls: games SI4 PGN TARGET CBZ, where SI4 has
 * at least three games, and the others are those that the test writes */
#include <stdint.h>
#include <stdlib.h>

#include "expect.h"

static int calls;

static int cancel(void *data, uint64_t done, uint64_t total)
{
    calls++;
    expect(done < total || total == 0, "less than all");
    return *(int *)data;
}

/* Expects the rows of some games. */
static void expect_rows(const chessdb *db, const char *columns, const char *rows)
{
    const uint32_t numbers[] = {2, 1};
    char *text = NULL;

    expect(chessdb_rows(db, numbers, 2, columns, &text) != CHESSDB_ERROR, columns);
    if (text == NULL || strcmp(text, rows) != 0)
        fprintf(stderr, "rows: %s\n", text ? text : "none");
    expect(text != NULL && strcmp(text, rows) == 0, rows);
    chessdb_free(text);
}

static void expect_move(const chessdb_move *move, const chessdb_move *right)
{
    expect(move->ply == right->ply && move->depth == right->depth, "the line of a move");
    expect(move->from == right->from && move->to == right->to, "the squares of a move");
    expect(move->promotion == right->promotion, "the new piece");
    expect(strcmp(move->san, right->san) == 0, right->san);
}

static void expect_moves(const chessdb *db)
{
    /* 1. e4 (1. d4 d5 (1... Nf6)) (1. c4) 1... e5, as the test writes it. */
    const chessdb_move right[] = {
        {0, 0, 12, 28, 0, "e4"},  {0, 1, 11, 27, 0, "d4"}, {1, 1, 51, 35, 0, "d5"},
        {1, 2, 62, 45, 0, "Nf6"}, {0, 1, 10, 26, 0, "c4"}, {1, 0, 52, 36, 0, "e5"},
    };
    /* 1. a8=Q+ Kd7 2. O-O, from a position. */
    const chessdb_move other[] = {
        {0, 0, 48, 56, 'q', "a8=Q+"}, {1, 0, 60, 51, 0, "Kd7"}, {2, 0, 4, 6, 0, "O-O"},
    };
    chessdb_move moves[8];
    /* A program with the header of a later version has longer moves. */
    struct {
        chessdb_move move;
        uint32_t later;
    } longer[3];

    memset(moves, 77, sizeof moves);
    expect(chessdb_game_moves(db, 1, moves, 8, sizeof *moves) == 6, "six moves");
    for (int n = 0; n < 6; n++)
        expect_move(&moves[n], &right[n]);
    expect(moves[6].san[0] == 0 && moves[7].to == 0, "no more moves");
    memset(longer, 77, sizeof longer);
    expect(chessdb_game_moves(db, 2, &longer[0].move, 3, sizeof *longer) == 3, "three moves");
    for (int n = 0; n < 3; n++) {
        expect_move(&longer[n].move, &other[n]);
        expect(longer[n].later == 0, "later members");
    }
    memset(moves, 77, sizeof moves);
    expect(chessdb_game_moves(db, 1, moves, 2, sizeof *moves) == 6, "the number of all moves");
    expect_move(&moves[1], &right[1]);
    expect(moves[2].ply != 0, "nothing after the capacity");
}

static void cancelled_calls(const char *path, const char *target)
{
    chessdb *db = chessdb_open(path, NULL);
    uint32_t numbers[2] = {77, 77};
    uint64_t unread = 77;
    char *report = (char *)1;
    int answer = 1;

    chessdb_watch(cancel, &answer);
    expect(chessdb_find(db, "result:1-0", numbers, 2, &unread) == CHESSDB_ERROR,
           "a cancelled search");
    expect_message("cancelled");
    expect(numbers[0] == 0 && unread == 0 && calls == 1, "no results");
    expect(chessdb_convert(db, target, NULL, 0, &report) == CHESSDB_ERROR, "a conversion");
    expect_message("cancelled");
    expect(report == NULL && calls == 2, "no report");
    expect(chessdb_open(target, NULL) == NULL, "no new database");
    answer = 0;
    int64_t watched = chessdb_find(db, "result:1-0", numbers, 2, &unread);
    expect(watched > 0 && calls > 2, "a search that is watched");
    chessdb_watch(NULL, NULL);
    calls = 0;
    expect(chessdb_find(db, "result:1-0", NULL, 0, NULL) == watched, "the same matches");
    expect(calls == 0, "not watched any more");

    expect(chessdb_convert(db, target, NULL, 0, NULL) != CHESSDB_ERROR, "a copy");
    chessdb_edit *edit = chessdb_edit_open(target, NULL);
    expect(chessdb_edit_delete(edit, 1, 1) == CHESSDB_OK, "a change");
    answer = 1;
    chessdb_watch(cancel, &answer);
    report = (char *)1;
    expect(chessdb_edit_save(edit, &report) == CHESSDB_ERROR && report == NULL, "a save");
    expect_message("cancelled");
    chessdb_watch(NULL, NULL);
    chessdb_edit_close(edit);
    expect(chessdb_undo(target, NULL) == CHESSDB_ERROR, "nothing was changed");
    chessdb_close(db);
}

static chessdb *opened(const char *path, const char *encoding)
{
    static uint8_t bytes[4096];
    FILE *stream = fopen(path, "rb");
    chessdb_file file = {"memory.pgn", bytes, 0};
    chessdb_options options = {sizeof options, NULL, encoding, NULL};

    if (stream != NULL) {
        file.size = fread(bytes, 1, sizeof bytes, stream);
        fclose(stream);
    }
    chessdb *db = chessdb_open_files(&file, 1, &options);
    memset(bytes, 0, sizeof bytes);
    return db;
}

static void password(const char *path)
{
    chessdb_options options = {sizeof options, NULL, NULL, "wrong"};

    expect(chessdb_open(path, NULL) == NULL && chessdb_last_error() != NULL, "no password");
    expect(chessdb_open_with(path, &options) == NULL, "a wrong password");
    options.password = "geheim";
    chessdb *db = chessdb_open_with(path, &options);
    expect(chessdb_count(db) == 1, "the right password");
    chessdb_close(db);
}

int main(int count, char **words)
{
    expect(count == 5, "four arguments");
    chessdb *db = opened(words[2], "cp1251");
    expect_rows(db, "game,white,black,result,plies",
                "2\tA B\t\xD0\x96\t1-0\t3\n1\t\xD0\x90\t\xD0\x91\t*\t2\n");
    expect_rows(db, "tag:Mode,FEN",
                "OTB\t4k3/P7/8/8/8/8/8/4K2R w K - 0 1\n\t\n");
    expect_moves(db);
    chessdb_close(db);
    db = opened(words[2], "cp1252");
    expect_rows(db, "black", "\xC3\x86\n\xC3\x81\n");
    chessdb_close(db);
    cancelled_calls(words[1], words[3]);
    password(words[4]);
    return failures > 0;
}
