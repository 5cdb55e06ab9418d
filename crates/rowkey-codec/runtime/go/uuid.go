package rowkey

// uuidSize is the number of characters in the text of a UUID.
const uuidSize = 36

// isHyphen returns whether one of them is a hyphen.
func isHyphen(i int) bool { return i == 8 || i == 13 || i == 18 || i == 23 }

// AppendUUIDText appends a `uuid[text]`: 8-4-4-4-12 hex digits in lower case.
func AppendUUIDText(dst []byte, v [16]byte, end *End) ([]byte, error) {
	mark := len(dst)
	for _, b := range v {
		if isHyphen(len(dst) - mark) {
			dst = append(dst, '-')
		}
		dst = append(dst, lowerDigits[b>>4], lowerDigits[b&15])
	}
	return end.close(dst, mark)
}

// UUIDText reads a `uuid[text]`.
func (r *Reader) UUIDText(end *End) (v [16]byte) {
	at := r.at
	content := r.content(end)
	var digits [uuidSize]byte
	taken := digits[:0]
	for i, b := range content {
		if i < uuidSize && isHyphen(i) && b == '-' {
			continue
		}
		if i < uuidSize {
			taken = append(taken, b)
		}
	}
	if len(content) != uuidSize || !unhex(v[:], taken, false) {
		r.invalidBytes(at, "a UUID in lower case")
		return [16]byte{}
	}
	return v
}
