# tkscid scid_export.tcl BASE OUT.pgn ?menu|base|plain? ?noscan?
# Writes all games of a SCID 4 database as PGN: all tags, NAGs as $n, null moves as `--`.
#   menu   like Scid's menu "export" (the default); ScidFlags tags are not written
#   base   like copying games into a PGN database in Scid; the same text plus ScidFlags tags
#   plain  like menu, without comments and variations (and therefore without NAGs)
# Scid breaks lines at 80 columns, even inside comments and after `2...`: compare with white space
# collapsed. Scid silently leaves games out of its export that it cannot read, so they are counted
# here first, unless `noscan` is given to measure the export alone.
# Prints: games N, unreadable N, unreadable_game I (1-based, one line each), export_ms N, error TEXT.
source [file join [file dirname [file normalize [info script]]] scid_common.tcl]

if {[llength $argv] ni {2 3 4}} {
    fail "usage: tkscid scid_export.tcl BASE OUT.pgn ?menu|base|plain? ?noscan?" 2
}
lassign $argv path out how noscan
if {$noscan ni {{} noscan}} {
    fail "unknown word: $noscan" 2
}
set base [open_base $path]
say games [must sc_base numGames $base]
if {$noscan eq ""} {
    set bad [unreadable_games $base]
    say unreadable [llength $bad]
    foreach game $bad {
        say unreadable_game $game
    }
}
file delete $out
set begin [clock milliseconds]
switch -- $how {
    "" - menu - plain {
        set all [expr {$how ne "plain"}]
        must sc_base export filter PGN $out -comments $all -variations $all \
            -indentComments 0 -indentVariations 0 -spaces 0 -symbols 0 -column 0 \
            -noMarkCodes 0 -convertNullMoves 0
    }
    base {
        set target [must sc_base create PGN $out]
        must sc_base copygames $base dbfilter $target
        must sc_base close $target
    }
    default {
        fail "unknown way to export: $how" 2
    }
}
say export_ms [expr {[clock milliseconds] - $begin}]
must sc_base close $base
exit 0
