# tkscid scid_search.tcl BASE QUESTIONS
# Searches an open SCID 4 database, with one question per line of the file QUESTIONS:
#   Exact FEN, Material FEN   sc_search board
#   material OPTION…          sc_search material
#   header OPTION…            sc_search header
# Prints per question: found N (matching games), micros N (duration of the search alone).
source [file join [file dirname [file normalize [info script]]] scid_common.tcl]

if {[llength $argv] != 2} {
    fail "usage: tkscid scid_search.tcl BASE QUESTIONS" 2
}
set base [open_base [lindex $argv 0]]
set file [open [lindex $argv 1]]
while {[gets $file line] >= 0} {
    set kind [lindex $line 0]
    set rest [lrange $line 1 end]
    if {$kind in {Exact Material}} {
        must sc_game startBoard [join $rest " "]
        set search [list sc_search board RESET $kind 0 0]
    } else {
        # 2: ignore earlier results.
        set search [list sc_search $kind {*}$rest -filter 2]
    }
    set took [time {must {*}$search}]
    say found [must sc_filter count]
    say micros [lindex $took 0]
}
