package rowkey

import (
	"bytes"
	"errors"
	"strings"
)

// ErrPadded says that a text does not fit into a padded field.
var ErrPadded = errors.New("the text does not fit: it is too long, ends in padding, or has other characters")

// AppendBlanks appends a `char[N]`: printable ASCII, padded with blanks.
func AppendBlanks(dst []byte, v string, width int) ([]byte, error) {
	if len(v) > width || !isPrintable(v) || strings.HasSuffix(v, " ") {
		return dst, ErrPadded
	}
	return appendPadding(append(dst, v...), ' ', width-len(v)), nil
}

// AppendZeros appends a `char[N zeros]`: UTF-8 without zero bytes, padded with them.
func AppendZeros(dst []byte, v string, width int) ([]byte, error) {
	if len(v) > width || strings.IndexByte(v, 0) >= 0 {
		return dst, ErrPadded
	}
	dst, err := AppendTextRaw(dst, v)
	return appendPadding(dst, 0, width-len(v)), err
}

func appendPadding(dst []byte, padding byte, size int) []byte {
	for range size {
		dst = append(dst, padding)
	}
	return dst
}

// Blanks reads a `char[N]`.
func (r *Reader) Blanks(width int) string {
	at := r.at
	text := string(bytes.TrimRight(r.upright(r.take(width)), " "))
	if !isPrintable(text) {
		r.invalidBytes(at, "printable ASCII")
	}
	return text
}

// Zeros reads a `char[N zeros]`.
func (r *Reader) Zeros(width int) string {
	at := r.at
	text := string(bytes.TrimRight(r.upright(r.take(width)), "\x00"))
	if strings.IndexByte(text, 0) >= 0 {
		r.invalidBytes(at, "zero bytes at the end alone")
	}
	return r.valid(at, text)
}

func isPrintable(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
