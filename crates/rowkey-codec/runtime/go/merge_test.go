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

// Whatever scan fails at whatever place, even if it could go on.
func TestMergeHasTheRowsBeforeAnErrorAndNoneBehindIt(t *testing.T) {
	scans := [][]string{{"0a", "0d", "0e"}, {}, {"1b", "1c", "1g"}, {"2f"}}
	merged := []string{"0a", "1b", "1c", "0d", "0e", "2f", "1g"}
	failure := errors.New("no server")
	for failing, keys := range scans {
		for at := range len(keys) + 1 {
			var merging []iter.Seq2[string, error]
			for i, scan := range scans {
				if i != failing {
					merging = append(merging, scanOf(nil, scan...))
					continue
				}
				merging = append(merging, func(yield func(string, error) bool) {
					scanOf(failure, scan[:at]...)(yield)
					scanOf(nil, scan[at:]...)(yield)
				})
			}
			var found []string
			var failures []error
			for row, err := range Merge(1, keyOf, merging...) {
				if err != nil {
					failures = append(failures, err)
				} else if found = append(found, row); len(failures) > 0 {
					t.Errorf("%s behind an error", row)
				}
			}
			due := 0
			if at > 0 {
				due = slices.Index(merged, keys[at-1]) + 1
			}
			if !slices.Equal(found, merged[:due]) || !slices.Equal(failures, []error{failure}) {
				t.Error(failing, at, found, failures)
			}
		}
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
