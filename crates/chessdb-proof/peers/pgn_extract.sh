#!/bin/sh
# pgn_extract.sh FILE.pgn…
# Reads PGN files with pgn-extract and prints its complaints. Output, separated by tabs: a line
# `complaint<TAB>FILE<TAB>TEXT` for each message about a file, then
# `file<TAB>FILE<TAB>games N<TAB>complaints N`. Exit code 0: no complaints and every game matched,
# 1: complaints, 2: pgn-extract is missing or the arguments are wrong.
# Debian installs the program in /usr/games, which is not on every user's PATH.
PATH="$PATH:/usr/games"
if [ $# -eq 0 ] || ! command -v pgn-extract >/dev/null; then
    echo "usage: pgn_extract.sh FILE.pgn… (needs pgn-extract)" >&2
    exit 2
fi
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
status=0
for file in "$@"; do
    # --allownullmoves: without it, a null move in the mainline is an error.
    # --fixresulttags: without it, every game that ends in mate with the result `*` causes a warning;
    # we keep the result of the database.
    # The last line of the log is `N game(s) matched out of M.`; progress is written with carriage returns.
    pgn-extract --allownullmoves --fixresulttags -o/dev/null "$file" 2>&1 | tr '\r' '\n' | tail -n 1 >"$log"
    matched=$(sed -n 's/^\(.*[^0-9]\)\{0,1\}\([0-9][0-9]*\) games\{0,1\} matched out of \([0-9]*\)\..*/\2/p' "$log")
    total=$(sed -n 's/.* matched out of \([0-9]*\)\..*/\1/p' "$log")
    # -s prints nothing about good games, so every remaining line is a complaint.
    pgn-extract --allownullmoves --fixresulttags -s -o/dev/null "$file" 2>&1 | tr '\r' '\n' |
        grep -v -e '^Games: [0-9]*$' -e '^$' >"$log"
    complaints=$(wc -l <"$log")
    while IFS= read -r line; do
        printf 'complaint\t%s\t%s\n' "$file" "$line"
    done <"$log"
    if [ "${matched:-0}" != "${total:-none}" ]; then
        printf 'complaint\t%s\t%s\n' "$file" "only ${matched:-0} of ${total:-0} games are taken"
        complaints=$((complaints + 1))
    fi
    printf 'file\t%s\tgames %s\tcomplaints %d\n' "$file" "${total:-0}" "$complaints"
    if [ "$complaints" -ne 0 ]; then
        status=1
    fi
done
exit $status
