package target_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/testchild"
)

// childEnv makes the test binary behave as one of the servers below.
const childEnv = "TARGET_TEST_CHILD"

func TestMain(m *testing.M) { testchild.Main(m, childEnv, behave) }

func behave(mode string) int {
	switch mode {
	case "echo":
		return testchild.Echo(os.Stdin, os.Stdout)
	case "echoing":
		fmt.Println("there")
		return testchild.Echo(os.Stdin, os.Stdout)
	case "exit":
		fmt.Println("last words")
		return 7
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println(os.Getpid())
		select {}
	case "deaf":
		fmt.Println(os.Getpid())
		select {}
	case "mute":
		select {}
	case "flood":
		line := make([]byte, 4096)
		for range 2048 {
			if _, err := os.Stderr.Write(line); err != nil {
				return 1
			}
		}
		fmt.Fprintln(os.Stderr, "the end")
		return testchild.Echo(os.Stdin, os.Stdout)
	case "parent", "runaway":
		grandchild := exec.Command(os.Args[0])
		grandchild.Env = append(os.Environ(), childEnv+"=mute")
		grandchild.Stdout, grandchild.Stderr = os.Stdout, os.Stderr
		if mode == "runaway" {
			leaveGroup(grandchild)
		}
		if err := grandchild.Start(); err != nil {
			return 1
		}
		fmt.Println(grandchild.Process.Pid) // a busy machine may end it before it could say that itself
		return 0
	case "environment":
		fmt.Printf("[%s] [%s]\n", os.Getenv("GITHUB_ENV"), os.Getenv("GITHUB_OUTPUT"))
		return 0
	case "where":
		dir, err := os.Getwd()
		fmt.Println(dir, os.Getenv("TARGET_TEST_WORD"), err)
		return 0
	}
	return 99
}
