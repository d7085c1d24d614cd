# tkscid scid_set.tcl BASE ?VERB KEY VALUE?…
#   extra KEY VALUE      sets description, type, autoload, flag1 .. flag6 of the database
#   flag GAME LETTERS    sets flags of a game (1-based; letters as in the ScidFlags tag)
#   white GAME NAME      changes the name of White and saves the game in place
#   comment GAME TEXT    changes the comment after the last mainline move and saves the game in place
#   append GAME 0        appends a copy of the game
# A game saved in place gets a new record at the end of sg4; the old one remains, unused.
# Makes the fixture databases `annotated` and `edited`.
# Prints: games N, error TEXT.
source [file join [file dirname [file normalize [info script]]] scid_common.tcl]

if {[llength $argv] == 0 || [llength $argv] % 3 != 1} {
    fail "usage: tkscid scid_set.tcl BASE ?VERB KEY VALUE?…" 2
}
set base [open_base [lindex $argv 0]]
must sc_base switch $base
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
        white {
            must sc_game load $key
            must sc_game tags set -white $value
            must sc_game save $key
        }
        comment {
            must sc_game load $key
            must sc_move end
            must sc_pos setComment $value
            must sc_game save $key
        }
        append {
            must sc_game load $key
            must sc_game save 0
        }
        default {
            fail "unknown verb: $verb" 2
        }
    }
}
say games [must sc_base numGames $base]
must sc_base close $base
exit 0
