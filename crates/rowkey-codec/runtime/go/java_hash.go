package rowkey

import (
	"unicode/utf16"
	"unicode/utf8"
)

// ArrayHashCode is java.util.Arrays.hashCode of bytes, which are signed in Java.
func ArrayHashCode(data []byte) int32 {
	h := int32(1)
	for _, b := range data {
		h = 31*h + int32(int8(b))
	}
	return h
}

// StringHashCode is Java's String.hashCode over UTF-16. Of bytes that are not UTF-8 each byte is a character.
func StringHashCode(data []byte) int32 {
	h := int32(0)
	if !utf8.Valid(data) {
		for _, b := range data {
			h = 31*h + int32(b)
		}
		return h
	}
	for len(data) > 0 {
		char, n := utf8.DecodeRune(data)
		data = data[n:]
		if char < 0x10000 {
			h = 31*h + char
			continue
		}
		high, low := utf16.EncodeRune(char)
		h = 31*(31*h+high) + low
	}
	return h
}

// absolute is the size of a number; that of the least one does not fit into its own type.
func absolute(n int32) uint64 {
	if n < 0 {
		return uint64(-int64(n))
	}
	return uint64(n)
}
