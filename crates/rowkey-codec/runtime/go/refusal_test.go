package rowkey

import (
	"errors"
	"math/big"
	"net/netip"
	"testing"
	"time"
)

// What would not be read back, or is no value of a type, has no bytes.
func TestValuesWithoutBytesAreRefused(t *testing.T) {
	of := func(_ []byte, err error) error { return err }
	hash, two := &End{Before: "#"}, &End{Width: 2}
	for name, refused := range map[string]struct{ found, due error }{
		"surrogate":    {of(AppendChar(nil, 0xd800)), ErrChar},
		"text":         {of(AppendText(nil, "\xff")), ErrNotUTF8},
		"address":      {of(AppendIPAddr(nil, netip.Addr{})), ErrAddress},
		"zone":         {of(AppendIPAddr(nil, netip.MustParseAddr("fe80::1%a"))), ErrAddress},
		"instant":      {of(AppendInstant(nil, Instant{0, 1_000_000_000})), ErrNanos},
		"zoom":         {of(AppendQuadkey(nil, Tile{}, 3)), ErrZoom},
		"host":         {of(AppendHostPath(nil, HostPath{})), ErrHost},
		"uint":         {of(AppendBE(nil, U128{Lo: 1 << 24}, 3)), ErrRange},
		"blanks":       {of(AppendBlanks(nil, "a ", 3)), ErrPadded},
		"control":      {of(AppendBlanks(nil, "a\t", 3)), ErrPadded},
		"long":         {of(AppendZeros(nil, "abcd", 3)), ErrPadded},
		"delimiter":    {of(AppendPlain(nil, "a#b", hash)), ErrDelimiter},
		"beginning":    {of(AppendPlain(nil, "a:", &End{Before: "::"})), ErrDelimiter},
		"until":        {of(AppendPlain(nil, "a#b", &End{Until: "#"})), ErrDelimiter},
		"wide":         {of(AppendPlain(nil, "abc", two)), ErrWidth},
		"narrow":       {of(AppendPlain(nil, "a", two)), ErrWidth},
		"digits":       {of(AppendDec(nil, U128{Lo: 100}, two)), ErrWidth},
		"minus":        {of(AppendMinus(nil, U128{Lo: 100}, U128{Lo: 99}, two)), ErrRange},
		"date":         {of(AppendDate(nil, "yyyyMMdd", Instant{1, 0}, &End{Width: 8})), ErrDate},
		"year":         {of(AppendDate(nil, "yyyy", Instant{1 << 50, 0}, &End{Width: 4})), ErrDate},
		"micros":       {of(AppendOrderedMicros(nil, Instant{0, 1})), ErrMicros},
		"micros range": {of(AppendOrderedMicros(nil, Instant{1 << 62, 0})), ErrMicros},
	} {
		if !errors.Is(refused.found, refused.due) {
			t.Errorf("%s: %v", name, refused.found)
		}
	}
}

// A number in decimal has no needless zeros and fits into an i128; 0 has no sign.
func TestSignedNumbersHaveOneForm(t *testing.T) {
	for text, valid := range map[string]bool{
		"0": true, "-1": true, "170141183460469231731687303715884105727": true,
		"-170141183460469231731687303715884105728": true, "-0": false, "00": false, "-": false, "": false, "+1": false,
		"170141183460469231731687303715884105728": false, "-170141183460469231731687303715884105729": false,
		"-340282366920938463463374607431768211456": false,
	} {
		r := NewReader([]byte(text))
		v := r.Int(&End{Key: true})
		if r.Failed() == valid || valid && v.String() != text {
			t.Errorf("%s was read as %v, %v", text, v, r.Err(""))
		}
	}
}

// The hosts of Rust's tests.
func TestHostsHaveOneForm(t *testing.T) {
	for host, due := range map[string]string{
		"apache.org": "org.apache", "localhost": "localhost", "-a_.b-": "b-.-a_", "1.a": "a.1", "10.0.0.1": "10.0.0.1",
		"[::]": "[::]", "[::ffff:102:304]": "[::ffff:102:304]", "[::102:304]": "[::102:304]",
		"[1:0:0:2::3]": "[1:0:0:2::3]", "[1::2:0:0:3:4]": "[1::2:0:0:3:4]", "[1:0:2:3:4:5:6:7]": "[1:0:2:3:4:5:6:7]",
	} {
		page, err := ParseHostPath(host)
		if err != nil || page.key != due+"/" || page.Host() != host || page.Path() != "/" {
			t.Errorf("%s: %q, %v", host, page.key, err)
		}
	}
	for _, host := range []string{
		"", "a..b", "a.b.", "a.bC.d", "bücher.de", "a.org?q", "a.b.7", "10.0.0.01", "7", "[::0]", "[A::]",
		"[fe80::1%eth0]", "[::1", "[::1]:80", "a.b:80", "me@a.b", "http://me@a.b", "[1.2.3.4]", "[::ffff:1.2.3.4]",
	} {
		if page, err := ParseHostPath(host); !errors.Is(err, ErrHost) {
			t.Errorf("%s was taken as %v", host, page)
		}
		key, _ := AppendText(nil, host+"/")
		r := NewReader(key)
		if page := r.HostPath(); !r.Failed() && page.Host() == host {
			t.Errorf("%x was read as %v", key, page)
		}
	}
}

func TestConversions(t *testing.T) {
	at := time.Date(1969, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	if instant := InstantOf(at); instant != (Instant{-1, 999_999_999}) {
		t.Error(instant)
	} else if back, ok := instant.Time(); !ok || !back.Equal(at) {
		t.Error(back, ok)
	}
	if _, ok := (Instant{1<<63 - 1, 0}).Time(); ok {
		t.Error("an instant that time.Time does not have")
	}
	if d, err := DurationOf(90 * time.Second); err != nil || d != (Duration{90, 0}) {
		t.Error(d, err)
	}
	if _, err := DurationOf(-1); !errors.Is(err, ErrNegative) {
		t.Error(err)
	}
	if _, ok := (Duration{1 << 40, 0}).Duration(); ok {
		t.Error("a duration that time.Duration does not have")
	}
	if v, err := NewDecimal(big.NewInt(-12500), 3); err != nil || v.String() != "-12.5" {
		t.Error(v, err)
	}
	if v, err := NewDecimal(big.NewInt(7), -2); err != nil || v.String() != "700" {
		t.Error(v, err)
	}
	if tile, err := TileAt(3, 5, 3); err != nil || tile.String() != "213" {
		t.Error(tile, err)
	}
}
