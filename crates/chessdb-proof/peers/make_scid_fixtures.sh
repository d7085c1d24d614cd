#!/bin/sh
# make_scid_fixtures.sh [OUTDIR]
# Writes the databases of fixtures/scid with Scid itself, from fixtures/pgn/clean. With OUTDIR they are
# written there, for a comparison with those in the repository; Scid 4.7.4 always writes the same bytes.
set -eu
PATH="$PATH:/usr/games"
# Tcl decodes the arguments in the encoding of the locale.
export LC_ALL=C.UTF-8
here=$(cd "$(dirname "$0")" && pwd)
pgn=$here/../../../fixtures/pgn/clean
out=${1:-$here/../../../fixtures/scid}
mkdir -p "$out"
make() {
    rm -f "$out/$1.si4" "$out/$1.sg4" "$out/$1.sn4"
    name=$1
    shift
    # A warning means that Scid's import changed the text, so the input is not clean.
    report=$(tkscid "$here/scid_import.tcl" "$@" "$out/$name")
    printf '%s\n' "$report" | grep -q '^warnings	$' || {
        printf '%s: %s\n' "$name" "$report" >&2
        exit 1
    }
}
# Texts and tags that Scid's import changes, on purpose.
for name in charsets remains; do
    rm -f "$out/$name.si4" "$out/$name.sg4" "$out/$name.sn4"
    tkscid "$here/scid_import.tcl" "$pgn/../edge/scid-$name.pgn" "$out/$name" >/dev/null
done
for file in "$pgn"/*.pgn; do
    make "$(basename "$file" .pgn)" "$file"
done
make annotated "$pgn/romantics.pgn" "$pgn/nesting.pgn" "$pgn/nags.pgn" "$pgn/commands.pgn" \
    "$pgn/starts.pgn" "$pgn/text.pgn" "$pgn/nullmoves.pgn"
tkscid "$here/scid_set.tcl" "$out/annotated" \
    extra description 'Annotated games of our own, café' extra type 7 extra autoload 3 \
    extra flag1 Check extra flag2 Études extra flag3 12345678 extra flag6 Last \
    flag 2 D flag 3 WU1 flag 5 'DWBMENPTKQ!?U123456' flag 12 6 flag 40 'T!' >/dev/null
make edited "$pgn/romantics.pgn" "$pgn/nags.pgn"
tkscid "$here/scid_set.tcl" "$out/edited" \
    white 2 'Someone Else' comment 5 'Changed after the import.' comment 13 'Short' \
    white 2 'Somebody New' append 3 0 flag 1 D comment 5 'Changed twice.' >/dev/null
