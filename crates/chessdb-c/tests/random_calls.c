/* Random calls with random arguments, most of them wrong. No call crashes, and each keeps the promises
 * of chessdb.h about results and messages: random_calls DATABASE FOLDER SEED CALLS */
#include <stdint.h>
#include <stdlib.h>

#include "expect.h"

enum { HANDLES = 6, TEXTS = 20 };

static uint64_t state;
static const char *texts[TEXTS] = {
    NULL, "", "si4", "cbh", "\xC3", "\xE2\x82", "ok\xF0\x9F\x99", "result:1-0", "white:Tal",
    "((((", "game,white,black", "plies,moves", "FEN", "1. e4 *", "White", "7", "\n\t", "auto",
};
static chessdb *dbs[HANDLES];
static chessdb_edit *edits[HANDLES];

/* Returns a number below `limit`. */
static uint32_t below(uint32_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % limit;
}

static const char *text(void)
{
    return texts[below(TEXTS)];
}

/* Returns a handle of any kind: open, closed, of the other kind, or invented. */
static void *handle(void)
{
    switch (below(8)) {
    case 0:
        return NULL;
    case 1:
        return (void *)(uintptr_t)below(1000);
    case 2:
        return edits[below(HANDLES)];
    default:
        return dbs[below(HANDLES)];
    }
}

static uint32_t number(void)
{
    static const uint32_t limits[] = {0, 1, 2, 3, 1000, UINT32_MAX};
    return limits[below(6)];
}

static int progress(void *data, uint64_t done, uint64_t total)
{
    (void)total;
    /* Calls from within are not watched, and their messages do not stay. */
    chessdb_count(NULL);
    chessdb_edit_append(edits[below(HANDLES)], "1. e4 *");
    chessdb_close(dbs[below(HANDLES)]);
    return (*(uint32_t *)data + done) % 3 == 0;
}

/* Expects the promises about a result with a code. */
static void expect_result(int64_t result, const char *stored, const char *what)
{
    expect(result >= CHESSDB_ERROR, what);
    if (result == CHESSDB_ERROR)
        expect(stored == NULL && chessdb_last_error() != NULL, what);
    else
        expect(stored != NULL, what);
    if (result == CHESSDB_INCOMPLETE)
        expect(chessdb_last_error() != NULL, what);
    if (result == CHESSDB_OK)
        expect(chessdb_last_error() == NULL, what);
}

static void expect_handle(const void *opened)
{
    expect((opened == NULL) == (chessdb_last_error() != NULL), "a handle or a message");
}

static void one_call(uint32_t seed)
{
    static uint32_t answer;
    chessdb_options options = {below(8) ? sizeof options : below(40), text(), text(), text()};
    uint8_t bytes[64];
    chessdb_file file = {text(), bytes, below(64)};
    uint32_t numbers[8], slot = below(HANDLES);
    chessdb_move moves[8];
    uint64_t unread = 1;
    char *stored = (char *)1;
    void *any = handle();
    int64_t result;

    memset(numbers, 0x55, sizeof numbers);
    memset(moves, 0x55, sizeof moves);
    for (size_t n = 0; n < sizeof bytes; n++)
        bytes[n] = (uint8_t)below(256);
    if (below(2))
        memcpy(bytes, "1. e4 e5 (1... c5) *\n", 21);
    switch (below(18)) {
    case 0:
        chessdb_close(dbs[slot]);
        expect_handle(dbs[slot] = chessdb_open(text(), text()));
        break;
    case 1:
        chessdb_close(dbs[slot]);
        expect_handle(dbs[slot] = chessdb_open_with(text(), below(4) ? &options : NULL));
        break;
    case 2:
        chessdb_close(dbs[slot]);
        expect_handle(dbs[slot] = chessdb_open_files(&file, below(2), below(4) ? &options : NULL));
        break;
    case 3:
        chessdb_close(any);
        break;
    case 4:
        result = chessdb_count(any);
        expect((result < 0) == (chessdb_last_error() != NULL), "count");
        break;
    case 5:
        chessdb_free(chessdb_format(any));
        break;
    case 6:
        result = chessdb_game_pgn(any, number(), &stored);
        expect_result(result, stored, "game_pgn");
        chessdb_free(stored);
        break;
    case 7:
        for (size_t n = 0; n < 8; n++)
            numbers[n] = number();
        result = chessdb_rows(any, numbers, below(9), text(), &stored);
        expect_result(result, stored, "rows");
        chessdb_free(stored);
        break;
    case 8:
        result = chessdb_game_moves(any, number(), moves, below(9), sizeof *moves);
        expect(result >= 0 || chessdb_last_error() != NULL, "moves");
        break;
    case 9:
        result = chessdb_find(any, text(), numbers, below(9), &unread);
        expect(result >= 0 || (chessdb_last_error() != NULL && unread == 0), "find");
        break;
    case 10:
        result = chessdb_convert(any, text(), text(), below(5), &stored);
        expect_result(result, stored, "convert");
        chessdb_free(stored);
        break;
    case 11:
        answer = seed;
        chessdb_watch(below(2) ? progress : NULL, &answer);
        break;
    case 12:
        chessdb_edit_close(edits[slot]);
        expect_handle(edits[slot] = chessdb_edit_open(text(), text()));
        break;
    case 13:
        chessdb_edit_tag(any, number(), text(), text());
        chessdb_edit_tag(edits[slot], number(), text(), text());
        break;
    case 14:
        chessdb_edit_flags(edits[slot], number(), text(), text());
        chessdb_edit_delete(edits[slot], number(), (int)below(3));
        break;
    case 15:
        chessdb_edit_append(edits[slot], text());
        chessdb_edit_replace(edits[slot], number(), text());
        break;
    case 16:
        result = chessdb_edit_save(edits[slot], &stored);
        expect_result(result, stored, "save");
        chessdb_free(stored);
        break;
    default:
        result = chessdb_undo(text(), below(4) ? &stored : NULL);
        expect(result >= CHESSDB_ERROR, "undo");
        chessdb_free(stored == (char *)1 ? NULL : stored);
        chessdb_create(text(), text());
    }
}

int main(int count, char **words)
{
    char existing[1024], created[1024];

    if (count != 5)
        return 2;
    snprintf(existing, sizeof existing, "%s/existing.pgn", words[2]);
    snprintf(created, sizeof created, "%s/created.si4", words[2]);
    texts[TEXTS - 2] = existing;
    texts[TEXTS - 1] = created;
    chessdb *db = chessdb_open(words[1], NULL);
    expect(chessdb_convert(db, existing, NULL, 0, NULL) != CHESSDB_ERROR, "a copy");
    dbs[0] = db;
    dbs[1] = chessdb_open(words[1], NULL);
    state = strtoull(words[3], NULL, 10);
    for (uint32_t call = 0; call < strtoul(words[4], NULL, 10) && failures == 0; call++)
        one_call(call);
    for (int slot = 0; slot < HANDLES; slot++) {
        chessdb_close(dbs[slot]);
        chessdb_edit_close(edits[slot]);
    }
    return failures > 0;
}
