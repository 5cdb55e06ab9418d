package rowkey

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"
)

// Text is UTF-8 in which 00 is 01 01 and 01 is 01 02, then the terminator 00.

// ErrNotUTF8 says that a string is not UTF-8.
var ErrNotUTF8 = errors.New("the text is not UTF-8")

// AppendText appends a `text`.
func AppendText(dst []byte, v string) ([]byte, error) {
	if !utf8.ValidString(v) {
		return dst, ErrNotUTF8
	}
	return append(appendEscaped(dst, v), 0), nil
}

// AppendTextRaw appends a `text raw`: as it is.
func AppendTextRaw(dst []byte, v string) ([]byte, error) {
	if !utf8.ValidString(v) {
		return dst, ErrNotUTF8
	}
	return append(dst, v...), nil
}

// Text reads a `text`.
func (r *Reader) Text() string {
	run, at, escaped := r.run()
	if run == nil {
		return ""
	}
	if !escaped && r.mask == 0 {
		return r.validText(at, string(run))
	}
	size := r.unescapedSize(run, at)
	if r.err != nil {
		return ""
	}
	var text strings.Builder
	text.Grow(size)
	for i := 0; i < len(run); i++ {
		b := run[i] ^ r.mask
		if b == 1 {
			i++
			b = run[i] ^ r.mask - 1
		}
		text.WriteByte(b)
	}
	return r.valid(at, text.String())
}

// TextRaw reads a `text raw`: up to the end of the key.
func (r *Reader) TextRaw() string {
	at := r.at
	text := string(r.upright(r.rest()))
	if r.mask != 0 {
		return r.valid(at, text)
	}
	return r.validText(at, text)
}

// valid returns the text, which was read from at on, if it is UTF-8.
func (r *Reader) valid(at int, text string) string {
	if !utf8.ValidString(text) {
		r.fail(at, NotUTF8, quoted(text), "")
		return ""
	}
	return text
}

// validText returns the text, which is in the key as it is, from at on, if it is UTF-8.
func (r *Reader) validText(at int, text string) string {
	if !utf8.ValidString(text) {
		r.fail(at+validSize(text), NotUTF8, quoted(text), "")
		return ""
	}
	return text
}

// validSize is the number of bytes before the first that is not UTF-8.
func validSize(text string) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(text)
}

// appendEscaped appends text or bytes without their terminator.
func appendEscaped[T string | []byte](dst []byte, v T) []byte {
	from := 0
	for i := range len(v) {
		if v[i] < 2 {
			dst = append(append(dst, v[from:i]...), 1, v[i]+1)
			from = i + 1
		}
	}
	return append(dst, v[from:]...)
}

// run reads up to a terminator, and it too. It returns the bytes before it as they are in the key, where they begin,
// and whether they have escapes; nil if there is no terminator.
func (r *Reader) run() (run []byte, at int, escaped bool) {
	at = r.at
	rest := r.key[at:]
	size := bytes.IndexByte(rest, r.mask)
	if size < 0 {
		r.fail(len(r.key), Unterminated, "the end", "the terminator "+hexByte(r.mask))
		return nil, at, false
	}
	r.at += size + 1
	run = rest[:size]
	return run, at, bytes.IndexByte(run, 1^r.mask) >= 0
}

// unescapedSize is the number of bytes of a run without its escapes, which it checks.
func (r *Reader) unescapedSize(run []byte, at int) int {
	size := len(run)
	for i := 0; i < len(run); i++ {
		if run[i] != 1^r.mask {
			continue
		}
		i++
		size--
		found := r.mask
		if i < len(run) {
			found = run[i]
		}
		if b := found ^ r.mask; b != 1 && b != 2 {
			expected := hexByte(1^r.mask) + " or " + hexByte(2^r.mask) + " after an escape"
			r.fail(at+i, BadEscape, hexByte(found), expected)
			return 0
		}
	}
	return size
}
