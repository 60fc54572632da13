# A project of Vivado with @TOP@: vivado -mode batch -source @TOP@.tcl [-tclargs PART]. Made by carillon @VERSION@.
# It was read by tclsh, not run by Vivado.
set here [file dirname [file normalize [info script]]]
set part [expr {[info exists argc] && $argc > 0 ? [lindex $argv 0] : "xc7a100tcsg324-1"}]
create_project @TOP@ [file join $here build vivado] -part $part -force

# What files.f lists, relative to this directory.
set list [open [file join $here files.f]]
foreach name [split [string trim [read $list]] "\n"] {
    if {[string match +incdir+* $name]} {
        set_property include_dirs [file join $here [string range $name 8 end]] [get_filesets sources_1]
    } else {
        add_files -norecurse [file join $here $name]
    }
}
close $list
set_property top @TOP@ [get_filesets sources_1]

# Tables are opened by their names in the directory.
add_files -norecurse [glob -nocomplain [file join $here tables *.hex]]
add_files -fileset constrs_1 -norecurse [file join $here @TOP@.xdc]
add_files -fileset sim_1 -norecurse [file join $here @TOP@_tb.sv]
set_property top @TOP@_tb [get_filesets sim_1]
update_compile_order -fileset sources_1
