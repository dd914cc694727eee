// Package hostile is a zoo of servers that mean the kit harm, and holds nothing
// but tests: whatever a server does, the run ends by itself with the right exit
// code, nobody but the server is blamed, and every report can be written and read.
package hostile
