# What the scid_*.tcl scripts share. tkscid (the scripting shell of Scid 4.7) needs no display.
# Output: one `key<TAB>value` per line on stdout; backslash, tab, newline and carriage return in
# a value are written \\ \t \n \r.  Exit code 0 = done, 1 = Scid refused, 2 = wrong arguments.

# Scid calls this during long work; a result of 0 lets it go on.
proc ::progressCallBack {args} {return 0}

fconfigure stdout -encoding utf-8 -translation lf

proc say {key value} {
    puts "$key\t[string map [list \\ \\\\ \t \\t \n \\n \r \\r] $value]"
}

proc fail {message {code 1}} {
    say error $message
    exit $code
}

# Runs a command; when Scid refuses, says so with its error text or number and ends.
proc must {args} {
    if {[catch {uplevel 1 $args} result]} {
        fail "[lrange $args 0 1]: $result (errorCode $::errorCode)"
    }
    return $result
}

# Scid names a base by its stem.
proc stem {path} {
    if {[string tolower [file extension $path]] in {.si4 .sg4 .sn4}} {
        return [file rootname $path]
    }
    return $path
}

# Scid creates only what is not there yet, so a left-over base would make it fail half-way.
proc open_base {path} {
    return [must sc_base open [stem $path]]
}

# Loads every game and names those that Scid cannot decode.
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
