package rowkey

// AppendItem appends the byte before an item of a list.
func AppendItem(dst []byte) []byte { return append(dst, 1) }

// AppendListEnd appends the byte after the last item of a list.
func AppendListEnd(dst []byte) []byte { return append(dst, 0) }

// Another reads the byte before an item of a list, or that of its end: whether an item comes next. It is false after an
// error too.
func (r *Reader) Another() bool {
	return r.isOne(0, "an item of a list begins with 01, its end is 00")
}
