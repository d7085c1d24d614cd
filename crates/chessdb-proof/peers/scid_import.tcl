# tkscid scid_import.tcl IN.pgn… OUTBASE
# Creates the SCID 4 database OUTBASE.{si4,sg4,sn4} and imports the PGN files into it, in this order.
# Prints: games N, warnings TEXT (empty if there are none), import_ms N, error TEXT.
source [file join [file dirname [file normalize [info script]]] scid_common.tcl]

if {[llength $argv] < 2} {
    fail "usage: tkscid scid_import.tcl IN.pgn… OUTBASE" 2
}
set inputs [lrange $argv 0 end-1]
set out [stem [lindex $argv end]]
# Scid does not replace existing files, and would fail halfway.
foreach suffix {si4 sg4 sn4} {
    if {[file exists $out.$suffix]} {
        fail "$out.$suffix exists already"
    }
}
foreach pgn $inputs {
    if {![file readable $pgn]} {
        fail "cannot read $pgn"
    }
}
set base [must sc_base create SCID4 $out]
set begin [clock milliseconds]
set games 0
set warnings ""
foreach pgn $inputs {
    lassign [must sc_base import $base $pgn] count text
    incr games $count
    append warnings $text
}
set end [clock milliseconds]
must sc_base close $base
say games $games
say warnings $warnings
say import_ms [expr {$end - $begin}]
exit 0
