# tkscid scid_set.tcl BASE ?extra KEY VALUE?… ?flag GAME LETTERS?…
# Changes what belongs to a base: description, type, autoload, flag1 .. flag6 (extra), and sets
# flags of single games (1-based; letters as in the ScidFlags tag). Used to make the fixture base
# `annotated`.
# Prints: games N, error TEXT.
source [file join [file dirname [file normalize [info script]]] scid_common.tcl]

if {[llength $argv] == 0 || [llength $argv] % 3 != 1} {
    fail "usage: tkscid scid_set.tcl BASE ?extra KEY VALUE?… ?flag GAME LETTERS?…" 2
}
set base [open_base [lindex $argv 0]]
foreach {verb key value} [lrange $argv 1 end] {
    switch -- $verb {
        extra {
            must sc_base extra $base $key $value
        }
        flag {
            foreach letter [split $value ""] {
                must sc_base gameflag $base $key set $letter
            }
        }
        default {
            fail "unknown verb: $verb" 2
        }
    }
}
say games [must sc_base numGames $base]
must sc_base close $base
exit 0
