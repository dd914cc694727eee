package badge

// textWidth is the width of a text in Verdana of 11 pixels, in pixels, rounded up
// to odd: halves of an odd text fall on whole pixels once the padding is added.
func textWidth(s string) int {
	sum := 0
	for _, r := range s {
		sum += advance(r)
	}
	return sum/100 | 1
}

// advance is the advance of a character in hundredths of a pixel. The figures come from
// the font, as in badges drawn by shields.io. A character outside the table counts as
// wide as a square, which most such characters fill.
func advance(r rune) int {
	const square = 1100
	ascii := [...]int16{
		387, 433, 505, 900, 699, 1184, 799, 295, 500, 500, 699, 900, 400, 500, 400, 500, //  !"#$%&'()*+,-./
		699, 699, 699, 699, 699, 699, 699, 699, 699, 699, 500, 500, 900, 900, 900, 600, // 0123456789:;<=>?
		1100, 752, 754, 768, 848, 696, 632, 853, 827, 463, 500, 762, 612, 927, 823, 866, // @ABCDEFGHIJKLMNO
		663, 866, 765, 752, 678, 805, 752, 1088, 754, 677, 754, 500, 500, 500, 900, 699, // PQRSTUVWXYZ[\]^_
		699, 661, 685, 573, 685, 655, 387, 685, 696, 302, 379, 651, 302, 1070, 696, 668, // `abcdefghijklmno
		685, 685, 469, 573, 433, 696, 651, 900, 651, 651, 578, 698, 500, 698, 900, // pqrstuvwxyz{|}~
	}
	latin := [...]int16{
		387, 433, 699, 699, 699, 699, 500, 699, 699, 1100, 600, 709, 900, 0, 1100, 699, // nbsp to ¯
		596, 900, 596, 596, 699, 706, 699, 400, 699, 596, 600, 709, 1100, 1100, 1100, 600, // ° to ¿
		752, 752, 752, 752, 752, 752, 1083, 768, 696, 696, 696, 696, 463, 463, 463, 463, // À to Ï
		853, 823, 866, 866, 866, 866, 866, 900, 866, 805, 805, 805, 805, 677, 666, 682, // Ð to ß
		661, 661, 661, 661, 661, 661, 1051, 573, 655, 655, 655, 655, 302, 302, 302, 302, // à to ï
		673, 696, 668, 668, 668, 668, 668, 900, 668, 696, 696, 696, 696, 651, 685, 1070, // ð to ÿ
	}
	switch {
	case r >= ' ' && int(r-' ') < len(ascii):
		return int(ascii[r-' '])
	case r >= 0xa0 && int(r-0xa0) < len(latin):
		return int(latin[r-0xa0])
	case r == '…':
		return 900
	}
	return square
}
