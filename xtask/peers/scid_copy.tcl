# tkscid scid_copy.tcl FROM INTO
# Adds all games of the SCID 4 base FROM to the SCID 4 base INTO (created if missing), as Scid
# copies games between bases: records byte by byte, names by their text.
# Prints: games N (of INTO, afterwards), error TEXT.
source [file join [file dirname [file normalize [info script]]] scid_common.tcl]

if {[llength $argv] != 2} {
    fail "usage: tkscid scid_copy.tcl FROM INTO" 2
}
lassign $argv from into
set into [stem $into]
set source_base [open_base $from]
if {[file exists $into.si4]} {
    set target [open_base $into]
} else {
    set target [must sc_base create SCID4 $into]
}
must sc_base copygames $source_base dbfilter $target
say games [must sc_base numGames $target]
must sc_base close $target
must sc_base close $source_base
exit 0
