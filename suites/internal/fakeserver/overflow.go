package fakeserver

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"slices"
)

// The frames of HTTP/2 that Overflow reads and writes (RFC 9113).
const (
	preface       = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	headersFrame  = 0x1
	settingsFrame = 0x4
	windowFrame   = 0x8
	ackFlag       = 0x1
	endHeaders    = 0x4
	mostWindow    = 1<<31 - 1
)

// Overflow serves HTTP/2 without TLS on one connection, until the client hangs up. It
// answers each request with the head of an answer, and then makes the window of its
// stream overflow, twice: Go's own client then waits for itself for ever.
func Overflow(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	if _, err := io.ReadFull(in, make([]byte, len(preface))); err != nil {
		return
	}
	frame := func(kind, flags byte, stream uint32, payload ...byte) []byte {
		text := []byte{0, 0, byte(len(payload)), kind, flags}
		return append(binary.BigEndian.AppendUint32(text, stream), payload...)
	}
	_, err := conn.Write(frame(settingsFrame, 0, 0))
	for err == nil {
		var head [9]byte
		if _, err = io.ReadFull(in, head[:]); err != nil {
			return
		}
		size := int64(head[0])<<16 | int64(head[1])<<8 | int64(head[2])
		if _, err = io.CopyN(io.Discard, in, size); err != nil {
			return
		}
		stream := binary.BigEndian.Uint32(head[5:])
		switch {
		case head[3] == settingsFrame && head[4] == 0:
			_, err = conn.Write(frame(settingsFrame, ackFlag, 0))
		case head[3] == headersFrame:
			const ok = 0x88 // :status 200, as HPACK writes it
			window := frame(windowFrame, 0, stream, binary.BigEndian.AppendUint32(nil, mostWindow)...)
			_, err = conn.Write(slices.Concat(frame(headersFrame, endHeaders, stream, ok), window, window))
		}
	}
}
