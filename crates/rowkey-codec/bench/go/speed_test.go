package speed

import (
	"bytes"
	"reflect"
	"testing"

	"rowkeys"
	"rowkeys/rowkey"
)

var (
	action = rowkeys.Action{User: 42, At: 1_307_097_848_000, Event: 7}
	visit  = rowkeys.Visit{
		User: "ada@example.com", At: 1_307_097_848_000, Level: rowkey.Some[uint8](7), Tags: []string{"eu", "web", "new"},
	}
	sample = rowkeys.Sample{Host: "server-17.example.com", At: 1_600_000_001}
)

// One result is stored, so that no call is left out.
var (
	bytesOut  []byte
	actionOut rowkeys.Action
	visitOut  rowkeys.Visit
	sampleOut rowkeys.Sample
)

func key[K interface{ Encode() ([]byte, error) }](k K) []byte {
	key, err := k.Encode()
	if err != nil {
		panic(err)
	}
	return key
}

func TestKeysByHandAreTheSame(t *testing.T) {
	byHand, _ := encodeVisit(visit)
	byHandSample, _ := encodeSample(sample)
	for _, pair := range [][2][]byte{
		{key(action), encodeAction(action)}, {key(visit), byHand}, {key(sample), byHandSample},
	} {
		if !bytes.Equal(pair[0], pair[1]) {
			t.Errorf("%x, by hand %x", pair[0], pair[1])
		}
	}
	back, err := decodeVisit(byHand)
	isRight := reflect.DeepEqual(back, visit) && visitOut.Decode(byHand) == nil && reflect.DeepEqual(visitOut, visit)
	if err != nil || !isRight {
		t.Error(back, err, visitOut)
	}
	sampleBack, err := decodeSample(byHandSample)
	if err != nil || sampleBack != sample || sampleOut.Decode(byHandSample) != nil || sampleOut != sample {
		t.Error(sampleBack, err, sampleOut)
	}
}

// What is allocated is the result: the key's bytes, and the texts and the list of a decoded key.
func TestNothingButTheResultIsAllocated(t *testing.T) {
	actionKey, visitKey, sampleKey := key(action), key(visit), key(sample)
	space := make([]byte, 0, 200)
	for _, of := range []struct {
		name string
		due  float64
		run  func()
	}{
		{"action encode", 1, func() { bytesOut, _ = action.Encode() }},
		{"visit encode", 1, func() { bytesOut, _ = visit.Encode() }},
		{"sample encode", 1, func() { bytesOut, _ = sample.Encode() }},
		{"visit append", 0, func() { bytesOut, _ = visit.AppendTo(space) }},
		{"action decode", 0, func() { _ = actionOut.Decode(actionKey) }},
		// Four texts, and the list as it grows: 1, 2, 4; on the stack at first, since Go 1.25.
		{"visit decode", 7, func() { _ = visitOut.Decode(visitKey) }},
		{"sample decode", 1, func() { _ = sampleOut.Decode(sampleKey) }},
	} {
		if found := testing.AllocsPerRun(100, of.run); found > of.due {
			t.Errorf("%s: %v allocations, and not %v", of.name, found, of.due)
		}
	}
}

// Each is a loop of its own, as in a program: a call of a function for each key would be measured with it. benchstat
// reads the names: `benchstat -col /by` sets generated keys beside those by hand.
func BenchmarkKeys(b *testing.B) {
	actionKey, visitKey, sampleKey := key(action), key(visit), key(sample)
	for _, of := range []struct {
		name string
		run  func(n int)
	}{
		{"key=action/op=encode/by=hand", func(n int) {
			for range n {
				bytesOut = encodeAction(action)
			}
		}},
		{"key=action/op=encode/by=generated", func(n int) {
			for range n {
				bytesOut, _ = action.Encode()
			}
		}},
		{"key=action/op=decode/by=hand", func(n int) {
			for range n {
				actionOut, _ = decodeAction(actionKey)
			}
		}},
		{"key=action/op=decode/by=generated", func(n int) {
			for range n {
				_ = actionOut.Decode(actionKey)
			}
		}},
		{"key=visit/op=encode/by=hand", func(n int) {
			for range n {
				bytesOut, _ = encodeVisit(visit)
			}
		}},
		{"key=visit/op=encode/by=generated", func(n int) {
			for range n {
				bytesOut, _ = visit.Encode()
			}
		}},
		{"key=visit/op=decode/by=hand", func(n int) {
			for range n {
				visitOut, _ = decodeVisit(visitKey)
			}
		}},
		{"key=visit/op=decode/by=generated", func(n int) {
			for range n {
				_ = visitOut.Decode(visitKey)
			}
		}},
		{"key=sample/op=encode/by=hand", func(n int) {
			for range n {
				bytesOut, _ = encodeSample(sample)
			}
		}},
		{"key=sample/op=encode/by=generated", func(n int) {
			for range n {
				bytesOut, _ = sample.Encode()
			}
		}},
		{"key=sample/op=decode/by=hand", func(n int) {
			for range n {
				sampleOut, _ = decodeSample(sampleKey)
			}
		}},
		{"key=sample/op=decode/by=generated", func(n int) {
			for range n {
				_ = sampleOut.Decode(sampleKey)
			}
		}},
	} {
		b.Run(of.name, func(b *testing.B) {
			b.ReportAllocs()
			of.run(b.N)
		})
	}
}
