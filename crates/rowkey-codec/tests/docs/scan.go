package main

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"slices"

	"example.com/keys"
	"example.com/keys/rowkey"
)

// Row is a row of a client.
type Row struct{ key []byte }

// Key returns the row's key.
func (r Row) Key() []byte { return r.key }

func (r Row) String() string {
	var event keys.Event
	if err := event.Decode(r.key); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s %d", event.User, event.At)
}

func main() {
	var rows []Row
	for _, user := range []string{"cyd", "ada", "bob"} {
		for _, at := range []int64{1, 1307097000000} {
			key, _ := keys.Event{User: user, At: at}.Encode()
			rows = append(rows, Row{key})
		}
	}
	slices.SortFunc(rows, func(a, b Row) int { return bytes.Compare(a.key, b.key) })
	scan := func(ranges []rowkey.Range) iter.Seq2[Row, error] {
		return func(yield func(Row, error) bool) {
			for _, row := range rows {
				holds := func(r rowkey.Range) bool { return r.Contains(row.key) }
				if slices.ContainsFunc(ranges, holds) && !yield(row, nil) {
					return
				}
			}
		}
	}
	if err := use(scan); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
