package main

import "testing"

// Scripts run at the same time, and each starts its server a while after it got the address.
func TestVacantAddressesDiffer(t *testing.T) {
	t.Parallel()
	given := map[string]bool{}
	for range 100 {
		address, err := vacant()
		if err != nil {
			t.Fatal(err)
		}
		if given[address] {
			t.Fatalf("%s was given twice", address)
		}
		given[address] = true
	}
}
