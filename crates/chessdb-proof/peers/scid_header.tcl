# tkscid scid_header.tcl BASE OPTION…
# Opens a SCID 4 database and searches its headers with the options of `sc_search header`.
# Prints: found N.
source [file join [file dirname [file normalize [info script]]] scid_common.tcl]

if {[llength $argv] < 2} {
    fail "usage: tkscid scid_header.tcl BASE OPTION…" 2
}
set base [open_base [lindex $argv 0]]
must sc_search header {*}[lrange $argv 1 end]
say found [must sc_filter count]
exit 0
