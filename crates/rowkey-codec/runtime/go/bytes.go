package rowkey

// AppendBytes appends a `bytes`: escaped as text is, then the terminator 00.
func AppendBytes(dst, v []byte) []byte { return append(appendEscaped(dst, v), 0) }

// AppendBytesRaw appends a `bytes raw`: as they are.
func AppendBytesRaw(dst, v []byte) []byte { return append(dst, v...) }

// Bytes reads a `bytes`, into memory of its own.
func (r *Reader) Bytes() []byte {
	run, at, escaped := r.run()
	if run == nil {
		return nil
	}
	size := len(run)
	if escaped {
		if size = r.unescapedSize(run, at); r.err != nil {
			return nil
		}
	}
	v := make([]byte, 0, size)
	for i := 0; i < len(run); i++ {
		b := run[i] ^ r.mask
		if b == 1 {
			i++
			b = run[i] ^ r.mask - 1
		}
		v = append(v, b)
	}
	return v
}

// BytesRaw reads a `bytes raw`, up to the end of the key, into memory of its own.
func (r *Reader) BytesRaw() []byte {
	v := make([]byte, len(r.key)-r.at)
	r.Array(v)
	return v
}

// Array reads a `bytes[N]` into all of v.
func (r *Reader) Array(v []byte) {
	if copy(v, r.take(len(v))); r.mask != 0 {
		Invert(v)
	}
}
