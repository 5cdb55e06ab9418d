package rowkey

import (
	"errors"
	"strconv"
	"unicode/utf8"
)

// ErrChar says that a rune is a surrogate or above 10FFFF.
var ErrChar = errors.New("the character is no Unicode scalar value")

// AppendChar appends a `char`: its scalar value in four bytes.
func AppendChar(dst []byte, v rune) ([]byte, error) {
	if !utf8.ValidRune(v) {
		return dst, ErrChar
	}
	return AppendU32(dst, uint32(v)), nil
}

// Char reads a `char`.
func (r *Reader) Char() rune {
	at := r.at
	v := r.U32()
	if v > utf8.MaxRune || !utf8.ValidRune(rune(v)) {
		r.invalid(at, strconv.FormatUint(uint64(v), 16), "a char is no surrogate, and at most 10FFFF")
		return 0
	}
	return rune(v)
}
