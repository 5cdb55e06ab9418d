package rowkey

import (
	"strings"
	"testing"
)

func TestValuesAreShownInOneLine(t *testing.T) {
	for due, value := range map[string]any{
		`"a\n\x1b\u202e"`:                      "a\n\x1b\u202e",
		`'\U0010ffff'`:                         ShowChar(0x10FFFF),
		`'€'`:                                  ShowChar('€'),
		`some("\x00")`:                         Some("\x00"),
		`none`:                                 None[string](),
		`["a" "\r"]`:                           []string{"a", "\r"},
		`[[1 2] []]`:                           [][]uint16{{1, 2}, {}},
		`[0aff]`:                               [][]byte{{10, 255}},
		`0aff`:                                 [2]byte{10, 255},
		`9(7, "b\x00", some(00))`:              ShowRecord("9", 7, "b\x00", Some([]byte{0})),
		`1`:                                    ShowRecord("1"),
		`(true)`:                               ShowRecord("", true),
		`some('a')`:                            ShowOption(Some('a'), ShowChar),
		`['a' '\x1b']`:                         ShowList([]rune{'a', '\x1b'}, ShowChar),
		"00010203-0405-0607-0809-0a0b0c0d0e0f": ShowUUID([16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}),
	} {
		if found := show(value); found != due {
			t.Errorf("%s, due is %s", found, due)
		}
	}
	page, err := ParseHostPath("a.org/\x1b[31m\n")
	if err != nil || strings.ContainsAny(show(page), "\x1b\n") {
		t.Errorf("%q, %v", show(page), err)
	}
}

// The offset of text that is not UTF-8 is that of the bad byte.
func TestTheOffsetOfTextThatIsNotUTF8(t *testing.T) {
	for _, text := range []string{"ab\xc3", "ab\xff", "ab\xe2\x82", "ab\xed\xa0\x80", "ab\xf4\x90\x80\x80"} {
		for _, read := range []func(r *Reader){func(r *Reader) { r.Text() }, func(r *Reader) { r.TextRaw() }} {
			r := NewReader([]byte("é" + text + "\x00"))
			read(&r)
			if r.err == nil || r.err.Offset != 4 || r.err.Reason != NotUTF8 {
				t.Errorf("%x: %v", text, r.err)
			}
		}
	}
}

func TestBeginningsOfTextAreUTF8(t *testing.T) {
	layout := &Layout{Name: "Key", Fields: make([]Field, 1)}
	p := NewPrefix(layout)
	_, text := TextStart("\xff")
	_, raw := RawStart("\xff")
	_, plain := PlainStart("\xff", 3)
	_, ordered := OrderedStart("\xff", true)
	for _, err := range []error{
		text, raw, plain, ordered,
		StartsWithPadded(p, Slot{}, "\xff", 3, false).err, StartsWithBefore(p, Slot{}, "\xff", "#").err,
	} {
		if err == nil {
			t.Error("a beginning that is not UTF-8")
		}
	}
	if _, err := OrderedStart([]byte{0xff}, true); err != nil {
		t.Error(err)
	}
}
