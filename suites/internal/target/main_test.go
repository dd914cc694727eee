package target_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"
)

// childEnv makes the test binary behave as one of the servers below.
const childEnv = "TARGET_TEST_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childEnv); mode != "" {
		os.Exit(child(mode))
	}
	before := gleak.Goroutines()
	code := m.Run()
	g := gomega.NewGomega(func(message string, _ ...int) {
		fmt.Fprintln(os.Stderr, message)
		code = 1
	})
	g.Eventually(gleak.Goroutines).ShouldNot(gleak.HaveLeaked(before))
	os.Exit(code)
}

func child(mode string) int {
	switch mode {
	case "echo":
		return echo()
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
	case "flood":
		line := make([]byte, 4096)
		for range 2048 {
			if _, err := os.Stderr.Write(line); err != nil {
				return 1
			}
		}
		fmt.Fprintln(os.Stderr, "the end")
		return echo()
	case "parent", "runaway":
		grandchild := exec.Command(os.Args[0])
		grandchild.Env = append(os.Environ(), childEnv+"=deaf")
		grandchild.Stdout, grandchild.Stderr = os.Stdout, os.Stderr
		if mode == "runaway" {
			leaveGroup(grandchild)
		}
		if err := grandchild.Start(); err != nil {
			return 1
		}
		return 0
	case "where":
		dir, err := os.Getwd()
		fmt.Println(dir, os.Getenv("TARGET_TEST_WORD"), err)
		return 0
	}
	return 99
}

func echo() int {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if _, errWrite := io.WriteString(os.Stdout, line); err != nil || errWrite != nil {
			return 0
		}
	}
}
