package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// stamped is the version that a release writes into the program by a flag of the linker.
//
//nolint:gochecknoglobals // the linker knows variables only
var stamped string

// version is the version of the release, or that of the module as the build recorded it.
func version() string {
	if stamped != "" {
		return stamped
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// versionLine is the output of version and --version.
func versionLine() string {
	return fmt.Sprintf("%s %s (%s %s/%s)\n", program, version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func versionCommand(w world) *cobra.Command {
	return &cobra.Command{
		Use:                   "version",
		Short:                 "print the version",
		DisableFlagsInUseLine: true,
		Args:                  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(w.out, versionLine())
			return err
		},
	}
}
