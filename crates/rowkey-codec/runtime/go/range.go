package rowkey

import (
	"bytes"
	"slices"
)

// Range is a range of row keys, in the order of their bytes. None is empty.
type Range struct {
	// Start is the first possible key.
	Start []byte
	// End is the first key after the range; nil if it goes to the end of the table.
	End []byte
}

// PrefixRange is the range of the keys that begin with a prefix.
func PrefixRange(prefix []byte) Range { return Range{prefix, Successor(prefix)} }

// PointRange is the range of one key.
func PointRange(key []byte) Range { return Range{key, append(slices.Clip(key), 0)} }

// Contains returns whether a key is in the range.
func (r Range) Contains(key []byte) bool {
	return bytes.Compare(r.Start, key) <= 0 && (r.End == nil || bytes.Compare(key, r.End) < 0)
}

// Successor is the first byte string after all those that begin with a prefix: the exclusive end of its scan. It is nil
// for the empty prefix, and for one of FF bytes alone.
func Successor(prefix []byte) []byte {
	for last := len(prefix) - 1; last >= 0; last-- {
		if prefix[last] != 0xff {
			next := bytes.Clone(prefix[:last+1])
			next[last]++
			return next
		}
	}
	return nil
}

// Union returns the same keys in the fewest ranges: sorted, with overlapping and adjacent ones joined.
func Union(ranges []Range) []Range {
	sorted := slices.Clone(ranges)
	slices.SortStableFunc(sorted, func(a, b Range) int { return bytes.Compare(a.Start, b.Start) })
	union := make([]Range, 0, len(sorted))
	for _, r := range sorted {
		if len(union) > 0 {
			last := &union[len(union)-1]
			if last.End == nil || bytes.Compare(r.Start, last.End) <= 0 {
				if last.End != nil && (r.End == nil || bytes.Compare(r.End, last.End) > 0) {
					last.End = r.End
				}
				continue
			}
		}
		union = append(union, r)
	}
	return union
}
