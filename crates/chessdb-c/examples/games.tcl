# tclsh games.tcl MODULE DATABASE [QUERY], or tkscid instead of tclsh
# Lists a database as an import dialog would. MODULE is the library made of tcl_module.c. Opens the
# database, searches it, and reads pages of 40 rows from its beginning, middle and end as a user would
# who drags the scroll bar. Prints the first page, the first game, and the times. A screen with 60
# frames a second leaves 16 ms for a page.

if {[llength $argv] ni {2 3}} {
    puts stderr "usage: games.tcl MODULE DATABASE \[QUERY\]"
    exit 2
}
lassign $argv module path query
set page 40
set columns game,date,white,black,result,event

# Runs a script in the caller, and prints how long it took.
proc timed {what script} {
    set begin [clock microseconds]
    uplevel 1 $script
    puts [format "%s: %.1f ms" $what [expr {([clock microseconds] - $begin) / 1000.0}]]
}

fconfigure stdout -encoding utf-8
if {[catch {
    load $module Chessdbtcl
    timed open {set db [chessdb open $path]}
    timed search {set numbers [chessdb find $db $query]}
    set count [llength $numbers]
    puts "$count of [chessdb count $db] games"
    set places [list 0 [expr {$count / 2}] [expr {max(0, $count - $page)}]]
    foreach first [lsort -integer -unique $places] {
        set shown [lrange $numbers $first [expr {$first + $page - 1}]]
        timed "page of [llength $shown] rows from row [expr {$first + 1}]" {
            set rows [chessdb rows $db $shown $columns]
        }
        if {$first == 0} {
            foreach row [lrange $rows 0 4] {
                puts [join $row " | "]
            }
        }
    }
    if {$count > 0} {
        timed "a game" {set pgn [chessdb pgn $db [lindex $numbers 0]]}
        puts $pgn
    }
    chessdb close $db
} message]} {
    puts stderr "games.tcl: $message"
    exit 1
}
exit 0
