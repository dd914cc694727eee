package main

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// noFollow is what keeps an open from following a symbolic link: nothing, here.
const noFollow = 0

// tryLock takes a lock on a file without waiting.
func tryLock(file *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errTaken
	}
	return err
}
