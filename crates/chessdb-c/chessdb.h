/* chessdb: reads, searches, changes and converts chess databases of all formats.
 *
 * Conventions:
 *
 * - Texts are UTF-8 and end with a zero byte. Paths are the bytes of the system's file names, on
 *   Windows UTF-8.
 * - A `char *` that a function returns or stores belongs to the caller, who frees it with
 *   chessdb_free. A `const char *` belongs to the library.
 * - A pointer may be NULL only where a comment permits it; anywhere else NULL is an error.
 * - Functions that fail return NULL or CHESSDB_ERROR; chessdb_last_error states the reason. All
 *   places for results are then NULL or 0. No panic of the library reaches the caller.
 * - A database or edit that was closed is an error, not a crash.
 * - Several threads may use one database at the same time.
 * - A structure begins with its size, or the size is passed with it: set it with sizeof. Later
 *   versions append members; set those that you do not use to 0.
 *
 * Licence: GPL-3.0-or-later.
 */
#ifndef CHESSDB_H
#define CHESSDB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It grows with each incompatible change of this file. */
#define CHESSDB_INTERFACE 1

/* Success. */
#define CHESSDB_OK 0
/* Success, but something is missing; chessdb_last_error or the report states what. */
#define CHESSDB_INCOMPLETE 1
/* Failure. */
#define CHESSDB_ERROR -1

/* Flags of chessdb_convert: replace an existing target; fail if anything would be lost. */
#define CHESSDB_REPLACE 1u
#define CHESSDB_STRICT 2u

/* An open database. */
typedef struct chessdb chessdb;

/* How a database is opened. */
typedef struct chessdb_options {
    size_t size;          /* sizeof(chessdb_options) */
    const char *format;   /* an id such as "cbh"; NULL lets the content decide */
    const char *encoding; /* of texts that do not declare one, such as "cp1251"; NULL guesses it */
    const char *password; /* of an archive, or NULL */
} chessdb_options;

/* A file in memory: its name with a suffix, and its content. */
typedef struct chessdb_file {
    const char *name;
    const uint8_t *bytes;
    size_t size;
} chessdb_file;

/* A half-move. Squares are counted from a1, which is 0, over b1 to h8, which is 63. The squares of
 * castling are those of the king, in Chess960 those of king and rook; those of a null move are
 * equal. */
typedef struct chessdb_move {
    uint32_t ply;   /* the number of half-moves before it, from the start of the game */
    uint16_t depth; /* 0 in the main line, 1 in a variation of it, and so on */
    uint8_t from;
    uint8_t to;
    char promotion; /* the new piece, one of "nbrq", or 0 */
    char san[15];   /* such as "Nf3" */
} chessdb_move;

/* A function that learns how many games are done, of `total`, which is 0 if unknown. The call of
 * the library fails if it returns anything except 0. */
typedef int (*chessdb_progress)(void *data, uint64_t done, uint64_t total);

/* Returns the version of the library, such as "0.1.0". */
const char *chessdb_version(void);

/* Returns the interface that the library implements. A program must not continue if this is not
 * the CHESSDB_INTERFACE that it was compiled with. */
uint32_t chessdb_interface(void);

/* Returns the reason of the last failure, or what was incomplete, on this thread. Returns NULL if
 * the last call had complete success. Valid until the next call of another function on this
 * thread. */
const char *chessdb_last_error(void);

/* Frees a text. NULL is permitted. */
void chessdb_free(char *text);

/* Sets the function that long calls of this thread (chessdb_find, chessdb_convert,
 * chessdb_edit_save) call with `data` at their beginning, and then about 20 times a second; NULL
 * removes it. It runs on this thread, may call the library, and must return normally. A search of a
 * stream, such as packed PGN, calls it only at matches. */
void chessdb_watch(chessdb_progress progress, void *data);

/* Opens the database with this path: any of its files, or the name that they share. `format` is an
 * id such as "cbh"; NULL lets the content decide. An index file next to the database is used. */
chessdb *chessdb_open(const char *path, const char *format);

/* Opens a database with options; NULL are the default options. */
chessdb *chessdb_open_with(const char *path, const chessdb_options *options);

/* Opens the one database in `count` files, which are copied. */
chessdb *chessdb_open_files(const chessdb_file *files, size_t count,
                            const chessdb_options *options);

/* Creates a database without games, which chessdb_edit_open opens for appending them. `format` is
 * an id such as "si4"; NULL lets the suffix decide. A database that exists is an error. */
int chessdb_create(const char *path, const char *format);

/* Closes a database. NULL is permitted. Calls of other threads that use it still complete. */
void chessdb_close(chessdb *db);

/* Returns the number of games, or CHESSDB_ERROR. */
int64_t chessdb_count(const chessdb *db);

/* Returns the id of the format, such as "si4". */
char *chessdb_format(const chessdb *db);

/* Stores game `number`, counted from 1, as PGN in `*pgn`, or NULL on failure. The result is
 * CHESSDB_INCOMPLETE if a part of the game is damaged and missing, or if PGN cannot store all of
 * it. */
int chessdb_game_pgn(const chessdb *db, uint32_t number, char **pgn);

/* Stores a row for each of `count` games in `*rows`, or NULL on failure: the values of `columns`,
 * with tabs between them and a line feed at the end. Values contain neither. `columns` are names
 * with commas between them, those of the option --columns of the program: "game,white,black,FEN";
 * NULL are its default. The moves are read only for columns that need them. The result is
 * CHESSDB_INCOMPLETE if a game is damaged; one that cannot be read has empty values. A page of a
 * list takes the numbers that chessdb_find stored, from the first one on the page. */
int chessdb_rows(const chessdb *db, const uint32_t *numbers, size_t count, const char *columns,
                 char **rows);

/* Returns the number of half-moves of game `number`, counted from 1, or CHESSDB_ERROR. Stores the
 * first `capacity` of them in `moves`, which may be NULL if `capacity` is 0; the rest is 0. A
 * variation follows the move that it replaces and begins with the same `ply`. The start position is
 * in the column FEN of chessdb_rows. `size` is sizeof(chessdb_move). If a part of the game is damaged
 * and missing, chessdb_last_error states that. */
int64_t chessdb_game_moves(const chessdb *db, uint32_t number, chessdb_move *moves,
                           size_t capacity, size_t size);

/* Searches for games by the query language, and returns the number of matches, or CHESSDB_ERROR. All
 * games match an empty query, and are not read for it.
 * Stores the numbers of the first `capacity` of them in `numbers`, which may be NULL if `capacity`
 * is 0; the rest is 0. Stores the number of games that could not be read in `*unread`, which may be
 * NULL. */
int64_t chessdb_find(const chessdb *db, const char *query, uint32_t *numbers, size_t capacity,
                     uint64_t *unread);

/* Converts all games to a new database. `format` is an id such as "si4"; NULL lets the suffix of
 * `target` decide. `flags` is a sum of flags. Stores a report in `*report`, or NULL on failure: a
 * line for the games, and one for each kind of loss. `report` may be NULL. The result is
 * CHESSDB_INCOMPLETE if anything was lost. */
int chessdb_convert(const chessdb *db, const char *target, const char *format, uint32_t flags,
                    char **report);

/* Changes of a database that are saved together. A call while another one uses it is an error. While
 * it exists, other programs cannot write the database. */
typedef struct chessdb_edit chessdb_edit;

/* Opens a database for changing it; the arguments are those of chessdb_open. Games are counted from
 * 1 as in the database before the changes. */
chessdb_edit *chessdb_edit_open(const char *path, const char *format);

/* Closes an edit, and gives up the changes that were not saved. NULL is permitted. */
void chessdb_edit_close(chessdb_edit *edit);

/* Sets a tag of game `number`, or removes it if `value` is NULL. A value without the form of the tag
 * is an error. */
int chessdb_edit_tag(chessdb_edit *edit, uint32_t number, const char *name, const char *value);

/* Sets and removes flags: names such as "brilliancy,endgame", or letters as in the tag ScidFlags.
 * Both texts may be NULL. */
int chessdb_edit_flags(chessdb_edit *edit, uint32_t number, const char *set, const char *remove);

/* Marks a game as deleted, or removes the mark if `deleted` is 0. */
int chessdb_edit_delete(chessdb_edit *edit, uint32_t number, int deleted);

/* Replaces a game by one in PGN. */
int chessdb_edit_replace(chessdb_edit *edit, uint32_t number, const char *pgn);

/* Appends a game in PGN. */
int chessdb_edit_append(chessdb_edit *edit, const char *pgn);

/* Saves all changes as one; nothing changes if that fails or if a game cannot be stored without a
 * loss. The time is proportional to the changes if the format allows it; otherwise the database is
 * rewritten. Stores a report like chessdb_convert in `*report`, which may be NULL. After that the edit
 * can only be closed. */
int chessdb_edit_save(chessdb_edit *edit, char **report);

/* Undoes the last change of the database with this path that was saved in place, or repeats it if it
 * was undone. Stores what was done in `*change`, which may be NULL. An error if there is no such
 * change, or if another program has changed the database since. */
int chessdb_undo(const char *path, char **change);

#ifdef __cplusplus
}
#endif

#endif
