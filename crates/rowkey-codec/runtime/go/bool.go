package rowkey

// AppendBool appends a `bool`: 00 or 01.
func AppendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// Bool reads a `bool`.
func (r *Reader) Bool() bool { return r.choice("a bool is 00 or 01", 0, 1) == 1 }

// choice reads a byte that is one of two.
func (r *Reader) choice(expected string, a, b byte) byte {
	at := r.at
	found := r.U8()
	if found != a && found != b && r.err == nil {
		r.badByte(at, expected)
	}
	return found
}

// badByte fails by a byte that is not valid for its type.
func (r *Reader) badByte(at int, expected string) {
	if r.err == nil {
		r.fail(at, BadByte, hexByte(r.key[at]), expected)
	}
}
