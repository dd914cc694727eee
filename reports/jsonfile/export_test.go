package jsonfile

// ReadWithin is Read with another limit.
var ReadWithin = readWithin
