// What @TOP@ plays: rows of its routers, and maps that say where each word of a stream belongs in them. Made by carillon @VERSION@.
@CONSTANTS@
