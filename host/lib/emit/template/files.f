@if SYSTEM +incdir+rtl
@FILES@
