# tkscid scid_search.tcl BASE FENS
# Searches a SCID 4 base for exact positions, one FEN per line of the file FENS.
# Prints per line: found N (games in which the position stands).
source [file join [file dirname [file normalize [info script]]] scid_common.tcl]

if {[llength $argv] != 2} {
    fail "usage: tkscid scid_search.tcl BASE FENS" 2
}
set base [open_base [lindex $argv 0]]
set file [open [lindex $argv 1]]
while {[gets $file fen] >= 0} {
    must sc_game startBoard $fen
    must sc_search board RESET Exact 0 0
    say found [must sc_filter count]
}
