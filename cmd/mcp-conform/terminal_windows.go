package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// columnsOf asks the console behind a file for its width, and makes it obey the control
// sequences of color and progress.
func columnsOf(file *os.File) (columns int, is bool) {
	console := windows.Handle(file.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(console, &mode); err != nil {
		return 0, false
	}
	if err := windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING); err != nil {
		return 0, false // an old console shows control sequences as text
	}
	var info windows.ConsoleScreenBufferInfo
	if err := windows.GetConsoleScreenBufferInfo(console, &info); err != nil {
		return 0, true
	}
	return int(info.Window.Right-info.Window.Left) + 1, true
}
