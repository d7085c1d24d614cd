/* The command chessdb for Tcl, with which games.tcl lists a database in Scid's shell: Tcl itself
 * cannot call a library. It needs the packages tcl-dev and pkg-config:
 * cc -shared -fPIC -DUSE_TCL_STUBS tcl_module.c -o chessdbtcl.so $(pkg-config --cflags --libs tcl chessdb)
 *
 *   chessdb open PATH           returns a handle
 *   chessdb count HANDLE        returns the number of games
 *   chessdb find HANDLE QUERY   returns a list of the numbers of the games that match
 *   chessdb rows HANDLE NUMBERS COLUMNS    returns a list of rows, each a list of values
 *   chessdb pgn HANDLE NUMBER   returns a game as PGN
 *   chessdb close HANDLE */
#include <stdint.h>
#include <string.h>
#include <tcl.h>

#include "chessdb.h"

static int failed(Tcl_Interp *interp)
{
    const char *reason = chessdb_last_error();
    Tcl_SetObjResult(interp, Tcl_NewStringObj(reason ? reason : "unknown reason", -1));
    return TCL_ERROR;
}

/* Returns a result that the library owns and frees it. */
static int text_result(Tcl_Interp *interp, int result, char *text)
{
    if (result == CHESSDB_ERROR)
        return failed(interp);
    Tcl_SetObjResult(interp, Tcl_NewStringObj(text, -1));
    chessdb_free(text);
    return TCL_OK;
}

static int find(Tcl_Interp *interp, const chessdb *db, const char *query)
{
    int64_t games = chessdb_count(db);
    if (games < 0)
        return failed(interp);
    uint32_t *numbers = (uint32_t *)ckalloc((unsigned)(games + 1) * sizeof *numbers);
    int64_t matches = chessdb_find(db, query, numbers, (size_t)games, NULL);
    if (matches >= 0) {
        Tcl_Obj *list = Tcl_NewListObj(0, NULL);
        for (int64_t n = 0; n < matches; n++)
            Tcl_ListObjAppendElement(interp, list, Tcl_NewWideIntObj(numbers[n]));
        Tcl_SetObjResult(interp, list);
    }
    ckfree((char *)numbers);
    return matches < 0 ? failed(interp) : TCL_OK;
}

/* Makes lists of lines and of the values between tabs. */
static void split_rows(Tcl_Interp *interp, const char *text)
{
    Tcl_Obj *rows = Tcl_NewListObj(0, NULL), *row = Tcl_NewListObj(0, NULL);

    while (*text != 0) {
        size_t length = strcspn(text, "\t\n");
        Tcl_ListObjAppendElement(interp, row, Tcl_NewStringObj(text, (int)length));
        text += length;
        if (*text == '\n') {
            Tcl_ListObjAppendElement(interp, rows, row);
            row = Tcl_NewListObj(0, NULL);
        }
        text += *text != 0;
    }
    Tcl_DecrRefCount(row);
    Tcl_SetObjResult(interp, rows);
}

static int rows(Tcl_Interp *interp, const chessdb *db, Tcl_Obj *list, const char *columns)
{
    Tcl_Obj **items;
    int count, status = TCL_OK;
    char *text;

    if (Tcl_ListObjGetElements(interp, list, &count, &items) != TCL_OK)
        return TCL_ERROR;
    uint32_t *numbers = (uint32_t *)ckalloc((unsigned)(count + 1) * sizeof *numbers);
    for (int n = 0; n < count && status == TCL_OK; n++) {
        Tcl_WideInt number;
        status = Tcl_GetWideIntFromObj(interp, items[n], &number);
        numbers[n] = status == TCL_OK && number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
    }
    if (status == TCL_OK) {
        if (chessdb_rows(db, numbers, (size_t)count, columns, &text) == CHESSDB_ERROR) {
            status = failed(interp);
        } else {
            split_rows(interp, text);
            chessdb_free(text);
        }
    }
    ckfree((char *)numbers);
    return status;
}

static int command(ClientData data, Tcl_Interp *interp, int count, Tcl_Obj *const words[])
{
    static const char *const names[] = {"open", "count", "find", "rows", "pgn", "close", NULL};
    static const int counts[] = {3, 3, 4, 5, 4, 3};
    Tcl_WideInt number = 0;
    int which;
    char *text;

    (void)data;
    if (count < 2 || Tcl_GetIndexFromObj(interp, words[1], names, "command", 0, &which) != TCL_OK) {
        if (count < 2)
            Tcl_WrongNumArgs(interp, 1, words, "command argument ...");
        return TCL_ERROR;
    }
    if (count != counts[which]) {
        Tcl_WrongNumArgs(interp, 2, words, "argument ...");
        return TCL_ERROR;
    }
    if (which == 0) {
        chessdb *db = chessdb_open(Tcl_GetString(words[2]), NULL);
        if (db == NULL)
            return failed(interp);
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj((Tcl_WideInt)(intptr_t)db));
        return TCL_OK;
    }
    /* The library refuses a number that is no handle. */
    if (Tcl_GetWideIntFromObj(interp, words[2], &number) != TCL_OK)
        return TCL_ERROR;
    chessdb *db = (chessdb *)(intptr_t)number;
    switch (which) {
    case 1:
        number = chessdb_count(db);
        if (number < 0)
            return failed(interp);
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj(number));
        return TCL_OK;
    case 2:
        return find(interp, db, Tcl_GetString(words[3]));
    case 3:
        return rows(interp, db, words[3], Tcl_GetString(words[4]));
    case 4:
        if (Tcl_GetWideIntFromObj(interp, words[3], &number) != TCL_OK)
            return TCL_ERROR;
        which = chessdb_game_pgn(db, number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0, &text);
        return text_result(interp, which, text);
    default:
        chessdb_close(db);
        return TCL_OK;
    }
}

/* Tcl calls this function of a file with the name chessdbtcl. */
DLLEXPORT int Chessdbtcl_Init(Tcl_Interp *interp)
{
    if (Tcl_InitStubs(interp, "8.6", 0) == NULL)
        return TCL_ERROR;
    if (chessdb_interface() != CHESSDB_INTERFACE) {
        Tcl_SetObjResult(interp, Tcl_NewStringObj("the library has another interface", -1));
        return TCL_ERROR;
    }
    Tcl_CreateObjCommand(interp, "chessdb", command, NULL, NULL);
    return TCL_OK;
}
