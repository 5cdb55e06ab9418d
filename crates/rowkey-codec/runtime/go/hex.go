package rowkey

import "errors"

const (
	lowerDigits = "0123456789abcdef"
	upperDigits = "0123456789ABCDEF"
)

// ErrHexWidth says that a number has more hex digits than its field.
var ErrHexWidth = errors.New("the number has more hex digits than the field")

func hexDigits(upper bool) string {
	if upper {
		return upperDigits
	}
	return lowerDigits
}

// AppendHex appends a `hex[…]`: a number in hex; with a width, zeros before it.
func AppendHex(dst []byte, v U128, upper bool, end *End) ([]byte, error) {
	mark := len(dst)
	size := 1
	for !v.fitsNibbles(size) {
		size++
	}
	digits := hexDigits(upper)
	for i := max(size, end.Width) - 1; i >= 0; i-- {
		dst = append(dst, digits[v.byte(i/2)>>(i%2*4)&15])
	}
	return end.close(dst, mark)
}

// Hex reads a `hex[…]`.
func (r *Reader) Hex(upper bool, end *End) U128 {
	at := r.at
	content := r.content(end)
	if len(content) == 0 || len(content) > 32 || end.Width == 0 && len(content) > 1 && content[0] == '0' {
		r.invalidBytes(at, "a number in hex, in its one form")
		return U128{}
	}
	var v U128
	for _, digit := range content {
		nibble, ok := nibbleOf(digit, upper)
		if !ok {
			r.invalidBytes(at, "a number in hex, in its one form")
			return U128{}
		}
		v = U128{v.Hi<<4 | v.Lo>>60, v.Lo<<4 | uint64(nibble)}
	}
	return v
}

// AppendHexBytes appends a `hexbytes[…]`: bytes in hex, two digits each.
func AppendHexBytes(dst, v []byte, upper bool, end *End) ([]byte, error) {
	mark := len(dst)
	digits := hexDigits(upper)
	for _, b := range v {
		dst = append(dst, digits[b>>4], digits[b&15])
	}
	return end.close(dst, mark)
}

// HexBytes reads a `hexbytes[…]`.
func (r *Reader) HexBytes(upper bool, end *End) []byte {
	at := r.at
	content := r.content(end)
	v := make([]byte, len(content)/2)
	if !unhex(v, content, upper) {
		r.invalidBytes(at, "bytes in hex, of one case")
		return nil
	}
	return v
}

// unhex reads hex digits into all of v.
func unhex(v, digits []byte, upper bool) bool {
	if len(digits) != 2*len(v) {
		return false
	}
	for i := range v {
		high, isHigh := nibbleOf(digits[2*i], upper)
		low, isLow := nibbleOf(digits[2*i+1], upper)
		if !isHigh || !isLow {
			return false
		}
		v[i] = high<<4 | low
	}
	return true
}

func nibbleOf(digit byte, upper bool) (byte, bool) {
	a := byte('a')
	if upper {
		a = 'A'
	}
	switch {
	case digit >= '0' && digit <= '9':
		return digit - '0', true
	case digit >= a && digit < a+6:
		return digit - a + 10, true
	default:
		return 0, false
	}
}

func (v U128) fitsNibbles(size int) bool {
	if size < 16 {
		return v.Hi == 0 && v.Lo>>(4*size) == 0
	}
	return size >= 32 || v.Hi>>(4*(size-16)) == 0
}
