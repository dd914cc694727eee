//go:build race

package suites_test

const raceEnabled = true
