package rowkey

import (
	"bytes"
	"slices"
)

// A cut is a place between keys: before every key that begins with some bytes, or after every one. Unlike a key it can
// be inverted for a descending field, and moved behind a prefix, without losing a key.
type cut struct {
	bytes []byte
	after bool
}

func (c cut) inverted() cut {
	turned := bytes.Clone(c.bytes)
	Invert(turned)
	return cut{turned, !c.after}
}

// key is the first possible key after the cut; false if there is none.
func (c cut) key(prefix []byte) ([]byte, bool) {
	whole := slices.Concat(prefix, c.bytes)
	if !c.after {
		return whole, true
	}
	next := Successor(whole)
	return next, next != nil
}

// A span is the keys whose body, which is the key without its lead, begins with some bytes and goes on between two
// cuts.
type span struct {
	body []byte
	// ends are those of the fields that the body fixes.
	ends      []int
	low, high cut
}

// spanOf is every key whose body begins with these bytes.
func spanOf(body []byte, ends []int) span { return span{body, ends, cut{}, cut{after: true}} }

// fixesWhole returns whether the span is all keys with some fields, and no part of a field.
func (s span) fixesWhole() bool {
	return len(s.ends) > 0 && s.ends[len(s.ends)-1] == len(s.body) && len(s.high.bytes) == 0 && s.high.after
}

// in returns the range of the span's keys behind a lead; fields is how many a whole key has.
func (s span) in(lead []byte, fields int) []Range {
	prefix := slices.Concat(lead, s.body)
	if len(s.ends) == fields {
		return []Range{PointRange(prefix)}
	}
	low, ok := s.low.key(prefix)
	if !ok {
		return nil
	}
	high, bounded := s.high.key(prefix)
	if bounded && bytes.Compare(low, high) >= 0 {
		return nil
	}
	return []Range{{low, high}}
}

// beforeOptional takes out the keys that have other bytes after the fixed fields than a delimiter: all fields but one,
// which is there after the delimiter or missing.
func (s span) beforeOptional(delimiter string, fields int) []span {
	if len(s.ends)+1 != fields || s.ends[len(s.ends)-1] != len(s.body) {
		return []span{s}
	}
	low, ok := s.low.key(nil)
	if !ok {
		return nil
	}
	high, bounded := s.high.key(nil)
	from := low
	if bytes.Compare(from, []byte(delimiter)) < 0 {
		from = []byte(delimiter)
	}
	to, closed := high, bounded
	if next := Successor([]byte(delimiter)); next != nil && (!closed || bytes.Compare(next, to) < 0) {
		to, closed = next, true
	}
	var spans []span
	if !closed || bytes.Compare(from, to) < 0 {
		upper := cut{after: true}
		if closed {
			upper = cut{bytes: to}
		}
		spans = append(spans, span{s.body, s.ends, cut{bytes: from}, upper})
	}
	if len(low) == 0 && (!bounded || len(high) > 0) {
		spans = append(spans, spanOf(s.body, append(slices.Clip(s.ends), len(s.body))))
	}
	return spans
}
