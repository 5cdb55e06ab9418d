package rowkey

import (
	"fmt"
	"strings"
)

// Explain returns a table of a key: the bytes of the lead and of each field, their place, and the value. ends are those
// of the fields that were read, values theirs; err is why the key is not valid, or nil.
func (l *Layout) Explain(key []byte, ends []int, values []any, err error) string {
	var table strings.Builder
	fmt.Fprintf(&table, "%s, %d bytes\n", l.Name, len(key))
	at := 0
	line := func(end int, name, shape, value string) {
		if end > at {
			fmt.Fprintf(&table, "%4d..%-4d %s  %s  % x  %s\n", at, end, name, shape, key[at:end], value)
			at = end
		}
	}
	if l.Lead != nil {
		shape := "digest"
		if l.Lead.Buckets > 0 {
			shape = "salt"
		}
		line(min(l.Lead.Size(), len(key)), "-", shape, "")
	}
	for i, field := range l.Fields {
		line(ends[i], field.Name, field.Shape, show(values[i]))
	}
	line(len(key), "?", "?", "")
	if err != nil {
		fmt.Fprintf(&table, "%s\n", err)
	}
	return table.String()
}
