// Command bench is the Go side of the benchmark beside it. It reads commands from its standard input, runs each with
// Google's client, and answers with the nanoseconds that it took, the rows, and the bytes of their values.
//
//	go-bench PROJECT INSTANCE FILE-OF-KEYS LENGTH-OF-A-KEY CLIENTS
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

const (
	family = "d"
	// Of all cells, in microseconds.
	at = bigtable.Timestamp(1_700_000_000_000_000)
	// Requests of a load at the same time.
	inFlight = 4
)

var (
	note  = []byte(strings.Repeat("v", 100))
	count = []byte{0, 0, 0, 0, 0, 0, 0, 7}
	// Of each column the newest version.
	newest = bigtable.RowFilter(bigtable.LatestNFilter(1))
)

// A count of what was read.
type counted struct{ rows, bytes int }

// Walks all cells of a row.
func (c *counted) add(row bigtable.Row) {
	c.rows++
	for _, cells := range row {
		for _, cell := range cells {
			c.bytes += len(cell.Value)
		}
	}
}

func (c *counted) read(ctx context.Context, table *bigtable.Table, rows bigtable.RowSet) error {
	return table.ReadRows(ctx, rows, func(row bigtable.Row) bool {
		c.add(row)
		return true
	}, newest)
}

func main() {
	if len(os.Args) != 6 {
		log.Fatal("usage: go-bench PROJECT INSTANCE FILE-OF-KEYS LENGTH-OF-A-KEY CLIENTS")
	}
	ctx := context.Background()
	keys := keysOf(os.Args[3], number(os.Args[4]))
	clients := make([]*bigtable.Client, number(os.Args[5]))
	for i := range clients {
		// To an emulator a client has one connection.
		config := bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}}
		client, err := bigtable.NewClientWithConfig(ctx, os.Args[1], os.Args[2], config)
		check(err)
		clients[i] = client
	}
	commands := bufio.NewScanner(os.Stdin)
	for commands.Scan() {
		words := strings.Fields(commands.Text())
		tables := make([]*bigtable.Table, len(clients))
		for i, client := range clients {
			tables[i] = client.Open(words[1])
		}
		begun := time.Now()
		counted, err := run(ctx, tables, keys, words[0], number(words[2]))
		took := time.Since(begun)
		check(err)
		fmt.Println(took.Nanoseconds(), counted.rows, counted.bytes)
	}
	check(commands.Err())
}

func run(ctx context.Context, tables []*bigtable.Table, keys []string, command string, n int) (counted, error) {
	var all counted
	switch command {
	case "load":
		// n rows a request.
		requests := (len(keys) + n - 1) / n
		err := parallel(inFlight, requests, func(i int) error {
			return load(ctx, tables[i%len(tables)], keys[i*n:min((i+1)*n, len(keys))])
		})
		return counted{rows: len(keys)}, err
	case "whole":
		err := all.read(ctx, tables[0], bigtable.InfiniteRange(""))
		return all, err
	case "ranges":
		// n buckets, each a goroutine.
		found := make([]counted, n)
		err := parallel(n, n, func(i int) error {
			bucket := bigtable.InfiniteRange(string([]byte{byte(i)}))
			if i+1 < n {
				bucket = bigtable.NewRange(string([]byte{byte(i)}), string([]byte{byte(i + 1)}))
			}
			return found[i].read(ctx, tables[i%len(tables)], bucket)
		})
		for _, of := range found {
			all.rows += of.rows
			all.bytes += of.bytes
		}
		return all, err
	case "gets":
		for _, key := range some(keys, n) {
			row, err := tables[0].ReadRow(ctx, key, newest)
			if err != nil {
				return all, err
			}
			all.add(row)
		}
		return all, nil
	case "many":
		err := all.read(ctx, tables[0], bigtable.RowList(some(keys, n)))
		return all, err
	default:
		return all, fmt.Errorf("no such command: %s", command)
	}
}

func load(ctx context.Context, table *bigtable.Table, keys []string) error {
	mutations := make([]*bigtable.Mutation, len(keys))
	for i := range keys {
		mutation := bigtable.NewMutation()
		mutation.Set(family, "count", at, count)
		mutation.Set(family, "note", at, note)
		mutations[i] = mutation
	}
	failed, err := table.ApplyBulk(ctx, keys, mutations)
	if err == nil && failed != nil {
		err = fmt.Errorf("some of %d rows were not written", len(failed))
	}
	return err
}

// Runs do for 0 to n-1, at most so many at the same time.
func parallel(most, n int, do func(i int) error) error {
	var group sync.WaitGroup
	turns := make(chan struct{}, most)
	errs := make([]error, n)
	for i := range n {
		turns <- struct{}{}
		group.Go(func() {
			errs[i] = do(i)
			<-turns
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// n of the keys, from the whole of the table.
func some(keys []string, n int) []string {
	n = min(n, len(keys))
	chosen := make([]string, n)
	for i := range chosen {
		chosen[i] = keys[i*(len(keys)/n)]
	}
	return chosen
}

func keysOf(file string, length int) []string {
	bytes, err := os.ReadFile(file)
	check(err)
	keys := make([]string, 0, len(bytes)/length)
	for ; len(bytes) >= length; bytes = bytes[length:] {
		keys = append(keys, string(bytes[:length]))
	}
	return keys
}

func number(text string) int {
	number, err := strconv.Atoi(text)
	check(err)
	return number
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
