# tkscid scid_tree.tcl BASE FENS CACHE
# Counts the moves in positions of a SCID 4 database, one FEN per line of the file FENS, as Scid's tree
# window does: it searches the games with the position, and then counts their next moves. CACHE is the
# number of positions that Scid may keep; 0 turns its cache off. All positions are asked twice, in turn.
# Prints per position and round: position N, games N (with the position), then move and number of games
# of each move (move SAN N), micros N (duration).
source [file join [file dirname [file normalize [info script]]] scid_common.tcl]

if {[llength $argv] != 3} {
    fail "usage: tkscid scid_tree.tcl BASE FENS CACHE" 2
}
set base [open_base [lindex $argv 0]]
must sc_tree cachesize $base [lindex $argv 2]
set file [open [lindex $argv 1]]
set fens [split [string trim [read $file]] \n]
for {set round 1} {$round <= 2} {incr round} {
    set number 0
    foreach fen $fens {
        must sc_game startBoard $fen
        set took [time {
            must sc_filter search $base tree board
            set table [must sc_tree stats $base tree 0 frequency]
        }]
        say position [incr number]
        say games [must sc_filter count $base tree]
        foreach line [split $table \n] {
            if {[regexp {^ *\d+: *([^\s\[]+) +(?:[A-E]\d\S* +)?(\d+):} $line -> san games]} {
                say move "$san $games"
            }
        }
        say micros [lindex $took 0]
    }
}
