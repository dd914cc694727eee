package vacant_test

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/mcp-conform/mcp-conform/internal/vacant"
)

const printing = "VACANT_TEST_PRINTS"

func TestMain(m *testing.M) {
	if os.Getenv(printing) != "" {
		address, err := vacant.Address()
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		_, _ = fmt.Println(address)
		_, _ = fmt.Scanln() // until the parent closes stdin
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Tests run at the same time, and each starts its server a while after it got the address.
func TestAddressesDiffer(t *testing.T) {
	t.Parallel()
	given := map[string]bool{}
	for range 100 {
		address := get(t)
		if given[address] {
			t.Fatalf("%s was given twice", address)
		}
		given[address] = true
	}
}

func TestNobodyListens(t *testing.T) {
	t.Parallel()
	if _, err := net.Dial("tcp", get(t)); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("got %v", err)
	}
}

// Where two processes begin with the same block, the second one takes another.
func TestProcessesHaveBlocksOfTheirOwn(t *testing.T) {
	t.Parallel()
	first := get(t)
	for range 3 {
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = append(os.Environ(), printing+"=1")
		stdin, err := child.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		var other string
		_, err = fmt.Fscanln(out, &other)
		_ = stdin.Close()
		if err := errors.Join(err, child.Wait()); err != nil {
			t.Fatal(err)
		}
		if blockOf(t, other) == blockOf(t, first) {
			t.Errorf("%s and %s", first, other)
		}
	}
}

func get(t *testing.T) string {
	t.Helper()
	address, err := vacant.Address()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// blockOf numbers the blocks of 200 ports.
func blockOf(t *testing.T, address string) int {
	t.Helper()
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return int(at.Port()) / 200
}
