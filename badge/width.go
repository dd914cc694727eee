package badge

import "unicode/utf8"

const fontSize = 11 // pixels

// textWidth is the width of a text in Verdana, in pixels, rounded up to odd:
// halves of an odd text fall on whole pixels once the padding is added.
func textWidth(s string) int {
	sum := 0
	for _, r := range s {
		sum += advance(r)
	}
	px := sum * fontSize / 1000
	if px%2 == 0 {
		px++
	}
	return px
}

// advance is the approximate advance of a character in thousandths of the font
// size. What has no entry is taken to be as wide as the widest letters.
func advance(r rune) int {
	const wide = 1000
	widths := [...]int16{
		352, 394, 459, 818, 636, 1076, 727, 269, 454, 454, 636, 818, 364, 454, 364, 454, //  !"#$%&'()*+,-./
		636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 454, 454, 818, 818, 818, 545, // 0123456789:;<=>?
		1000, 684, 686, 698, 771, 632, 575, 775, 751, 421, 455, 693, 557, 843, 748, 787, // @ABCDEFGHIJKLMNO
		603, 787, 695, 684, 616, 732, 684, 989, 685, 615, 685, 454, 454, 454, 818, 636, // PQRSTUVWXYZ[\]^_
		636, 601, 623, 521, 623, 596, 352, 623, 633, 274, 344, 592, 274, 973, 633, 607, // `abcdefghijklmno
		623, 623, 427, 521, 394, 633, 592, 818, 592, 592, 525, 635, 454, 635, 818, // pqrstuvwxyz{|}~
	}
	if i := int(r) - ' '; r < utf8.RuneSelf && i >= 0 && i < len(widths) {
		return int(widths[i])
	}
	return wide
}
