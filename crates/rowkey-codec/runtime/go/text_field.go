package rowkey

import (
	"bytes"
	"errors"
	"unicode/utf8"
)

// End is the place where a field of a text key ends: one of its members is set, or Width and Before.
type End struct {
	// Width is the number of its bytes, if all values have as many.
	Width int
	// Before is a delimiter after it, which is read with it.
	Before string
	// Key is true if it ends with the key.
	Key bool
	// Until is a delimiter that is read with the next field, or the key ends.
	Until string
	// Rest is the number of bytes of the key after it.
	Rest int
}

// The errors of fields of text keys.
var (
	// ErrWidth says that a value has another width than its field.
	ErrWidth = errors.New("the value does not have the width of the field")
	// ErrDelimiter says that a value holds its field's delimiter.
	ErrDelimiter = errors.New("the value holds the delimiter, and would not be read back")
)

// close ends the content that was appended since a mark.
func (e *End) close(dst []byte, mark int) ([]byte, error) {
	switch {
	case e.Width > 0:
		if len(dst)-mark != e.Width {
			return dst, ErrWidth
		}
	case len(e.Before) == 1:
		if bytes.IndexByte(dst[mark:], e.Before[0]) >= 0 {
			return dst, ErrDelimiter
		}
		return append(dst, e.Before[0]), nil
	case endsIn(dst[mark:], e.Before) || endsIn(dst[mark:], e.Until):
		return dst, ErrDelimiter
	}
	return append(dst, e.Before...), nil
}

// content reads a field with its delimiter. It returns the bytes before it, inverted back.
func (r *Reader) content(e *End) []byte {
	at := r.at
	var content []byte
	switch {
	case e.Width > 0:
		content = r.upright(r.take(e.Width))
		if e.Before != "" {
			r.Expect(e.Before, "the delimiter after the field's width")
		}
	case e.Before != "":
		size := r.find(e.Before)
		if size < 0 {
			r.invalid(at, string(r.key[at:]), "a field before its delimiter")
			return nil
		}
		content = r.upright(r.take(size))
		r.take(len(e.Before))
	case e.Until != "":
		size := r.find(e.Until)
		if size < 0 {
			size = len(r.key) - at
		}
		content = r.upright(r.take(size))
		if endsIn(content, e.Until) {
			r.invalidBytes(at, "no beginning of the delimiter at the end")
		}
	case e.Rest > 0:
		if size := len(r.key) - at - e.Rest; size >= 0 {
			content = r.upright(r.take(size))
		} else {
			r.take(e.Rest)
		}
	default:
		content = r.upright(r.rest())
	}
	return content
}

// endsIn returns whether a delimiter after the content would be found before the content's end.
func endsIn(content []byte, delimiter string) bool {
	switch len(delimiter) {
	case 0:
		return false
	case 1:
		return bytes.IndexByte(content, delimiter[0]) >= 0
	}
	if bytes.Contains(content, []byte(delimiter)) {
		return true
	}
	for k := 1; k < len(delimiter); k++ {
		if bytes.HasSuffix(content, []byte(delimiter[:k])) && delimiter[k:] == delimiter[:len(delimiter)-k] {
			return true
		}
	}
	return false
}

// AppendPlain appends a `text[…]`: as it is.
func AppendPlain(dst []byte, v string, end *End) ([]byte, error) {
	mark := len(dst)
	dst, err := AppendTextRaw(dst, v)
	if err != nil {
		return dst, err
	}
	return end.close(dst, mark)
}

// Plain reads a `text[…]`.
func (r *Reader) Plain(end *End) string {
	at := r.at
	return r.valid(at, string(r.content(end)))
}

// AppendReversed appends a `reversed[…]`: text from its last character to its first.
func AppendReversed(dst []byte, v string, end *End) ([]byte, error) {
	mark := len(dst)
	if !utf8.ValidString(v) {
		return dst, ErrNotUTF8
	}
	return end.close(appendReversed(dst, []byte(v)), mark)
}

// Reversed reads a `reversed[…]`.
func (r *Reader) Reversed(end *End) string {
	at := r.at
	content := r.content(end)
	if !utf8.Valid(content) {
		return r.valid(at, string(content))
	}
	return string(appendReversed(make([]byte, 0, len(content)), content))
}

func appendReversed(dst, text []byte) []byte {
	for len(text) > 0 {
		_, size := utf8.DecodeLastRune(text)
		dst = append(dst, text[len(text)-size:]...)
		text = text[:len(text)-size]
	}
	return dst
}
