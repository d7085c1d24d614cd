# The common part of the scid_*.tcl scripts. tkscid (the scripting shell of Scid 4.7) needs no display.
# Output: one `key<TAB>value` per line on stdout; backslash, tab, newline and carriage return in
# a value are written \\ \t \n \r.  Exit code 0 = done, 1 = Scid refused, 2 = wrong arguments.

# Scid calls this during long operations; 0 means continue.
proc ::progressCallBack {args} {return 0}

fconfigure stdout -encoding utf-8 -translation lf

proc say {key value} {
    puts "$key\t[string map [list \\ \\\\ \t \\t \n \\n \r \\r] $value]"
}

proc fail {message {code 1}} {
    say error $message
    exit $code
}

# Runs a command; if Scid refuses, prints the error text or number and exits.
proc must {args} {
    if {[catch {uplevel 1 $args} result]} {
        fail "[lrange $args 0 1]: $result (errorCode $::errorCode)"
    }
    return $result
}

# Scid names a database by its path without the extension.
proc stem {path} {
    if {[string tolower [file extension $path]] in {.si4 .sg4 .sn4}} {
        return [file rootname $path]
    }
    return $path
}

proc open_base {path} {
    return [must sc_base open [stem $path]]
}

# Loads every game and returns the numbers of those that Scid cannot decode.
proc unreadable_games {base} {
    set bad {}
    set count [must sc_base numGames $base]
    for {set game 1} {$game <= $count} {incr game} {
        if {[catch {sc_game load $game} message]} {
            lappend bad $game
        }
    }
    return $bad
}
