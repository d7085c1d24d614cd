/* Changes of a database, and undoing them: edit DATABASE, which has at least three games */
#include <stdio.h>
#include <string.h>

#include "expect.h"

/* Returns whether the PGN of a game contains a text. */
static int has(const char *path, uint32_t number, const char *part)
{
    chessdb *db = chessdb_open(path, NULL);
    char *pgn = NULL;
    int found = db != NULL && chessdb_game_pgn(db, number, &pgn) != CHESSDB_ERROR &&
                strstr(pgn, part) != NULL;

    chessdb_free(pgn);
    chessdb_close(db);
    return found;
}

static int64_t count(const char *path)
{
    chessdb *db = chessdb_open(path, NULL);
    int64_t games = chessdb_count(db);

    chessdb_close(db);
    return games;
}

/* The edit that is being saved refuses further calls, instead of waiting for itself. */
static int within(void *data, uint64_t done, uint64_t total)
{
    (void)done, (void)total;
    expect(chessdb_edit_append(data, "1. e4 *") == CHESSDB_ERROR, "a change within a save");
    expect_message("another call");
    return 0;
}

int main(int argc, char **words)
{
    const char *path = words[1];
    char *text = NULL;

    expect(argc == 2, "one argument");
    int64_t games = count(path);
    expect(chessdb_undo(path, &text) == CHESSDB_ERROR && text == NULL, "nothing to undo");

    chessdb_edit *edit = chessdb_edit_open(path, NULL);
    expect(edit != NULL, "open");
    expect(chessdb_edit_open(path, NULL) == NULL, "a second writer");
    expect(chessdb_edit_tag(edit, 1, "White", "Tal, Mihail") == CHESSDB_OK, "tag");
    expect(chessdb_edit_tag(edit, 1, "Site", NULL) == CHESSDB_OK, "a tag is removed");
    expect(chessdb_edit_flags(edit, 2, "brilliancy", NULL) == CHESSDB_OK, "flags");
    expect(chessdb_edit_delete(edit, 2, 1) == CHESSDB_OK, "delete");
    expect(chessdb_edit_replace(edit, 3, "1. b3 *") == CHESSDB_OK, "replace");
    expect(chessdb_edit_append(edit, "[White \"New\"]\n\n1. g3 *") == CHESSDB_OK, "append");
    expect(chessdb_edit_tag(edit, 1, "WhiteElo", "strong") == CHESSDB_ERROR, "a wrong rating");
    expect(chessdb_edit_tag(edit, 1, "FEN", "8/8/8/8/8/8/8/8 w - - 0 1") == CHESSDB_ERROR, "a FEN");
    expect(chessdb_edit_tag(edit, 0, "White", "x") == CHESSDB_ERROR, "game 0");
    expect(chessdb_edit_tag(edit, (uint32_t)games + 1, "White", "x") == CHESSDB_ERROR,
           "a game after the last");
    expect(chessdb_edit_tag(edit, 1, NULL, "x") == CHESSDB_ERROR, "a tag without a name");
    expect(chessdb_edit_flags(edit, 1, "no such flag", NULL) == CHESSDB_ERROR, "a wrong flag");
    expect(chessdb_edit_append(edit, NULL) == CHESSDB_ERROR, "no game");
    expect(chessdb_edit_append(NULL, "1. e4 *") == CHESSDB_ERROR, "no edit");
    expect(count(path) == games, "nothing is saved yet");
    chessdb_watch(within, edit);
    expect(chessdb_edit_save(edit, &text) == CHESSDB_OK, "save");
    chessdb_watch(NULL, NULL);
    expect(text != NULL && strstr(text, " games written\n") != NULL, "a report");
    chessdb_free(text);
    expect(chessdb_edit_save(edit, NULL) == CHESSDB_ERROR, "a second save");
    expect(chessdb_edit_delete(edit, 1, 1) == CHESSDB_ERROR, "a change after the save");
    chessdb_edit_close(edit);
    chessdb_edit_close(NULL);

    expect(count(path) == games + 1, "one game more");
    expect(has(path, 1, "[White \"Tal, Mihail\"]") && has(path, 1, "[Site \"?\"]"), "tags");
    expect(has(path, 2, "ScidFlags"), "flags");
    expect(has(path, 3, "1. b3"), "the new moves");
    expect(has(path, (uint32_t)games + 1, "[White \"New\"]"), "the new game");

    edit = chessdb_edit_open(path, NULL);
    expect(chessdb_edit_delete(edit, 1, 1) == CHESSDB_OK, "delete");
    chessdb_edit_close(edit);
    expect(!has(path, 1, "ScidFlags"), "changes that were given up");

    expect(chessdb_undo(path, &text) == CHESSDB_OK, "undo");
    expect(text != NULL && strstr(text, "undone: ") == text, "what was undone");
    chessdb_free(text);
    expect(count(path) == games && !has(path, 1, "Tal, Mihail"), "the old games");
    expect(chessdb_undo(path, NULL) == CHESSDB_OK, "repeat");
    expect(count(path) == games + 1 && has(path, 3, "1. b3"), "the new games");
    return failures > 0;
}
