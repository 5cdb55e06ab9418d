package rowkey

import (
	"errors"
	"iter"
	"slices"
	"testing"
)

func scanOf(err error, keys ...string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, key := range keys {
			if !yield(key, nil) {
				return
			}
		}
		if err != nil {
			yield("", err)
		}
	}
}

func keyOf(row string) []byte { return []byte(row) }

func TestMergeIsInTheOrderWithoutTheSalt(t *testing.T) {
	var keys []string
	scans := []iter.Seq2[string, error]{
		scanOf(nil, "0b", "0e"), scanOf(nil), scanOf(nil, "1a", "1c", "1f"), scanOf(nil, "2d"),
	}
	for row, err := range Merge(1, keyOf, scans...) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, row)
	}
	if due := []string{"1a", "0b", "1c", "2d", "0e", "1f"}; !slices.Equal(keys, due) {
		t.Error(keys)
	}
}

func TestMergeEndsWithTheFirstError(t *testing.T) {
	failure := errors.New("no server")
	var keys []string
	var last error
	for row, err := range Merge(1, keyOf, scanOf(nil, "0a", "0c"), scanOf(failure, "1b")) {
		if last = err; err == nil {
			keys = append(keys, row)
		}
	}
	if !slices.Equal(keys, []string{"0a", "1b"}) || last != failure {
		t.Error(keys, last)
	}
}

func TestMergeStopsItsScans(t *testing.T) {
	stopped := 0
	endless := func(yield func(string, error) bool) {
		defer func() { stopped++ }()
		for yield("0a", nil) {
		}
	}
	for range Merge(1, keyOf, endless, endless) {
		break
	}
	if stopped != 2 {
		t.Error(stopped)
	}
}
