# tkscid scid_twins.tcl IN.pgn OUTBASE ?KEY VALUE?…
# Imports the PGN file into the new SCID 4 database OUTBASE and marks twins as Scid's menu does. The keys
# are those of its dialog "Delete twin games": players, colors, event, site, round, year, month, day, result,
# eco, moves, skipshort, comments, variations (Yes or No), delete (Shorter, Older, Newer).
# Prints: games N, twins N, then one line `deleted NUMBER` per game that Scid would delete.
source [file join [file dirname [file normalize [info script]]] scid_common.tcl]

if {[llength $argv] < 2 || [llength $argv] % 2} {
    fail "usage: tkscid scid_twins.tcl IN.pgn OUTBASE ?KEY VALUE?…" 2
}
# The defaults of Scid's options.tcl.
set settings {
    players No colors No event No site Yes round Yes year Yes month Yes day No result No eco No moves Yes
    skipshort Yes setfilter No usefilter No comments Yes variations Yes delete Shorter
}
foreach {key value} [lrange $argv 2 end] {
    if {![dict exists $settings $key]} {
        fail "unknown key: $key" 2
    }
    dict set settings $key $value
}
set base [must sc_base create SCID4 [stem [lindex $argv 1]]]
must sc_base import $base [lindex $argv 0]
must sc_base switch $base
set options {}
dict for {key value} $settings {
    lappend options -$key $value
}
say games [must sc_base numGames $base]
say twins [must sc_base duplicates $base {*}$options]
set count [must sc_base numGames $base]
for {set game 1} {$game <= $count} {incr game} {
    if {[must sc_base gameflag $base $game get del]} {
        say deleted $game
    }
}
must sc_base close $base
exit 0
