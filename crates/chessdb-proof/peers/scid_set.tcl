# tkscid scid_set.tcl BASE ?VERB KEY VALUE?…
#   extra KEY VALUE      description, type, autoload, flag1 .. flag6 of the base
#   flag GAME LETTERS    sets flags of a game (1-based; letters as in the ScidFlags tag)
#   white GAME NAME      loads the game, changes the name of White, saves it in its place
#   comment GAME TEXT    the same with the comment after the last move of the main line
#   append GAME 0        saves a copy of the game behind the last one
# A game saved in its place gets a new record at the end of sg4; the old one stays behind, unused.
# Makes the fixture bases `annotated` and `edited`.
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
