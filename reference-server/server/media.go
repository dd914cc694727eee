package server

import "encoding/base64"

// pixel is a picture of one grey point, as base64.
func pixel() string {
	return "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
}

// silence is a WAV recording of eight samples, as base64.
func silence() string {
	header := "RIFF\x2c\x00\x00\x00WAVEfmt " +
		"\x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x08\x00\x00\x00"
	return base64.StdEncoding.EncodeToString([]byte(header + "\x80\x80\x80\x80\x80\x80\x80\x80"))
}
