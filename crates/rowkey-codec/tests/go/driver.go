// Command driver answers the questions of tests/vectors/program.rs about the package rowkeys.
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"strings"

	"rowkeys/rowkey"
)

type codec struct {
	encode  func(values []any) ([]byte, error)
	decode  func(key []byte) ([]any, error)
	explain func(key []byte) string
	ranges  func(q query) *rowkey.Selection
}

type query struct {
	Leading   []any
	How       string
	Values    []any
	Low, High []any
}

// queryOf reads leading values and a condition.
func queryOf(leading, condition string) query {
	var q query
	var of map[string]any
	must(json.Unmarshal([]byte(leading), &q.Leading))
	must(json.Unmarshal([]byte(condition), &of))
	for how, values := range of {
		q.How = how
		switch how {
		case "in":
			q.Values = values.([]any)
		case "range":
			q.Low, _ = values.([]any)[0].([]any)
			q.High, _ = values.([]any)[1].([]any)
		default:
			q.Values = []any{values}
		}
	}
	return q
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 64<<20)
	output := bufio.NewWriter(os.Stdout)
	defer output.Flush()
	for input.Scan() {
		fmt.Fprintln(output, strings.ReplaceAll(answer(strings.Split(input.Text(), "\t")), "\n", " "))
	}
}

// answer answers a question; "?" if there is no such method.
func answer(question []string) (text string) {
	defer func() {
		// A value that is none of a type, which its constructor refused; or a fault of the code, which is no answer.
		switch refused := recover().(type) {
		case nil:
		case runtime.Error:
			text = fmt.Sprintf("?%v", refused)
		default:
			text = fmt.Sprintf("!%v", refused)
		}
	}()
	index, err := strconv.Atoi(question[1])
	must(err)
	c := codecs[index]
	switch question[0] {
	case "encode":
		var values []any
		must(json.Unmarshal([]byte(question[2]), &values))
		key, err := c.encode(values)
		must(err)
		return hex.EncodeToString(key)
	case "decode":
		key := unhex(question[2])
		if table := c.explain(key); !strings.Contains(table, fmt.Sprintf("%d bytes", len(key))) {
			return "?" + table
		}
		values, err := c.decode(key)
		var refused *rowkey.DecodeError
		if errors.As(err, &refused) {
			return fmt.Sprintf("!%s\t%d\t%s", refused.Field, refused.Offset, err)
		}
		must(err)
		return jsonOf(values)
	default:
		selection := c.ranges(queryOf(question[2], question[3]))
		if selection == nil {
			return "?"
		}
		byBucket, err := selection.RangesByBucket()
		must(err)
		return jsonOf(pairs(byBucket))
	}
}

func pairs(byBucket [][]rowkey.Range) [][][]*string {
	lists := [][][]*string{}
	for _, ranges := range byBucket {
		list := [][]*string{}
		for _, r := range ranges {
			start := hex.EncodeToString(r.Start)
			pair := []*string{&start, nil}
			if r.End != nil {
				end := hex.EncodeToString(r.End)
				pair[1] = &end
			}
			list = append(list, pair)
		}
		lists = append(lists, list)
	}
	return lists
}

func jsonOf(v any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	must(encoder.Encode(v))
	return strings.TrimSpace(text.String())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func unhex(text string) []byte {
	v, err := hex.DecodeString(text)
	must(err)
	return v
}

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

func fromInt[T integer](v any) T {
	n, ok := new(big.Int).SetString(v.(string), 10)
	if !ok {
		panic(v)
	}
	if n.IsUint64() {
		return T(n.Uint64())
	}
	return T(n.Int64())
}

func toInt[T integer](v T) any { return fmt.Sprint(v) }

func bigOf(v any) *big.Int {
	n, ok := new(big.Int).SetString(v.(string), 10)
	if !ok {
		panic(v)
	}
	return n
}

func fromU128(v any) rowkey.U128 {
	n, err := rowkey.U128FromBig(bigOf(v))
	must(err)
	return n
}

func fromI128(v any) rowkey.I128 {
	n, err := rowkey.I128FromBig(bigOf(v))
	must(err)
	return n
}

func toString[T fmt.Stringer](v T) any { return v.String() }

func fromF32(v any) float32 {
	bits, err := strconv.ParseUint(v.(string), 16, 32)
	must(err)
	return math.Float32frombits(uint32(bits))
}

func toF32(v float32) any { return fmt.Sprintf("%08x", math.Float32bits(v)) }

func fromF64(v any) float64 {
	bits, err := strconv.ParseUint(v.(string), 16, 64)
	must(err)
	return math.Float64frombits(bits)
}

func toF64(v float64) any { return fmt.Sprintf("%016x", math.Float64bits(v)) }

func fromBool(v any) bool { return v.(bool) }
func toBool(v bool) any   { return v }

func fromChar(v any) rune { return []rune(v.(string))[0] }
func toChar(v rune) any   { return string(v) }

func fromText(v any) string { return v.(string) }
func toText(v string) any   { return v }

func fromBytes(v any) []byte { return unhex(v.(string)) }
func toBytes(v []byte) any   { return hex.EncodeToString(v) }

func fromUUID(v any) [16]byte { return [16]byte(unhex(v.(string))) }
func toUUID(v [16]byte) any   { return hex.EncodeToString(v[:]) }

func fromDecimal(v any) rowkey.Decimal {
	n, err := rowkey.ParseDecimal(v.(string))
	must(err)
	return n
}

func fromAddr(v any) netip.Addr { return netip.MustParseAddr(v.(string)) }

func toAddr(v netip.Addr) any { return v.String() }

func pair(v any) (string, uint32) {
	pair := v.([]any)
	return pair[0].(string), fromInt[uint32](pair[1])
}

func fromInstant(v any) rowkey.Instant {
	seconds, nanos := pair(v)
	return rowkey.Instant{Seconds: fromInt[int64](seconds), Nanos: nanos}
}

func toInstant(v rowkey.Instant) any { return []any{fmt.Sprint(v.Seconds), fmt.Sprint(v.Nanos)} }

func fromDuration(v any) rowkey.Duration {
	seconds, nanos := pair(v)
	return rowkey.Duration{Seconds: fromInt[uint64](seconds), Nanos: nanos}
}

func toDuration(v rowkey.Duration) any { return []any{fmt.Sprint(v.Seconds), fmt.Sprint(v.Nanos)} }

func fromTile(v any) rowkey.Tile {
	tile, err := rowkey.ParseTile(v.(string))
	must(err)
	return tile
}

func fromHostPath(v any) rowkey.HostPath {
	page, err := rowkey.ParseHostPath(v.(string))
	must(err)
	return page
}

func fromOption[T any](from func(any) T) func(any) rowkey.Option[T] {
	return func(v any) rowkey.Option[T] {
		if v == nil {
			return rowkey.None[T]()
		}
		return rowkey.Some(from(v))
	}
}

func toOption[T any](to func(T) any) func(rowkey.Option[T]) any {
	return func(v rowkey.Option[T]) any {
		if value, ok := v.Get(); ok {
			return to(value)
		}
		return nil
	}
}

// fromNested reads the value of an option that can be an option without a value itself.
func fromNested[T any](from func(any) T) func(any) T {
	return func(v any) T { return from(v.([]any)[0]) }
}

func toNested[T any](to func(T) any) func(T) any {
	return func(v T) any { return []any{to(v)} }
}

func fromList[T any](from func(any) T) func(any) []T {
	return func(v any) []T { return all(from, v.([]any)) }
}

func all[T any](from func(any) T, values []any) []T {
	list := []T{}
	for _, value := range values {
		list = append(list, from(value))
	}
	return list
}

func toList[T any](to func(T) any) func([]T) any {
	return func(v []T) any {
		list := []any{}
		for _, value := range v {
			list = append(list, to(value))
		}
		return list
	}
}

func interval[T any](from func(any) T, q query) rowkey.Interval[T] {
	bound := func(of []any) rowkey.Bound[T] {
		switch {
		case of == nil:
			return rowkey.Bound[T]{}
		case of[0].(string) == "included":
			return rowkey.Included(from(of[1]))
		default:
			return rowkey.Excluded(from(of[1]))
		}
	}
	return rowkey.Interval[T]{Low: bound(q.Low), High: bound(q.High)}
}

func of(selection rowkey.Selection) *rowkey.Selection { return &selection }
