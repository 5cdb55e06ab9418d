package rowkey

// AppendBool appends a `bool`: 00 or 01.
func AppendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// Bool reads a `bool`.
func (r *Reader) Bool() bool { return r.isOne(0, "a bool is 00 or 01") }

// isOne reads a byte that is 01 or another one: whether it is 01. It is false after an error.
func (r *Reader) isOne(other byte, expected string) bool {
	if r.at == len(r.key) {
		r.truncated(1)
		return false
	}
	found := r.key[r.at] ^ r.mask
	r.at++
	if found != 1 && found != other {
		r.badByte(r.at-1, expected)
	}
	return found == 1
}

// badByte fails by a byte that is not valid for its type.
func (r *Reader) badByte(at int, expected string) {
	if r.err == nil {
		r.fail(at, BadByte, hexByte(r.key[at]), expected)
	}
}
