// Command bigtable writes and reads rows by generated keys and Google's own client of Bigtable, for tests/bigtable.
//
//	bigtable write PROJECT INSTANCE TABLE ROWS
//	bigtable read PROJECT INSTANCE TABLE ROWS
package main

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"log"
	"os"
	"strconv"

	"cloud.google.com/go/bigtable"

	"rowkeys"
	"rowkeys/rowkey"
)

const (
	family = "f"
	column = "v"
	batch  = 1000
	users  = 1000
)

// visit is the row with a number: the same in Rust's part of the test.
func visit(i int) rowkeys.Visit {
	return rowkeys.Visit{User: fmt.Sprintf("user%d", i%users), At: int64(i)*7919 - 300_000_000, Page: uint32(i)}
}

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	client, err := bigtable.NewClient(ctx, os.Args[2], os.Args[3])
	must(err)
	rows, err := strconv.Atoi(os.Args[5])
	must(err)
	check(ctx, client, os.Args[4])
	table := client.Open(os.Args[4])
	switch os.Args[1] {
	case "write":
		write(ctx, table, rows)
	case "read":
		read(ctx, table, rows)
	}
	must(client.Close())
}

// check refuses a table whose keys have another layout than the generated ones.
func check(ctx context.Context, client *bigtable.Client, table string) {
	row, err := client.Open("rowkey.schemas").ReadRow(ctx, table)
	must(err)
	for _, item := range row["s"] {
		if item.Column == "s:schema" {
			must(rowkeys.Visit{}.Layout().Check(item.Value))
			if (rowkeys.Other{}).Layout().Check(item.Value) == nil {
				log.Fatal("the table is taken for one of other keys")
			}
			return
		}
	}
	log.Fatalf("the table keeps no schema: %v", row)
}

func write(ctx context.Context, table *bigtable.Table, rows int) {
	for from := 0; from < rows; from += batch {
		var keys []string
		var mutations []*bigtable.Mutation
		for i := from; i < min(from+batch, rows); i++ {
			key, err := visit(i).Encode()
			must(err)
			mutation := bigtable.NewMutation()
			mutation.Set(family, column, bigtable.ServerTime, []byte("go"+strconv.Itoa(i)))
			keys, mutations = append(keys, string(key)), append(mutations, mutation)
		}
		errs, err := table.ApplyBulk(ctx, keys, mutations)
		must(err)
		for _, err := range errs {
			must(err)
		}
	}
}

// scan is the rows of some ranges, in the order of their keys.
func scan(ctx context.Context, table *bigtable.Table, ranges []rowkey.Range) iter.Seq2[bigtable.Row, error] {
	var list bigtable.RowRangeList
	for _, r := range ranges {
		list = append(list, bigtable.NewRange(string(r.Start), string(r.End)))
	}
	return func(yield func(bigtable.Row, error) bool) {
		err := table.ReadRows(ctx, list, func(row bigtable.Row) bool { return yield(row, nil) })
		if err != nil {
			yield(nil, err)
		}
	}
}

// merged is the selected rows of all buckets, in one order.
func merged(
	ctx context.Context, table *bigtable.Table, byBucket [][]rowkey.Range, err error,
) iter.Seq2[bigtable.Row, error] {
	must(err)
	var scans []iter.Seq2[bigtable.Row, error]
	for _, ranges := range byBucket {
		scans = append(scans, scan(ctx, table, ranges))
	}
	key := func(row bigtable.Row) []byte { return []byte(row.Key()) }
	return rowkey.Merge(rowkeys.Visit{}.Layout().SaltSize(), key, scans...)
}

func read(ctx context.Context, table *bigtable.Table, rows int) {
	byBucket, err := rowkeys.VisitPrefix{}.All().RangesByBucket()
	count, last, seen := 0, []byte(nil), make([]bool, rows)
	for row, err := range merged(ctx, table, byBucket, err) {
		must(err)
		var key rowkeys.Visit
		must(key.Decode([]byte(row.Key())))
		i := int(key.Page)
		if key != visit(i) || seen[i] || string(row[family][0].Value) != "rust"+strconv.Itoa(i) {
			log.Fatalf("row %d is %v", i, row)
		}
		seen[i] = true
		body := []byte(row.Key())[1:]
		if bytes.Compare(last, body) >= 0 {
			log.Fatalf("%x is after %x", body, last)
		}
		last = body
		count++
	}
	if count != rows {
		log.Fatalf("%d rows, and not %d", count, rows)
	}
	// The latest visits of one user: one bucket, from the newest on.
	byBucket, err = rowkeys.VisitPrefix{}.User("user7").AtRange(rowkey.AtLeast(visit(rows / 2).At)).RangesByBucket()
	if len(byBucket) != 1 {
		log.Fatalf("%d buckets", len(byBucket))
	}
	of, before := 0, int64(0)
	for row, err := range merged(ctx, table, byBucket, err) {
		must(err)
		var key rowkeys.Visit
		must(key.Decode([]byte(row.Key())))
		if key.User != "user7" || of > 0 && key.At >= before {
			log.Fatalf("%v", key)
		}
		before = key.At
		of++
	}
	due := 0
	for i := rows / 2; i < rows; i++ {
		if i%users == 7 {
			due++
		}
	}
	if of != due {
		log.Fatalf("%d rows of user7, and not %d", of, due)
	}
	fmt.Printf("%d rows in one order, %d of one user\n", count, of)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
