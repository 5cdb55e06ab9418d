package rowkey

import (
	"math/bits"
	"slices"
)

// The greatest power of ten in 64 bits, and its zeros.
const (
	tenTo19 = 10_000_000_000_000_000_000
	zeros19 = 19
)

// pairs are the digits of the numbers from 0 to 99.
const pairs = "00010203040506070809101112131415161718192021222324" +
	"25262728293031323334353637383940414243444546474849" +
	"50515253545556575859606162636465666768697071727374" +
	"75767778798081828384858687888990919293949596979899"

// powersOf10 are those in 64 bits.
var powersOf10 = [zeros19 + 1]uint64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}

// AppendDec appends a `dec[…]`: a number in decimal; with a width, zeros before it.
func AppendDec(dst []byte, v U128, end *End) ([]byte, error) {
	mark := len(dst)
	return end.close(appendDigits(dst, v, end.Width), mark)
}

// Dec reads a `dec[…]`.
func (r *Reader) Dec(end *End) U128 {
	at := r.at
	v, ok := parseDigits(r.content(end), end.Width > 0)
	if !ok {
		r.invalidBytes(at, "a number in decimal, in its one form")
	}
	return v
}

// AppendMinus appends a `minus[…]`: most minus the number, in decimal.
func AppendMinus(dst []byte, v, most U128, end *End) ([]byte, error) {
	left, ok := most.minus(v)
	if !ok {
		return dst, ErrRange
	}
	return AppendDec(dst, left, end)
}

// Minus reads a `minus[…]`.
func (r *Reader) Minus(most U128, end *End) U128 {
	at := r.at
	left := r.Dec(end)
	v, ok := most.minus(left)
	if !ok {
		r.invalidBytes(at, "at most "+most.String())
	}
	return v
}

// AppendInt appends an `int[…]`: a number in decimal, with a - below 0.
func AppendInt(dst []byte, v I128, end *End) ([]byte, error) {
	mark := len(dst)
	size := v.Bits()
	if v.Hi < 0 {
		dst = append(dst, '-')
		size, _ = U128{}.minus(size)
	}
	return end.close(appendDigits(dst, size, 0), mark)
}

// Int reads an `int[…]`.
func (r *Reader) Int(end *End) I128 {
	at := r.at
	content := r.content(end)
	negative := len(content) > 0 && content[0] == '-'
	if negative {
		content = content[1:]
	}
	size, ok := parseDigits(content, false)
	v := size
	if negative {
		v, _ = U128{}.minus(size)
	}
	// Below 0 is what has the sign's bit; 0 has no sign.
	if !ok || negative != (int64(v.Hi) < 0) {
		r.invalidBytes(at, "a number in decimal, in its one form")
		return I128{}
	}
	return v.Signed()
}

// appendDigits appends a number in decimal, with zeros before it up to a width.
func appendDigits(dst []byte, v U128, width int) []byte {
	if v.Hi == 0 {
		return appendPadded(dst, v.Lo, width)
	}
	high, low := v.over(tenTo19)
	return appendPadded(appendDigits(dst, high, width-zeros19), low, zeros19)
}

// appendPadded appends a number of 64 bits so.
func appendPadded(dst []byte, v uint64, width int) []byte {
	size := max(width, digitsOf(v))
	dst = slices.Grow(dst, size)
	digits := dst[len(dst) : len(dst)+size]
	// Two at a time: half as many divisions.
	for len(digits) > 1 {
		rest := v / 100
		pair := 2 * (v - 100*rest)
		at := len(digits) - 2
		digits[at], digits[at+1] = pairs[pair], pairs[pair+1]
		digits, v = digits[:at], rest
	}
	if len(digits) == 1 {
		digits[0] = '0' + byte(v)
	}
	return dst[:len(dst)+size]
}

// digitsOf is the number of a number's digits in decimal.
func digitsOf(v uint64) int {
	v |= 1
	// log10(2) is 1233/4096, as near as 64 bits need.
	digits := bits.Len64(v) * 1233 >> 12
	if v >= powersOf10[digits] {
		digits++
	}
	return digits
}

// parseDigits reads a number in decimal: without needless zeros if it is not padded.
func parseDigits(digits []byte, padded bool) (v U128, ok bool) {
	if len(digits) == 0 || !padded && len(digits) > 1 && digits[0] == '0' {
		return v, false
	}
	if len(digits) <= zeros19 {
		for _, digit := range digits {
			if digit < '0' || digit > '9' {
				return U128{}, false
			}
			v.Lo = 10*v.Lo + uint64(digit-'0')
		}
		return v, true
	}
	for _, digit := range digits {
		if digit < '0' || digit > '9' {
			return U128{}, false
		}
		if v, ok = v.times(10, uint64(digit-'0')); !ok {
			return U128{}, false
		}
	}
	return v, true
}
