package rowkey

import (
	"bytes"
	"slices"
)

// Selection is a set of keys, to scan, count or delete: what a prefix selects, or a range at its end.
type Selection struct {
	layout *Layout
	spans  []span
	// bucket is the lead of the one bucket that is selected.
	bucket []byte
	err    error
}

// Select returns what the prefix selects.
func (p Prefix) Select() Selection {
	return Selection{layout: p.layout, spans: []span{spanOf(p.body, p.ends)}, err: p.err}
}

// Ranges returns the ranges that hold exactly the selected keys: sorted, none empty, no two adjacent. It returns an
// error if a value of the prefix has no bytes.
func (p Prefix) Ranges() ([]Range, error) { return p.Select().Ranges() }

// RangesByBucket returns the ranges of each salt bucket, without buckets that can hold no selected key; of a key
// without salt one list.
func (p Prefix) RangesByBucket() ([][]Range, error) { return p.Select().RangesByBucket() }

// InBucketOf restricts the selection to the bucket that a key falls into. Give a key whose salted fields equal those of
// the rows you want. It helps where the salt is taken over fields after a range.
func (s Selection) InBucketOf(key []byte) Selection {
	if s.layout.Lead == nil || s.layout.Lead.Buckets == 0 {
		return s
	}
	bucket := key[:min(s.layout.Lead.Size(), len(key))]
	if s.bucket != nil && !bytes.Equal(s.bucket, bucket) {
		s.spans = nil
	}
	s.bucket = bytes.Clone(bucket)
	return s
}

// Ranges returns the ranges that hold exactly the selected keys: sorted, none empty, no two adjacent.
func (s Selection) Ranges() ([]Range, error) {
	byBucket, err := s.RangesByBucket()
	return Union(slices.Concat(byBucket...)), err
}

// RangesByBucket returns the ranges of each salt bucket, without buckets that can hold no selected key; of a key
// without salt one list. If nothing is selected it is empty.
func (s Selection) RangesByBucket() ([][]Range, error) {
	if s.err != nil {
		return nil, s.err
	}
	var byBucket [][]Range
	for _, bucket := range s.perBucket() {
		if ranges := s.narrowed(bucket); len(ranges) > 0 {
			byBucket = append(byBucket, ranges)
		}
	}
	return byBucket, nil
}

// perBucket returns the ranges of each bucket, in their order.
func (s Selection) perBucket() [][]Range {
	lead, fields := s.layout.Lead, len(s.layout.Fields)
	if lead == nil {
		lead = &Lead{}
	}
	lists := make([][]Range, max(lead.Buckets, 1))
	for _, span := range s.placed() {
		m, known := s.layout.m(span)
		bytes := make([]byte, lead.Size())
		switch {
		case s.layout.Lead == nil:
			lists[0] = append(lists[0], span.in(nil, fields)...)
		case known && lead.Buckets == 0:
			lead.Put(bytes, m)
			lists[0] = append(lists[0], span.in(bytes, fields)...)
		case known:
			bucket := int(lead.Hash.number(m) % uint64(lead.Buckets))
			lead.putBucket(bytes, bucket)
			lists[bucket] = append(lists[bucket], span.in(bytes, fields)...)
		case lead.Buckets == 0:
			// Generated prefixes end where the digest is known, or select everything.
			lists[0] = append(lists[0], Range{})
		default:
			for bucket := range lead.Buckets {
				lead.putBucket(bytes, bucket)
				lists[bucket] = append(lists[bucket], span.in(bytes, fields)...)
			}
		}
	}
	return lists
}

// m returns the bytes that a lead is taken from, if a span fixes all the fields involved.
func (l *Layout) m(s span) ([]byte, bool) {
	if l.Lead == nil {
		return nil, false
	}
	due := len(l.Fields)
	if len(l.By) > 0 {
		due = l.By[len(l.By)-1] + 1
	}
	if len(s.ends) < due {
		return nil, false
	}
	return l.hashed(s.body[:s.ends[len(s.ends)-1]], s.ends), true
}

// placed returns the spans as keys have them: with what OrderedCode leaves out, and around an optional field.
func (s Selection) placed() []span {
	fields := len(s.layout.Fields)
	var placed []span
	for _, span := range s.spans {
		if s.layout.Joined && span.fixesWhole() {
			span.high = cut{bytes: []byte{0, 2}}
		}
		if s.layout.Joined && len(span.ends) == fields {
			span.body = TrimOrdered(span.body)
		}
		if s.layout.Until != "" {
			placed = append(placed, span.beforeOptional(s.layout.Until, fields)...)
		} else {
			placed = append(placed, span)
		}
	}
	return placed
}

// narrowed joins the ranges of a bucket, and leaves out those of other buckets than the selected one.
func (s Selection) narrowed(ranges []Range) []Range {
	ranges = Union(ranges)
	if s.bucket != nil {
		isOther := func(r Range) bool { return !bytes.HasPrefix(r.Start, s.bucket) }
		if slices.ContainsFunc(ranges, isOther) {
			return nil
		}
	}
	if !s.layout.Joined {
		return ranges
	}
	// Bounds have no empty fields at their ends, which are at the end of no key.
	var cut []Range
	for _, r := range ranges {
		start := TrimOrdered(r.Start)
		if r.End == nil {
			cut = append(cut, Range{Start: start})
		} else if end := TrimOrdered(r.End); bytes.Compare(start, end) < 0 {
			cut = append(cut, Range{start, end})
		}
	}
	return cut
}
