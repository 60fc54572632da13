+incdir+rtl
@FILES@
