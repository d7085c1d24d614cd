/* chessdb: reads, searches and converts chess databases of all formats.
 *
 * Conventions:
 *
 * - Texts are UTF-8 and end with a zero byte. Paths are the bytes of the system's file names, on
 *   Windows UTF-8.
 * - A `char *` that a function returns or stores belongs to the caller, who frees it with
 *   chessdb_free. A `const char *` belongs to the library.
 * - A pointer may be NULL only where a comment permits it; anywhere else NULL is an error.
 * - Functions that fail return NULL or CHESSDB_ERROR; chessdb_last_error states the reason. No
 *   panic of the library reaches the caller.
 * - Several threads may use one database at the same time. chessdb_close must be the last call.
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

/* Opens the database with this path: any of its files, or the name that they share. `format` is an
 * id such as "cbh"; NULL lets the content decide. */
chessdb *chessdb_open(const char *path, const char *format);

/* Closes a database. NULL is permitted. */
void chessdb_close(chessdb *db);

/* Returns the number of games, or CHESSDB_ERROR. */
int64_t chessdb_count(const chessdb *db);

/* Returns the id of the format, such as "si4". */
char *chessdb_format(const chessdb *db);

/* Stores game `number`, counted from 1, as PGN in `*pgn`, or NULL on failure. The result is
 * CHESSDB_INCOMPLETE if a part of the game is damaged and missing, or if PGN cannot store all of
 * it. */
int chessdb_game_pgn(const chessdb *db, uint32_t number, char **pgn);

/* Searches for games by the query language, and returns the number of matches, or CHESSDB_ERROR.
 * Stores the numbers of the first `capacity` of them in `numbers`, which may be NULL if `capacity`
 * is 0. Stores the number of games that could not be read in `*unread`, which may be NULL. */
int64_t chessdb_find(const chessdb *db, const char *query, uint32_t *numbers, size_t capacity,
                     uint64_t *unread);

/* Converts all games to a new database. `format` is an id such as "si4"; NULL lets the suffix of
 * `target` decide. `flags` is a sum of flags. Stores a report in `*report`, or NULL on failure: a
 * line for the games, and one for each kind of loss. `report` may be NULL. The result is
 * CHESSDB_INCOMPLETE if anything was lost. */
int chessdb_convert(const chessdb *db, const char *target, const char *format, uint32_t flags,
                    char **report);

/* Changes of a database that are saved together. A thread at a time may use it. While it exists,
 * other programs cannot write the database. */
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
