//! What a program imports of this crate takes no method of std's types away.

use std::io::{Read as _, Write as _};

// Everything that has methods for types of std.
#[allow(unused_imports)]
use rowkey::encode::{
    Content, Encoding, FieldRange, InItem, IntoField, RawAs, RawField, Reader, Sink, StartsWith, Within, Writer,
};
#[allow(unused_imports)]
use rowkey::{KeyRange, OwnedKey, RowKey, RowValue, Select, Selection};

#[test]
fn a_vec_is_filled_as_before() {
    let mut bytes = Vec::new();
    bytes.extend([1u8, 2]);
    bytes.extend(&[3]);
    bytes.extend_from_slice(b"ab");
    bytes.push(4);
    bytes.append(&mut vec![5]);
    bytes.insert(0, 6);
    assert_eq!(bytes.write(b"cd").unwrap(), 2);
    write!(bytes, "{}", 7).unwrap();
    assert_eq!(bytes, [&[6, 1, 2, 3][..], b"ab", &[4, 5], b"cd7"].concat());
    let mut start = [0; 2];
    assert_eq!((&bytes[..]).read(&mut start).unwrap(), 2);
    assert_eq!(start, [6, 1]);
    // And as a sink.
    Writer::new(&mut bytes).array([8]);
    assert_eq!(bytes.last(), Some(&8));
}

#[test]
fn text_and_numbers_too() {
    let mut text = String::new();
    text.extend(["a", "b"]);
    std::fmt::Write::write_str(&mut text, "c").unwrap();
    assert_eq!((text.as_bytes(), text.starts_with("ab"), text.contains('c')), (&b"abc"[..], true, true));
    assert_eq!(text.encode(), b"abc\0");
    assert_eq!(7u16.encode(), 7u16.to_be_bytes());
    assert!((1..3).contains(&2) && (1..3).len() == 2);
    let selection: Selection<u8> = (1..3).select();
    assert_eq!(selection.ranges(), [KeyRange::new([1], Some([3])).unwrap()]);
}
