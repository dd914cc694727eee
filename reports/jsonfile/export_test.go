package jsonfile

// ReadWithin is Read with another limit.
var ReadWithin = readWithin //nolint:gochecknoglobals // a test calls it
