# tkscid scid_open.tcl BASE
# Opens a SCID 4 database and prints what Scid reads from it.
# Prints: games N, unreadable N, unreadable_game I (1-based, one line each), description TEXT,
# type N, autoload N, flag1 .. flag6 TEXT (names of the custom flags), flags I LETTERS (only for
# games that have some; order D W B M E N P T K Q ! ? U 1 .. 6), error TEXT.
source [file join [file dirname [file normalize [info script]]] scid_common.tcl]

if {[llength $argv] != 1} {
    fail "usage: tkscid scid_open.tcl BASE" 2
}
set base [open_base [lindex $argv 0]]
set count [must sc_base numGames $base]
say games $count
set bad [unreadable_games $base]
say unreadable [llength $bad]
foreach game $bad {
    say unreadable_game $game
}
set extra [must sc_base extra $base]
foreach key {description type autoload flag1 flag2 flag3 flag4 flag5 flag6} {
    say $key [dict get $extra $key]
}
set letters {D W B M E N P T K Q ! ? U 1 2 3 4 5 6}
for {set game 1} {$game <= $count} {incr game} {
    set set_flags ""
    foreach letter $letters {
        if {[must sc_base gameflag $base $game get $letter]} {
            append set_flags $letter
        }
    }
    if {$set_flags ne ""} {
        say flags "$game $set_flags"
    }
}
must sc_base close $base
exit 0
