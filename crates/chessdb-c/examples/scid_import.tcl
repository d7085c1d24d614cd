# tkscid scid_import.tcl DATABASE TARGET
# Imports a database of any format, such as ChessBase's CBH, into a new SCID 4 database, and opens it
# in Scid. The environment variable CHESSDB names the program if it is not on the PATH.
# Prints what was converted and lost, and the number of games that Scid sees. Exit code 0 = done,
# 1 = nothing was imported, 2 = wrong arguments.

if {[llength $argv] != 2} {
    puts stderr "usage: tkscid scid_import.tcl DATABASE TARGET"
    exit 2
}
lassign $argv source target
set target [file rootname $target]
set program [expr {[info exists env(CHESSDB)] ? $env(CHESSDB) : "chessdb"}]

# Exit code 1 reports games that were cut or skipped: the text names them. 2 and above are failures.
set failed [catch {exec $program convert -t si4 $source $target.si4 2>@1} report options]
puts $report
if {$failed} {
    set code [lindex [dict get $options -errorcode] 0]
    set status [lindex [dict get $options -errorcode] 2]
    if {$code ne "CHILDSTATUS" || $status != 1} {
        exit 1
    }
}

# Scid calls this during long operations; 0 means continue.
proc ::progressCallBack {args} {return 0}
if {[catch {sc_base open $target} base]} {
    puts stderr "Scid cannot open $target: $base"
    exit 1
}
puts "$target: [sc_base numGames $base] games in Scid"
sc_base close $base
exit 0
