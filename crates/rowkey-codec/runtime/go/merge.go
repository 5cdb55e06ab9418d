package rowkey

import (
	"bytes"
	"iter"
)

// Merge returns the rows of the scans of all salt buckets in one order: that of their keys without the salt, whose size
// in bytes is given. Each scan is in the order of its keys, as any client returns them; key returns a row's key. The
// first error of a scan ends the rows, and comes last.
//
// A client that calls back for each row is a scan too:
//
//	func(yield func(Row, error) bool) {
//		if err := table.Read(ctx, rows, func(row Row) bool { return yield(row, nil) }); err != nil {
//			yield(Row{}, err)
//		}
//	}
//
// The scans run as far as the rows are asked for. When the rows are left before their end, all scans are stopped.
func Merge[R any](salt int, key func(R) []byte, scans ...iter.Seq2[R, error]) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		heads := make(heap[R], 0, len(scans))
		defer func() {
			for _, head := range heads {
				head.stop()
			}
		}()
		for _, scan := range scans {
			next, stop := iter.Pull2(scan)
			head := &head[R]{next: next, stop: stop}
			more, err := head.advance(salt, key)
			if err != nil {
				stop()
				yield(head.row, err)
				return
			}
			if more {
				heads = append(heads, head)
			}
		}
		for i := len(heads)/2 - 1; i >= 0; i-- {
			heads.down(i)
		}
		for len(heads) > 0 {
			least := heads[0]
			if !yield(least.row, nil) {
				return
			}
			more, err := least.advance(salt, key)
			if err != nil {
				yield(least.row, err)
				return
			}
			if !more {
				last := len(heads) - 1
				heads[0], heads = heads[last], heads[:last]
			}
			heads.down(0)
		}
	}
}

// A head is the next row of a scan.
type head[R any] struct {
	row  R
	body []byte
	next func() (R, error, bool)
	stop func()
}

// advance reads the next row; false at the end of the scan.
func (h *head[R]) advance(salt int, key func(R) []byte) (bool, error) {
	row, err, more := h.next()
	h.row = row
	if !more || err != nil {
		return false, err
	}
	whole := key(row)
	h.body = whole[min(salt, len(whole)):]
	return true, nil
}

// A heap has a head with the least row first.
type heap[R any] []*head[R]

// down moves a head behind those that are less.
func (h heap[R]) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if bytes.Compare(h[child].body, h[least].body) < 0 {
				least = child
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
