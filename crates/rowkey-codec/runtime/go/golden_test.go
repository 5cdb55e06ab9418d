package rowkey

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A codec reads a value from JSON and appends it, and reads it from bytes.
type codec struct {
	write func(dst []byte, json any) ([]byte, error)
	read  func(r *Reader) any
}

func number[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](
	write func([]byte, T) []byte, read func(*Reader) T,
) codec {
	return codec{
		func(dst []byte, json any) ([]byte, error) {
			if signed, err := strconv.ParseInt(json.(string), 10, 64); err == nil {
				return write(dst, T(signed)), nil
			}
			unsigned, err := strconv.ParseUint(json.(string), 10, 64)
			return write(dst, T(unsigned)), err
		},
		func(r *Reader) any { return fmt.Sprint(read(r)) },
	}
}

func array(size int, parse func(string) []byte, show func([]byte) string) codec {
	return codec{
		func(dst []byte, json any) ([]byte, error) { return append(dst, parse(json.(string))...), nil },
		func(r *Reader) any {
			v := make([]byte, size)
			r.Array(v)
			return show(v)
		},
	}
}

func unhexed(text string) []byte {
	v, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return v
}

func parsed[T fmt.Stringer](
	parse func(string) (T, error), write func([]byte, T) ([]byte, error), read func(*Reader) T,
) codec {
	return codec{
		func(dst []byte, json any) ([]byte, error) {
			v, err := parse(json.(string))
			if err != nil {
				return nil, err
			}
			return write(dst, v)
		},
		func(r *Reader) any { return read(r).String() },
	}
}

func quadkey(zoom uint8) codec {
	return parsed(ParseTile,
		func(dst []byte, v Tile) ([]byte, error) { return AppendQuadkey(dst, v, zoom) },
		func(r *Reader) Tile { return r.Quadkey(zoom) })
}

func address(size int) codec {
	return array(size, func(text string) []byte { return netip.MustParseAddr(text).AsSlice() },
		func(v []byte) string { address, _ := netip.AddrFromSlice(v); return address.String() })
}

func pair(json any) (int64, uint64, uint32) {
	pair := json.([]any)
	signed, _ := strconv.ParseInt(pair[0].(string), 10, 64)
	unsigned, _ := strconv.ParseUint(pair[0].(string), 10, 64)
	nanos, _ := strconv.ParseUint(pair[1].(string), 10, 32)
	return signed, unsigned, uint32(nanos)
}

func option(inner codec, append func([]byte) []byte, read func(*Reader) bool) codec {
	return codec{
		func(dst []byte, json any) ([]byte, error) {
			if json == nil {
				return append(dst), nil
			}
			return inner.write(AppendSome(dst), json)
		},
		func(r *Reader) any {
			if read(r) {
				return inner.read(r)
			}
			return nil
		},
	}
}

func list(item codec) codec {
	return codec{
		func(dst []byte, json any) (_ []byte, err error) {
			for _, value := range json.([]any) {
				if dst, err = item.write(AppendItem(dst), value); err != nil {
					return dst, err
				}
			}
			return AppendListEnd(dst), nil
		},
		func(r *Reader) any {
			values := []any{}
			for r.Another() {
				values = append(values, item.read(r))
			}
			return values
		},
	}
}

func rawList(item codec) codec {
	return codec{
		func(dst []byte, json any) (_ []byte, err error) {
			for _, value := range json.([]any) {
				if dst, err = item.write(dst, value); err != nil {
					return dst, err
				}
			}
			return dst, nil
		},
		func(r *Reader) any {
			values := []any{}
			for r.More() {
				values = append(values, item.read(r))
			}
			return values
		},
	}
}

func text(write func([]byte, string) ([]byte, error), read func(*Reader) string) codec {
	return codec{
		func(dst []byte, json any) ([]byte, error) { return write(dst, json.(string)) },
		func(r *Reader) any { return read(r) },
	}
}

func salted(buckets int, hash Hash, isHex bool) codec {
	width := 1
	if buckets > 256 {
		width = 2
	}
	lead := &Lead{Buckets: buckets, Hash: hash, Radix: RadixBytes, Width: width}
	if isHex {
		lead.Radix = RadixHex
		lead.Width = map[int]int{1: 1, 3: 1, 16: 1, 20: 2, 256: 2, 257: 4, 65536: 4}[buckets]
	}
	return codec{
		func(dst []byte, json any) ([]byte, error) {
			m := unhexed(json.(string))
			dst = append(dst, make([]byte, lead.Size())...)
			lead.Put(dst, m)
			return append(dst, m...), nil
		},
		func(r *Reader) any {
			r.Skip(lead.Size())
			v := r.BytesRaw()
			r.Lead(lead, v)
			return hex.EncodeToString(v)
		},
	}
}

func codecs() map[string]codec {
	u8 := number(AppendU8, (*Reader).U8)
	u16 := number(AppendU16, (*Reader).U16)
	i32 := number(AppendI32, (*Reader).I32)
	texts := text(AppendText, (*Reader).Text)
	all := map[string]codec{
		"u8": u8, "u16": u16, "u32": number(AppendU32, (*Reader).U32), "u64": number(AppendU64, (*Reader).U64),
		"i8": number(AppendI8, (*Reader).I8), "i16": number(AppendI16, (*Reader).I16), "i32": i32,
		"i64": number(AppendI64, (*Reader).I64),
		"u128": parsed(func(text string) (U128, error) { return U128FromBig(bigOf(text)) },
			Sure(AppendU128), (*Reader).U128),
		"i128": parsed(func(text string) (I128, error) { return I128FromBig(bigOf(text)) },
			Sure(AppendI128), (*Reader).I128),
		"f32": {
			func(dst []byte, json any) ([]byte, error) {
				bits, err := strconv.ParseUint(json.(string), 16, 32)
				return AppendF32(dst, math.Float32frombits(uint32(bits))), err
			},
			func(r *Reader) any { return fmt.Sprintf("%08x", math.Float32bits(r.F32())) },
		},
		"f64": {
			func(dst []byte, json any) ([]byte, error) {
				bits, err := strconv.ParseUint(json.(string), 16, 64)
				return AppendF64(dst, math.Float64frombits(bits)), err
			},
			func(r *Reader) any { return fmt.Sprintf("%016x", math.Float64bits(r.F64())) },
		},
		"bool": {
			func(dst []byte, json any) ([]byte, error) { return AppendBool(dst, json.(bool)), nil },
			func(r *Reader) any { return r.Bool() },
		},
		"char": {
			func(dst []byte, json any) ([]byte, error) { return AppendChar(dst, []rune(json.(string))[0]) },
			func(r *Reader) any { return string(r.Char()) },
		},
		"text": texts, "text raw": text(AppendTextRaw, (*Reader).TextRaw),
		"bytes": {
			func(dst []byte, json any) ([]byte, error) { return AppendBytes(dst, unhexed(json.(string))), nil },
			func(r *Reader) any { return hex.EncodeToString(r.Bytes()) },
		},
		"bytes raw": {
			func(dst []byte, json any) ([]byte, error) { return AppendBytesRaw(dst, unhexed(json.(string))), nil },
			func(r *Reader) any { return hex.EncodeToString(r.BytesRaw()) },
		},
		"bytes[4]": array(4, unhexed, hex.EncodeToString),
		"uuid":     array(16, unhexed, hex.EncodeToString), "ipv4": address(4), "ipv6": address(16),
		"ipaddr":        parsed(netip.ParseAddr, AppendIPAddr, (*Reader).IPAddr),
		"decimal":       parsed(ParseDecimal, Sure(AppendDecimal), (*Reader).Decimal),
		"decimal raw":   parsed(ParseDecimal, Sure(AppendDecimalRaw), (*Reader).DecimalRaw),
		"host_path":     parsed(ParseHostPath, AppendHostPath, (*Reader).HostPath),
		"host_path raw": parsed(ParseHostPath, AppendHostPathRaw, (*Reader).HostPathRaw),
		"tile":          parsed(ParseTile, Sure(AppendTile), (*Reader).Tile),
		"instant": {
			func(dst []byte, json any) ([]byte, error) {
				seconds, _, nanos := pair(json)
				return AppendInstant(dst, Instant{seconds, nanos})
			},
			func(r *Reader) any { v := r.Instant(); return []any{fmt.Sprint(v.Seconds), fmt.Sprint(v.Nanos)} },
		},
		"duration": {
			func(dst []byte, json any) ([]byte, error) {
				_, seconds, nanos := pair(json)
				return AppendDuration(dst, Duration{seconds, nanos})
			},
			func(r *Reader) any { v := r.Duration(); return []any{fmt.Sprint(v.Seconds), fmt.Sprint(v.Nanos)} },
		},
		"option<u8>":             option(u8, AppendNone, (*Reader).IsSome),
		"option<u8> nulls_last":  option(u8, AppendNoneOther, (*Reader).IsSomeOther),
		"option<i32>":            option(i32, AppendNone, (*Reader).IsSome),
		"option<i32> nulls_last": option(i32, AppendNoneOther, (*Reader).IsSomeOther),
		"option<text>":           option(texts, AppendNone, (*Reader).IsSome),
		"list<text>":             list(texts), "list<u16>": list(u16), "list<u16> raw": rawList(u16), "list<u8>": list(u8),
		"list<option<u8>>": list(option(u8, AppendNone, (*Reader).IsSome)),
	}
	for _, zoom := range []uint8{1, 3, 8, 13, 16, 29} {
		all[fmt.Sprintf("quadkey[%d]", zoom)] = quadkey(zoom)
	}
	for name, hash := range map[string]Hash{"xxh3": HashXXH3, "xxh64": HashXXH64, "md5": HashMD5, "java": HashJava} {
		for _, buckets := range []int{1, 3, 16, 20, 256, 257, 65536} {
			all[fmt.Sprintf("salt(%d %s)", buckets, name)] = salted(buckets, hash, false)
			all[fmt.Sprintf("salt(%d %s hex)", buckets, name)] = salted(buckets, hash, true)
		}
	}
	return all
}

// lines calls f with the columns of each line of a file of golden vectors.
func lines(t *testing.T, name string, f func(columns []string)) {
	file, err := os.Open("../../../../tests/golden/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		f(strings.Split(scanner.Text(), "\t"))
	}
}

func TestGoldenFields(t *testing.T) {
	all, seen := codecs(), 0
	lines(t, "fields.tsv", func(columns []string) {
		codec, ok := all[columns[0]]
		if !ok {
			if columns[0] != "url" {
				t.Errorf("no codec of %s", columns[0])
			}
			return
		}
		seen++
		var value any
		if err := json.Unmarshal([]byte(columns[1]), &value); err != nil {
			t.Fatal(err)
		}
		for i, due := range columns[2:] {
			if due == "-" {
				continue
			}
			if strings.HasPrefix(columns[0], "salt(") {
				// The vector has the salt alone.
				due += value.(string)
			}
			written, err := codec.write(nil, value)
			if i == 1 {
				Invert(written)
			}
			if err != nil || hex.EncodeToString(written) != due {
				t.Errorf("%s %s: %x (%v), due %s", columns[0], columns[1], written, err, due)
			}
			r := NewReader(unhexed(due))
			if i == 1 {
				r.Flip()
			}
			read, _ := json.Marshal(codec.read(&r))
			r.End()
			var again any
			_ = json.Unmarshal(read, &again)
			if fmt.Sprint(again) != fmt.Sprint(value) || r.Err("") != nil {
				t.Errorf("%s %s: read %s (%v)", columns[0], columns[2+i], read, r.Err(""))
			}
		}
	})
	if seen < 600 {
		t.Errorf("only %d vectors were there", seen)
	}
}

func TestGoldenRefusals(t *testing.T) {
	all, seen := codecs(), 0
	lines(t, "reject.tsv", func(columns []string) {
		shape, desc := strings.CutSuffix(columns[0], " desc")
		codec, ok := all[shape]
		if !ok {
			return
		}
		seen++
		r := NewReader(unhexed(columns[1]))
		if desc {
			r.Flip()
		}
		value := codec.read(&r)
		if r.End(); !r.Failed() {
			t.Errorf("%s %s (%s) was read as %v", columns[0], columns[1], columns[2], value)
		}
	})
	if seen < 60 {
		t.Errorf("only %d refusals were there", seen)
	}
}

// Bytes that are cut, changed or random are refused, or are what their value is written as.
func TestOneForm(t *testing.T) {
	all, random := codecs(), uint64(7)
	next := func(below int) int {
		random = random*6364136223846793005 + 1442695040888963407
		return int(random>>33) % below
	}
	lines(t, "fields.tsv", func(columns []string) {
		codec, ok := all[columns[0]]
		if !ok || columns[0] == "f32" || columns[0] == "f64" {
			return
		}
		for range 50 {
			key := unhexed(columns[2])
			if len(key) > 0 {
				key[next(len(key))] = byte(next(256))
				key = append(key[:next(len(key)+1)], key[next(len(key)+1):]...)
			}
			r := NewReader(key)
			value := codec.read(&r)
			if r.End(); r.Failed() {
				continue
			}
			read, _ := json.Marshal(value)
			var again any
			_ = json.Unmarshal(read, &again)
			if written, err := codec.write(nil, again); err != nil || !bytes.Equal(written, key) {
				t.Fatalf("%s %x was read as %s, which is %x (%v)", columns[0], key, read, written, err)
			}
		}
	})
}

func bigOf(text string) *big.Int {
	n, _ := new(big.Int).SetString(text, 10)
	return n
}
