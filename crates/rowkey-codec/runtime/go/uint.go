package rowkey

// Integers of other programs: big-endian and little-endian, signed ones in two's complement.

// AppendBE appends an integer in width bytes, big-endian: a `uint[N]`, or a `be[…]` as its two's complement.
func AppendBE(dst []byte, v U128, width int) ([]byte, error) {
	if !v.fits(width) {
		return dst, ErrRange
	}
	for i := width - 1; i >= 0; i-- {
		dst = append(dst, v.byte(i))
	}
	return dst, nil
}

// AppendLE appends an integer in all of its width bytes, little-endian: an `le[…]` as its two's complement.
func AppendLE(dst []byte, v U128, width int) []byte {
	for i := range width {
		dst = append(dst, v.byte(i))
	}
	return dst
}

// BE reads an integer of width bytes, big-endian.
func (r *Reader) BE(width int) U128 {
	var v U128
	for _, b := range r.take(width) {
		v = U128{v.Hi<<8 | v.Lo>>56, v.Lo<<8 | uint64(b^r.mask)}
	}
	return v
}

// LE reads an integer of width bytes, little-endian.
func (r *Reader) LE(width int) U128 {
	var v U128
	for i, b := range r.take(width) {
		if shift := 8 * i; shift < 64 {
			v.Lo |= uint64(b^r.mask) << shift
		} else {
			v.Hi |= uint64(b^r.mask) << (shift - 64)
		}
	}
	return v
}

// byte is the byte with this index, from the lowest on.
func (v U128) byte(i int) byte {
	if i < 8 {
		return byte(v.Lo >> (8 * i))
	}
	return byte(v.Hi >> (8 * (i - 8)))
}

func (v U128) fits(width int) bool {
	if width < 8 {
		return v.Hi == 0 && v.Lo>>(8*width) == 0
	}
	return width >= 16 || v.Hi>>(8*(width-8)) == 0
}
