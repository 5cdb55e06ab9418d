//! A secondary index: rows found by what is in their value, kept in step by every write.
//!
//!     cargo run --example index

use rowkey::secondary::Primary;
use rowkey::{Error, Memory, RowKey};

/// The index's key: all users of a domain stand together.
#[derive(RowKey, Debug)]
struct ByDomain {
    domain: String,
    user: u64,
}

fn main() -> Result<(), Error> {
    // Users by number; the value is an address.
    let mut users = Primary::<u64, String, _>::open(Memory::new(), "users")?;
    // A closure returns the index rows of a row: their keys and values. This index is unique: two users of one
    // address would have one key.
    let by_address = users.secondary("users.by_address", |user: &u64, address: &String| [(address.clone(), *user)])?;
    // Ended with the primary key, an index is not unique. What has no domain has no row in it.
    let by_domain = users.secondary("users.by_domain", |&user: &u64, address: &String| {
        let (_, domain) = address.split_once('@')?;
        Some((ByDomain { domain: domain.into(), user }, ()))
    })?;

    users.put(&7, &"ada@example.org".into())?;
    users.put(&8, &"bob@example.org".into())?;
    users.put(&9, &"nobody".into())?;
    println!("ada@example.org is {:?}", by_address.get(&"ada@example.org".into())?);
    for row in by_domain.scan_rows(ByDomain::prefix().domain("example.org")) {
        let (ByDomain { user, .. }, (_, address)) = row?;
        println!("at example.org: {user}, {address}");
    }

    // The row and its index rows change together: the old address finds no user.
    users.put(&7, &"ada@lovelace.org".into())?;
    println!("ada@example.org is {:?}", by_address.get(&"ada@example.org".into())?);
    println!("ada@lovelace.org is {:?}", by_address.get(&"ada@lovelace.org".into())?);

    // An address that another user has is refused, and nothing is written.
    let refused = users.put(&8, &"ada@lovelace.org".into());
    println!("refused: {}", matches!(refused, Err(Error::SecondaryConflict { .. })));
    println!("8 is still {:?}", users.get(&8)?);
    Ok(())
}
