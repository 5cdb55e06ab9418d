package rowkey

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// Prefix is what the values of the first fields select: generated steps take them in the order of the key.
type Prefix struct {
	layout *Layout
	body   []byte
	ends   []int
	err    error
}

// Slot is the next field of a prefix, as its bytes need it known.
type Slot struct {
	// Desc is true if the field is descending.
	Desc bool
	// Raw is true if the field ends with the key, without an end of its own.
	Raw bool
	// Reverse is true if the bytes have the reverse order of the values.
	Reverse bool
}

// ErrBeginning says that no value of a field has a beginning.
var ErrBeginning = errors.New("no value begins with this")

// NewPrefix returns the prefix that selects every key of a layout.
func NewPrefix(layout *Layout) Prefix { return Prefix{layout: layout} }

// Sure makes a function that appends every value one that returns an error, which is nil.
func Sure[T any](write func([]byte, T) []byte) func([]byte, T) ([]byte, error) {
	return func(dst []byte, v T) ([]byte, error) { return write(dst, v), nil }
}

// Fix fixes the next field.
func Fix[T any](p Prefix, slot Slot, value T, write func([]byte, T) ([]byte, error)) Prefix {
	body, err := write(slices.Clip(p.body), value)
	if err != nil {
		return p.failed(err)
	}
	return p.fixed(slot, body[len(p.body):])
}

// FixConstant fixes the next field, which is the same in every key.
func FixConstant(p Prefix, slot Slot, constant string) Prefix { return p.fixed(slot, []byte(constant)) }

func (p Prefix) fixed(slot Slot, field []byte) Prefix {
	if slot.Desc {
		field = slices.Clone(field)
		Invert(field)
	}
	p.body = slices.Concat(p.body, field)
	p.ends = append(slices.Clip(p.ends), len(p.body))
	return p
}

func (p Prefix) failed(err error) Prefix {
	if p.err == nil {
		p.err = InKey(p.layout.Name, p.layout.Fields[min(len(p.ends), len(p.layout.Fields)-1)].Name, err)
	}
	return p
}

// In ends a prefix with several values of the next field.
func In[T any](p Prefix, slot Slot, values []T, write func([]byte, T) ([]byte, error)) Selection {
	selection := Selection{layout: p.layout, err: p.err}
	for _, value := range values {
		fixed := Fix(p, slot, value, write)
		selection.spans = append(selection.spans, spanOf(fixed.body, fixed.ends))
		selection.err = fixed.err
		p.err = fixed.err
	}
	return selection
}

// Within ends a prefix with intervals of the next field.
func Within[T any](p Prefix, slot Slot, values []Interval[T], write func([]byte, T) ([]byte, error)) Selection {
	selection := Selection{layout: p.layout, err: p.err}
	for _, interval := range values {
		low, err := write(nil, interval.Low.value)
		if interval.Low.kind == unbounded {
			low, err = nil, nil
		}
		high, errHigh := write(nil, interval.High.value)
		if interval.High.kind == unbounded {
			high, errHigh = nil, nil
		}
		if err = errors.Join(err, errHigh); err != nil && selection.err == nil {
			selection.err = p.failed(err).err
		}
		bounds := [2]bound{{low, interval.Low.kind}, {high, interval.High.kind}}
		if slot.Reverse {
			bounds[0], bounds[1] = bounds[1], bounds[0]
		}
		selection.spans = append(selection.spans, p.between(slot, bounds[0], bounds[1]))
	}
	return selection
}

// StartsWith ends a prefix with what the next field begins with, as bytes of an ascending field.
func StartsWith(p Prefix, slot Slot, start []byte, err error) Selection {
	if err != nil {
		p = p.failed(err)
	}
	began := p.fixed(slot, start)
	return Selection{layout: p.layout, spans: []span{spanOf(began.body, p.ends)}, err: p.err}
}

// Under ends a prefix with a domain and all its subdomains, or an address, of the next field, which is a host path.
func Under(p Prefix, slot Slot, host string) Selection {
	from, to, err := hostSpan(host)
	if err != nil {
		p = p.failed(err)
	}
	spans := []span{p.between(slot, bound{[]byte(from), included}, bound{[]byte(to), excluded})}
	return Selection{layout: p.layout, spans: spans, err: p.err}
}

// StartsWithPadded ends a prefix with what the next field, a text that is padded to a width, begins with. Blanks at the
// end of the beginning may be those of a shorter text, which begins so too.
func StartsWithPadded(p Prefix, slot Slot, start string, width int, blanks bool) Selection {
	text := start
	write := AppendZeros
	if blanks {
		text, write = strings.TrimRight(start, " "), AppendBlanks
	}
	shorter, err := write(nil, text, width)
	if len(start) > width {
		err = ErrBeginning
	}
	after := Successor([]byte(start))
	if err != nil || text == start || after == nil {
		return StartsWith(p, slot, []byte(start), err)
	}
	spans := []span{p.between(slot, bound{shorter, excluded}, bound{after, excluded})}
	return Selection{layout: p.layout, spans: spans, err: p.err}
}

// StartsWithBefore ends a prefix with what the next field, a text before a delimiter, begins with.
func StartsWithBefore(p Prefix, slot Slot, start, delimiter string) Selection {
	if strings.Contains(start, delimiter) {
		return StartsWith(p, slot, nil, ErrBeginning)
	}
	if !utf8.ValidString(start) {
		return StartsWith(p, slot, nil, ErrNotUTF8)
	}
	others := shorterTexts(start, delimiter)
	if len(others) == 0 {
		return StartsWith(p, slot, []byte(start), nil)
	}
	selection := Selection{layout: p.layout, err: p.err}
	low := bound{[]byte(start), included}
	for _, other := range others {
		selection.spans = append(selection.spans, p.between(slot, low, bound{other, excluded}))
		next := Successor(other)
		if next == nil {
			return selection
		}
		low = bound{next, included}
	}
	high := bound{Successor([]byte(start)), excluded}
	if high.bytes == nil {
		high.kind = unbounded
	}
	selection.spans = append(selection.spans, p.between(slot, low, high))
	return selection
}

// shorterTexts are the texts, each with its delimiter, that are shorter than a beginning and have it: as "a" and "::"
// do with "a:". They are sorted, without one that begins with another.
func shorterTexts(start, delimiter string) [][]byte {
	var texts [][]byte
	for size := 1; size < len(delimiter); size++ {
		if strings.HasSuffix(start, delimiter[:size]) {
			texts = append(texts, []byte(start+delimiter[size:]))
		}
	}
	slices.SortFunc(texts, bytes.Compare)
	var kept [][]byte
	for _, text := range texts {
		if len(kept) == 0 || !bytes.HasPrefix(text, kept[len(kept)-1]) {
			kept = append(kept, text)
		}
	}
	return kept
}

// TextStart is the bytes with which texts begin that begin so: escaped.
func TextStart(start string) ([]byte, error) {
	if !utf8.ValidString(start) {
		return nil, ErrNotUTF8
	}
	return appendEscaped(nil, start), nil
}

// RawStart is the bytes with which texts begin that begin so, and are as they are.
func RawStart(start string) ([]byte, error) { return AppendTextRaw(nil, start) }

// BytesStart is the bytes with which bytes begin that begin so: escaped.
func BytesStart(start []byte) ([]byte, error) { return appendEscaped(nil, start), nil }

// PlainStart is the bytes with which the texts of a text key begin that begin so, and have this width.
func PlainStart(start string, width int) ([]byte, error) {
	if len(start) > width {
		return nil, ErrBeginning
	}
	return RawStart(start)
}

// OrderedStart is the bytes with which fields of OrderedCode begin that begin so.
func OrderedStart[T string | []byte](start T, first bool) ([]byte, error) {
	if text, ok := any(start).(string); ok && !utf8.ValidString(text) {
		return nil, ErrNotUTF8
	}
	var bytes []byte
	if !first {
		bytes = AppendOrderedSeparator(bytes)
	}
	if len(start) == 0 {
		return bytes, nil
	}
	return escapeOrdered(append(bytes, start...), len(bytes)), nil
}

// A bound is that of an interval, as bytes of an ascending field.
type bound struct {
	bytes []byte
	kind  boundKind
}

// between is the span of the keys whose next field is between two bounds.
func (p Prefix) between(slot Slot, low, high bound) span {
	from, to := cut{}, cut{after: true}
	if low.kind != unbounded {
		from = p.at(slot, low, low.kind == excluded)
	}
	if high.kind != unbounded {
		to = p.at(slot, high, high.kind == included)
	}
	if slot.Desc {
		from, to = to.inverted(), from.inverted()
	}
	return span{p.body, p.ends, from, to}
}

// at is the cut before a value, or after it. After a value that can begin another one the other ones come later.
func (p Prefix) at(slot Slot, value bound, after bool) cut {
	switch {
	case !after:
		return cut{bytes: value.bytes}
	case slot.Raw:
		return cut{bytes: append(slices.Clip(value.bytes), 0)}
	case p.layout.Joined:
		return cut{bytes: append(slices.Clip(value.bytes), 0, 2)}
	default:
		return cut{bytes: value.bytes, after: true}
	}
}
