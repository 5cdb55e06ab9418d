//! Profiles of samples against what exact counting finds, and on damaged, huge and hostile ones.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proptest::prelude::*;
use rowkey::splits::Splits;
use rowkey::{LayoutBuf, Value};
use rowkey_design::internal::forms::KeyForm;
use rowkey_design::internal::profile::Profile;
use rowkey_design::internal::sample::{Profiler, SampleError, read, read_by};

fn layout(shape: &str) -> LayoutBuf {
    shape.parse().unwrap()
}

fn profile(layout: &LayoutBuf, splits: Option<&Splits>, keys: impl IntoIterator<Item = Vec<u8>>) -> Profile {
    let mut profiler = Profiler::new(layout, splits);
    keys.into_iter().for_each(|key| profiler.add(&key));
    profiler.finish()
}

/// `count` random numbers of `values` different ones, the k-th with a share of `1 / k^s`.
fn zipf(values: u64, s: f64, count: u64) -> Vec<u64> {
    let mut sums: Vec<f64> = Vec::new();
    for k in 1..=values {
        sums.push(sums.last().unwrap_or(&0.0) + (k as f64).powf(-s));
    }
    let mut random = fastrand::Rng::with_seed(7);
    let all = *sums.last().unwrap();
    (0..count).map(|_| sums.partition_point(|&sum| sum < random.f64() * all) as u64).collect()
}

#[track_caller]
fn near(what: &str, found: f64, exact: f64, error: f64) {
    assert!((found - exact).abs() <= error * exact, "{what}: {found} is not within {error} of {exact}");
}

/// Distinct values, `1 / Σ p²`, the greatest share.
fn exact<T: std::hash::Hash + Eq>(values: impl IntoIterator<Item = T>) -> (f64, f64, f64) {
    let mut counts: HashMap<T, u64> = HashMap::new();
    values.into_iter().for_each(|value| *counts.entry(value).or_default() += 1);
    let all: u64 = counts.values().sum();
    let shares = || counts.values().map(|&count| count as f64 / all as f64);
    (counts.len() as f64, 1.0 / shares().map(|p| p * p).sum::<f64>(), shares().fold(0.0, f64::max))
}

#[test]
fn estimates_are_within_four_standard_errors() {
    let keys = 300_000;
    let mut random = fastrand::Rng::with_seed(3);
    let distributions: [(&str, Vec<u64>); 6] = [
        ("constant", vec![7; keys]),
        ("two values", (0..keys as u64).map(|i| i % 2).collect()),
        ("uniform over 1000", (0..keys).map(|_| random.u64(..1000)).collect()),
        ("uniform over 100,000", (0..keys).map(|_| random.u64(..100_000)).collect()),
        ("all distinct", (0..keys as u64).collect()),
        ("zipf 1.1", zipf(20_000, 1.1, keys as u64)),
    ];
    let layout = layout("u64, u32");
    for (name, values) in distributions {
        let key = |(i, &value): (usize, &u64)| {
            layout.encode(&[Value::Unsigned(value.into()), Value::Unsigned(i as u128)]).unwrap()
        };
        let found = profile(&layout, None, values.iter().enumerate().map(key));
        let (distinct, n_eff, p_max) = exact(values.iter());
        let field = &found.fields[0];
        near(&format!("{name}: distinct"), field.distinct, distinct, 0.05);
        near(&format!("{name}: n_eff"), field.n_eff, n_eff, 0.09);
        assert!(!field.exact);
        assert!((field.p_max - p_max).abs() < 0.006, "{name}: p_max {} is not {p_max}", field.p_max);
        assert!(found.distinct <= found.keys as f64 && field.distinct <= found.keys as f64, "{name}");
        near(&format!("{name}: keys"), found.distinct, keys as f64, 0.03);
        assert_eq!((found.repeated, found.twice), (0.0, None), "{name}");
    }
}

/// Each sample is another: where the keys are twice those that are all counted, the error is greatest.
#[test]
fn shares_are_as_near_as_the_profile_says() {
    let layout = layout("u32, u64");
    let (mut squares, mut count) = (0.0, 0.0);
    for keys in [100_000u64, 131_072, 400_000] {
        for seed in 0..6 {
            let mut random = fastrand::Rng::with_seed(seed);
            let found = profile(
                &layout,
                None,
                (0..keys).map(|i| {
                    let (quarter, any) = ((i / 7 % 4) as u32 ^ seed as u32, random.u64(..));
                    [&quarter.to_be_bytes()[..], &any.to_be_bytes()].concat()
                }),
            );
            let (quarters, all) = (&found.fields[0], &found.fields[1]);
            for (_, share) in &quarters.top {
                squares += (share - 0.25f64).powi(2);
                count += 1.0;
                assert!((share - 0.25).abs() < 0.012, "{keys} {seed}: {:?}", quarters.top);
            }
            assert_eq!(quarters.top.len(), 4);
            assert!(quarters.top.is_sorted_by(|a, b| a.1 >= b.1), "{:?}", quarters.top);
            // None of these is more frequent than another.
            assert!(all.p_max < 2.0 / keys as f64, "{}", all.p_max);
            assert!(found.distinct <= keys as f64);
        }
    }
    assert!((squares / count).sqrt() < 0.003, "{}", (squares / count).sqrt());
}

#[test]
fn as_many_values_as_are_counted_exactly() {
    let layout = layout("u64");
    let found = |values: u64| {
        profile(&layout, None, (0..50 * values).map(|i| (i % values).wrapping_mul(1 << 54 | 1).to_be_bytes().to_vec()))
    };
    let exactly = found(768).fields.remove(0);
    assert_eq!((exactly.exact, exactly.distinct), (true, 768.0));
    near("n_eff", exactly.n_eff, 768.0, 1e-9);
    near("p_max", exactly.p_max, 1.0 / 768.0, 1e-9);
    let about = found(1000).fields.remove(0);
    near("distinct", about.distinct, 1000.0, 0.05);
    near("n_eff", about.n_eff, 1000.0, 0.09);
}

#[test]
fn keys_that_are_there_twice() {
    let keys = 400_000;
    let mut random = fastrand::Rng::with_seed(5);
    let key = |_| random.u64(..300_000).to_be_bytes().to_vec();
    let keys: Vec<_> = (0..keys).map(key).collect();
    let distinct = keys.iter().collect::<BTreeSet<_>>().len() as f64;
    let found = profile(&layout("u64"), None, keys.clone());
    near("distinct", found.distinct, distinct, 0.03);
    near("repeated", found.repeated, 1.0 - distinct / keys.len() as f64, 0.03);
    let twice = found.twice.unwrap();
    assert!(keys.iter().filter(|key| **key == twice).count() > 1);
}

#[test]
fn directions() {
    let layout = layout("u64 desc, i32");
    let mut random = fastrand::Rng::with_seed(9);
    let keys: Vec<_> = (0..200_000u64)
        .map(|i| layout.encode(&[Value::Unsigned(i.into()), Value::Signed(random.i32(..).into())]).unwrap())
        .collect();
    let found = profile(&layout, None, keys.clone());
    let [first, second] = found.fields.as_slice() else { panic!("two fields") };
    assert!(first.direction.right > 0.99 && first.direction.left == 0.0, "{:?}", first.direction);
    assert!((0.25..0.75).contains(&second.direction.right), "{:?}", second.direction);
    assert!(found.direction.left > 0.99 && !found.in_key_order, "{:?}", found.direction);
    let back = profile(&layout, None, keys.into_iter().rev());
    assert!(back.direction.right > 0.99 && back.in_key_order);
    let constant = profile(&layout, None, vec![vec![0; 12]; 100]);
    assert_eq!((constant.direction, constant.in_key_order), (Default::default(), false));
}

#[test]
fn text_of_digits_and_uuids() {
    let of = |shape: &str, values: &[Value]| {
        let layout = layout(shape);
        let keys: Vec<_> = values.iter().map(|value| layout.encode(std::slice::from_ref(value)).unwrap()).collect();
        profile(&layout, None, keys).fields.remove(0)
    };
    let text =
        |texts: &[&str]| of("text", &texts.iter().map(|text| Value::Text((*text).to_owned())).collect::<Vec<_>>());
    let found = text(&["00ff", "12AB"]);
    assert_eq!((found.hex, found.decimal, found.uneven_decimal, found.lengths), (true, false, false, Some((4, 4))));
    let found = text(&["12", "-1000"]);
    assert_eq!((found.hex, found.decimal, found.uneven_decimal), (false, false, true));
    let found = text(&["0012", "1000"]);
    assert_eq!((found.hex, found.decimal, found.uneven_decimal), (true, true, false));
    let found = text(&["12", "x", "100"]);
    assert_eq!((found.hex, found.decimal, found.uneven_decimal), (false, false, false));
    let seven = ["0190163d-8694-739b-aea5-966c26f8ad91", "0190163d-8694-739b-8ea5-966c26f8ad92"];
    assert_eq!(text(&seven).uuid_version, Some(7));
    assert_eq!(text(&[seven[0], "0190163d-8694-439b-aea5-966c26f8ad91"]).uuid_version, None);
    assert_eq!(text(&[seven[0], "x", seven[1]]).uuid_version, None);
    let number = Value::Unsigned(0x0190163d_8694_739b_aea5_966c26f8ad91);
    assert_eq!(of("u128", &[number.clone(), number]).uuid_version, Some(7));
    let bytes = Value::Bytes(0x0190163d_8694_439b_aea5_966c26f8ad91u128.to_be_bytes().to_vec());
    assert_eq!(of("bytes[16]", &[bytes]).uuid_version, Some(4));
    assert_eq!(of("u64", &[Value::Unsigned(u64::MAX.into())]).uuid_version, None);
}

#[test]
fn keys_that_differ_in_case_or_begin_each_other() {
    let of = |keys: &[&str]| profile(&layout("text raw"), None, keys.iter().map(|key| key.as_bytes().to_vec()));
    let pair = |a: &str, b: &str| Some((a.as_bytes().to_vec(), b.as_bytes().to_vec()));
    let found = of(&["Ärger", "bob", "x", "bobby", "äRGER"]);
    assert_eq!(found.case, pair("Ärger", "äRGER"));
    assert_eq!(found.prefixes, pair("bob", "bobby"));
    let found = of(&["bob", "bob", "alice"]);
    assert_eq!((found.case, found.prefixes), (None, None));
    assert_eq!(found.twice.as_deref(), Some(&b"bob"[..]));
}

#[test]
fn the_most_frequent_values_are_named() {
    let layout = layout("text, u32");
    let keys = (0..50_000u32).map(|i| {
        let name = if i % 10 < 3 { "often\u{1b}[31m".to_owned() } else { format!("rare {i}") };
        layout.encode(&[Value::Text(name), Value::Unsigned(i.into())]).unwrap()
    });
    let found = profile(&layout, None, keys);
    let (name, share) = &found.fields[0].top[0];
    assert_eq!(name, r#""often\u{1b}[31m""#);
    near("share", *share, 0.3, 0.02);
    assert!(found.fields[0].top.len() <= 10);
}

#[test]
fn lines() {
    let read = |text: &[u8]| {
        let mut told = Vec::new();
        let key = |line: &str, key: &mut Vec<u8>| match line {
            "bad" => Err("not a key".to_owned()),
            line => {
                key.extend_from_slice(line.as_bytes());
                Ok(())
            }
        };
        let found = read_by(text, key, &layout("text raw"), None, |keys, bytes| told.push((keys, bytes)));
        found.map(|found| (found, told))
    };
    let (found, told) = read(b"a\r\n\r\n\nb\t12\tmore\nc\t \nd\t-3\ne\t8").unwrap();
    assert_eq!((found.keys, found.value_bytes, told), (5, Some(10.0), vec![(5, 28)]));
    assert_eq!(found.sample, [b"a", b"b", b"c", b"d", b"e"]);
    assert_eq!((found.largest_value, found.sample_bytes), (Some(12), vec![11, 13, 11, 11, 9]));
    assert_eq!(read(b"").unwrap().0.keys, 0);
    assert_eq!(read(b"\na\n\nbad\nb").unwrap_err().to_string(), "line 4: not a key");
    assert!(read(b"a\n\xff").unwrap_err().to_string().starts_with("line 2: byte 1 is not UTF-8"));
    let long = [b"a\n".to_vec(), vec![b'x'; 3 << 20]].concat();
    assert!(matches!(read(&long), Err(SampleError::Long { line: 2, .. })));
}

#[test]
fn a_sample_is_the_same_in_each_form() {
    let layout = layout("salt(4 xxh3) text, i32 desc");
    let keys: Vec<Vec<u8>> = (0..500)
        .map(|i| layout.encode(&[Value::Text(format!("a\u{0}\\x41\t{}", i % 7)), Value::Signed(i - 200)]).unwrap())
        .collect();
    let due = profile(&layout, None, keys.clone());
    for &form in KeyForm::ALL {
        let lines = keys.iter().map(|key| form.write(key, &layout).unwrap() + "\t12\r\n");
        let text = lines.collect::<String>();
        let mut found = read(text.as_bytes(), form, &layout, None, |_, _| {}).unwrap();
        assert_eq!(found.value_bytes.take(), Some(12.0), "{form}");
        assert_eq!((found.largest_value.take(), found.sample_bytes.len()), (Some(12), 500), "{form}");
        found.sample_bytes.clear();
        assert_eq!(found, due, "{form}");
    }
    let error = read(&b"00\n\n0g\n"[..], KeyForm::Hex, &layout, None, |_, _| {}).unwrap_err();
    assert_eq!(error.to_string(), "line 3: byte 1: 'g' is not a hex digit");
}

#[test]
fn keys_that_do_not_decode_have_the_number_of_their_line() {
    let key = |line: &str, key: &mut Vec<u8>| {
        key.extend_from_slice(line.as_bytes());
        Ok(())
    };
    let found = read_by(&b"12345678\n\n1234\n12\n"[..], key, &layout("u64"), None, |_, _| {}).unwrap();
    let (line, fault) = found.first_undecoded.unwrap();
    assert_eq!((found.keys, found.undecoded, line), (3, 2, 3));
    assert!(fault.contains("4 more bytes"), "{fault}");
    assert_eq!(found.sample.len(), 1);
}

/// Shapes with all kinds of values, and splits for some.
const SHAPES: [&str; 6] = [
    "u8, text",
    "salt(4 xxh3 by 0) u16, option<i8> desc",
    "salt(20 xxh3 hex) bool, bytes raw",
    "list<u8>, f32, char",
    "enum{1: (u8), 7: (text, decimal)}, instant",
    "ipaddr, (i16, duration) desc",
];

fn value() -> impl Strategy<Value = [u8; 24]> {
    // Few different values, so that some are frequent, keys are there twice, and some begin others.
    prop_oneof![3 => any::<u8>().prop_map(|byte| [byte % 5; 24]), 1 => any::<[u8; 24]>()]
}

/// A value of a type, made from bytes.
fn make(ty: &rowkey::untyped::TypeBuf, bytes: &[u8; 24], at: &mut usize) -> Value {
    use rowkey::layout::Scalar;
    use rowkey::untyped::TypeBuf;
    let mut byte = || {
        *at += 1;
        bytes[*at % bytes.len()]
    };
    match ty {
        TypeBuf::Scalar(scalar) => match scalar {
            Scalar::U8 | Scalar::U16 => Value::Unsigned(byte().into()),
            Scalar::I8 | Scalar::I16 => Value::Signed((byte() as i8).into()),
            Scalar::Text => Value::Text(["", "a", "A", "ab", "é", "É"][usize::from(byte()) % 6].to_owned()),
            Scalar::Bytes => Value::Bytes(vec![0; usize::from(byte() % 4)]),
            Scalar::Bool => Value::Bool(byte() % 2 == 0),
            Scalar::F32 => Value::F32(f32::from(byte()) - 3.5),
            Scalar::Char => Value::Char(char::from(byte())),
            Scalar::Decimal => Value::Decimal(["0", "-0.5", "-12", "1.25"][usize::from(byte()) % 4].to_owned()),
            Scalar::Instant => Value::Instant(i64::from(byte()) - 4, byte().into()),
            Scalar::Duration => Value::Duration(std::time::Duration::from_secs(byte().into())),
            Scalar::IpAddr => Value::Ip(std::net::Ipv4Addr::new(byte(), 0, 0, byte()).into()),
            other => panic!("{other}"),
        },
        TypeBuf::Option(inner) => match byte() % 2 {
            0 => Value::Option(None),
            _ => Value::Option(Some(Box::new(make(inner, bytes, at)))),
        },
        TypeBuf::List(inner) => {
            let count = byte() % 3;
            Value::List((0..count).map(|_| make(inner, bytes, at)).collect())
        }
        TypeBuf::Enum(variants) => {
            let variant = &variants[usize::from(byte()) % variants.len()];
            let fields = variant.fields.iter().map(|field| make(&field.ty, bytes, at)).collect();
            Value::Enum(variant.tag, fields)
        }
        TypeBuf::Tuple(fields) => Value::Tuple(fields.iter().map(|field| make(&field.ty, bytes, at)).collect()),
        other => panic!("{other}"),
    }
}

proptest! {
    #[test]
    fn a_small_sample_is_counted_exactly(shape in 0..SHAPES.len(), made in prop::collection::vec(value(), 1..200)) {
        let layout = layout(SHAPES[shape]);
        let values: Vec<Vec<Value>> = made
            .iter()
            .map(|bytes| {
                let mut at = 0;
                layout.fields().iter().map(|field| make(&field.ty, bytes, &mut at)).collect()
            })
            .collect();
        let keys: Vec<Vec<u8>> = values.iter().map(|values| layout.encode(values).unwrap()).collect();
        let splits = Splits::new([[1u8], [3], [b'1']]).unwrap();
        let found = profile(&layout, Some(&splits), keys.clone());
        let mut sorted = keys.clone();
        sorted.sort();
        let different: BTreeSet<&Vec<u8>> = keys.iter().collect();

        prop_assert_eq!((found.keys, found.undecoded), (keys.len() as u64, 0));
        prop_assert_eq!(found.bytes, keys.iter().map(Vec::len).sum::<usize>() as u64);
        prop_assert_eq!(Some(found.shortest), keys.iter().map(Vec::len).min());
        prop_assert_eq!(Some(found.longest), keys.iter().map(Vec::len).max());
        prop_assert_eq!(found.distinct, different.len() as f64);
        prop_assert!((found.repeated - (1.0 - different.len() as f64 / keys.len() as f64)).abs() < 1e-12);
        prop_assert_eq!(found.twice.is_some(), different.len() < keys.len());
        prop_assert_eq!(&found.sample, &sorted);
        prop_assert_eq!(found.in_key_order, keys == sorted && different.len() > 1);

        let mut dead = keys[0].clone();
        while !keys.iter().all(|key| key.starts_with(&dead)) {
            dead.pop();
        }
        prop_assert_eq!(&found.dead_prefix, &dead);
        let regions = |region| keys.iter().filter(|key| splits.region_of(key) == region).count() as u64;
        prop_assert_eq!(&found.regions, &(0..4).map(regions).collect::<Vec<_>>());

        let begins = keys.iter().any(|a| different.iter().any(|b| b.len() > a.len() && b.starts_with(a)));
        prop_assert_eq!(found.prefixes.is_some(), begins);
        if let Some((first, second)) = &found.prefixes {
            prop_assert!(different.contains(first) && different.contains(second) && second.starts_with(first));
        }
        let mut cases: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for values in &values {
            let text = Value::Tuple(values.clone()).to_string();
            cases.entry(text.to_lowercase()).or_default().insert(text);
        }
        prop_assert_eq!(found.case.is_some(), cases.values().any(|same| same.len() > 1));

        if let rowkey::lead::Lead::Salt(salt) = layout.lead() {
            let bucket = |key: &[u8]| match salt.format == rowkey::lead::SaltFormat::Hex {
                true => usize::from_str_radix(std::str::from_utf8(&key[..2]).unwrap(), 16).unwrap(),
                false => usize::from(key[0]),
            };
            let count = |at| keys.iter().filter(|key| bucket(key) == at).count() as u64;
            prop_assert_eq!(&found.buckets, &(0..salt.buckets as usize).map(count).collect::<Vec<_>>());
        } else {
            prop_assert!(found.buckets.is_empty());
        }

        for (i, field) in found.fields.iter().enumerate() {
            let texts: Vec<String> = values.iter().map(|values| values[i].to_string()).collect();
            let (distinct, n_eff, p_max) = exact(texts.iter());
            prop_assert_eq!(field.distinct, distinct);
            prop_assert!((field.n_eff - n_eff).abs() < 1e-6 * n_eff, "{} is not {}", field.n_eff, n_eff);
            prop_assert!((field.p_max - p_max).abs() < 1e-12);
            prop_assert_eq!(field.top.len(), (distinct as usize).min(10));
            for (text, share) in &field.top {
                let count = texts.iter().filter(|other| *other == text).count();
                prop_assert!((share - count as f64 / texts.len() as f64).abs() < 1e-12);
            }
            // The order of a field's values is that of their bytes in a key, ascending.
            let alone = |value: &Value| {
                let mut field = layout.fields()[i].clone();
                (field.desc, field.raw) = (false, false);
                let one = LayoutBuf::of_fields("value", rowkey::lead::Lead::None, Vec::new(), vec![field]).unwrap();
                one.encode(std::slice::from_ref(value)).unwrap()
            };
            let least = values.iter().map(|values| alone(&values[i])).min();
            let greatest = values.iter().map(|values| alone(&values[i])).max();
            prop_assert_eq!(field.min.as_ref().map(alone), least);
            prop_assert_eq!(field.max.as_ref().map(alone), greatest);
        }
        let width: f64 = found.fields.iter().map(|field| field.bytes).sum();
        let whole = width + layout.lead().width() as f64;
        prop_assert!((whole - found.bytes as f64 / keys.len() as f64).abs() < 1e-9);
        let again = profile(&layout, Some(&splits), keys);
        prop_assert_eq!(found, again);
    }

    #[test]
    fn damaged_keys_are_counted(
        shape in 0..SHAPES.len(),
        keys in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..100),
    ) {
        let layout = layout(SHAPES[shape]);
        let undecoded: Vec<usize> = (0..keys.len()).filter(|&i| layout.decode(&keys[i]).is_err()).collect();
        let found = profile(&layout, None, keys.clone());
        prop_assert_eq!((found.keys, found.undecoded), (keys.len() as u64, undecoded.len() as u64));
        prop_assert_eq!(found.first_undecoded.map(|(i, _)| i), undecoded.first().map(|&i| i as u64 + 1));
        prop_assert_eq!(found.sample.len(), keys.len() - undecoded.len());
        for field in found.fields {
            prop_assert!(field.n_eff.is_finite() && field.p_max <= 1.0 && field.bytes.is_finite());
        }
    }

    #[test]
    fn any_text_is_read_or_refused_with_its_line(
        form in 0..KeyForm::ALL.len(),
        shape in 0..SHAPES.len(),
        text in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            "([0-9a-f]{2}|\\\\x[0-9A-F]{2}|[\\[\\]\",\t\r\n\\\\ =+/-]|null|true){0,60}".prop_map(String::into_bytes),
        ],
    ) {
        let lines = text.split(|&byte| byte == b'\n').count() as u64;
        match read(&text[..], KeyForm::ALL[form], &layout(SHAPES[shape]), None, |_, _| {}) {
            Ok(found) => prop_assert!(found.keys <= lines),
            Err(SampleError::Form { line, .. }) => prop_assert!((1..=lines).contains(&line)),
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}
