package rowkey

import (
	"fmt"
	"strings"
)

// Layout is the layout of a generated key's type.
type Layout struct {
	// Name is the name of the type.
	Name string
	// Shape says everything that the bytes depend on.
	Shape string
	// Fingerprint is the shape's: 16 hex digits.
	Fingerprint string
	// Lead is what stands before the fields; nil: nothing.
	Lead *Lead
	// By are the fields, by index, that a salt or digest is taken from; none: all.
	By []int
	// Cut is the number of bytes at the end of what is hashed that are left out.
	Cut int
	// Fields are the fields.
	Fields []Field
	// Until is the delimiter before the last field, if keys have it only with that field.
	Until string
	// Joined is true if OrderedCode joins the fields.
	Joined bool
}

// Field is a field of a key.
type Field struct {
	// Name is its name, as the design has it.
	Name string
	// Shape is the shape of its type and its attributes.
	Shape string
}

// LayoutError says that a table's keys have another layout than a program's.
type LayoutError struct {
	// Key is the name of the program's type.
	Key string
	// Kept is the shape that the table kept.
	Kept string
	// Shape is that of the program's type.
	Shape string
}

func (e *LayoutError) Error() string {
	return fmt.Sprintf("the table's keys are %q, those of %s are %q", e.Kept, e.Key, e.Shape)
}

// LayoutRow is the key under which the table `rowkey.layouts` keeps the shape of another table's keys, as the row's
// value.
func LayoutRow(table string) []byte { return append([]byte("t"), table...) }

// Check returns an error unless what a table kept is this layout: its shape, its fingerprint, or a wide table's
// schema that has its shape. Rust keeps a wide table's schema in the table `rowkey.schemas`, in the column `s:schema`
// of the row with the table's name, or in HBase as an attribute of the table. Line ends behind it do not count.
func (l *Layout) Check(kept []byte) error {
	text := string(kept)
	for _, line := range strings.Split(text, "\n") {
		if shape, ok := strings.CutPrefix(line, "row key: "); ok {
			text = shape
			break
		}
	}
	text = strings.TrimRight(text, "\r\n")
	if text != l.Shape && text != l.Fingerprint {
		return &LayoutError{Key: l.Name, Kept: text, Shape: l.Shape}
	}
	return nil
}

// SaltSize is the number of bytes of the keys' salt; 0 without one. It is what [Merge] takes.
func (l *Layout) SaltSize() int {
	if l.Lead == nil || l.Lead.Buckets == 0 {
		return 0
	}
	return l.Lead.Size()
}

// Splits are the keys at which a salted table is split so that each bucket is a region or tablet of its own.
func (l *Layout) Splits() [][]byte {
	if l.Lead == nil || l.Lead.Buckets == 0 {
		return nil
	}
	splits := make([][]byte, 0, l.Lead.Buckets-1)
	for bucket := 1; bucket < l.Lead.Buckets; bucket++ {
		split := make([]byte, l.Lead.Size())
		l.Lead.putBucket(split, bucket)
		splits = append(splits, split)
	}
	return splits
}

// hashed returns the bytes of a body that a lead is taken from; ends are the ends of its fields.
func (l *Layout) hashed(body []byte, ends []int) []byte {
	m := body
	if len(l.By) > 0 {
		m = nil
		for _, field := range l.By {
			start := 0
			if field > 0 {
				start = ends[field-1]
			}
			m = append(m, body[start:ends[field]]...)
		}
	}
	return m[:max(len(m)-l.Cut, 0)]
}
