/* Reads a PGN file into memory, and writes its games one by one to a new database:
 * write FILE.pgn TARGET */
#include <stdio.h>
#include <stdlib.h>

#include "chessdb.h"

static int failed(const char *what)
{
    const char *reason = chessdb_last_error();
    fprintf(stderr, "%s: %s\n", what, reason ? reason : "unknown reason");
    return 3;
}

/* Reads a file; the caller frees its bytes. */
static int read_file(const char *path, chessdb_file *file)
{
    FILE *stream = fopen(path, "rb");
    long size = -1;
    uint8_t *bytes = NULL;

    if (stream != NULL && fseek(stream, 0, SEEK_END) == 0)
        size = ftell(stream);
    if (size >= 0 && fseek(stream, 0, SEEK_SET) == 0)
        bytes = malloc((size_t)size + 1);
    if (bytes != NULL && fread(bytes, 1, (size_t)size, stream) != (size_t)size) {
        free(bytes);
        bytes = NULL;
    }
    if (stream != NULL)
        fclose(stream);
    *file = (chessdb_file){path, bytes, (size_t)size};
    return bytes != NULL;
}

/* Appends all games of a database, and saves them as one change. */
static int append_all(const chessdb *db, const char *target)
{
    int64_t games = chessdb_count(db);
    chessdb_edit *edit = chessdb_edit_open(target, NULL);
    int status = edit == NULL || games < 0 ? failed("cannot write") : 0;

    for (int64_t number = 1; number <= games && status == 0; number++) {
        char *pgn;
        if (chessdb_game_pgn(db, (uint32_t)number, &pgn) != CHESSDB_OK)
            status = failed("cannot read a game completely");
        else if (chessdb_edit_append(edit, pgn) != CHESSDB_OK)
            status = failed("cannot write a game");
        chessdb_free(pgn);
    }
    if (status == 0) {
        char *report;
        if (chessdb_edit_save(edit, &report) == CHESSDB_ERROR)
            status = failed("cannot save");
        else
            fputs(report, stdout);
        chessdb_free(report);
    }
    chessdb_edit_close(edit);
    return status;
}

int main(int count, char **words)
{
    chessdb_file file;
    int status = 0;

    if (chessdb_interface() != CHESSDB_INTERFACE || count != 3) {
        fprintf(stderr, "usage: write FILE.pgn TARGET\n");
        return 2;
    }
    if (!read_file(words[1], &file)) {
        perror(words[1]);
        return 3;
    }
    chessdb *db = chessdb_open_files(&file, 1, NULL);
    free((void *)file.bytes);
    if (db == NULL)
        return failed("cannot open the file");
    if (chessdb_create(words[2], NULL) != CHESSDB_OK)
        status = failed("cannot create the database");
    else
        status = append_all(db, words[2]);
    chessdb_close(db);
    return status;
}
