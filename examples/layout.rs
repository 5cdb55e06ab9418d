//! Keys without a Rust type: a layout as text says how the keys of another program are read and written.
//!
//!     cargo run --example layout

use std::error::Error;

use rowkey::store::{Batch, Database, Scan, Store};
use rowkey::{LayoutBuf, Memory, RowKey, Value};

/// The type that another program has. A tool for any table does not know it.
#[derive(RowKey)]
#[rowkey(salt(buckets = 4, by(user)))]
struct Action {
    user: String,
    #[rowkey(desc)]
    at: i64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let store = Memory::new().table("actions")?;
    let mut batch = Batch::new();
    for (user, at) in [("ada", 1), ("ada", 2), ("bob", 3)] {
        batch.put(Action { user: user.into(), at }.encode(), format!("at {at}"));
    }
    store.write(&batch)?;

    // A derived key has its layout, as a shape or (with names, feature `json`) as JSON. Here it is text from a file.
    println!("the other program's keys: {}", Action::LAYOUT.shape());
    let layout: LayoutBuf = "salt(4 xxh3 by 0) text, i64 desc".parse()?;
    println!("the same layout: {}", layout.fingerprint() == Action::LAYOUT.fingerprint());

    // Keys to values. What is not a key of this layout is an error, never a wrong value.
    let mut rows = store.scan(&Scan::new(layout.ranges(&[Value::Text("ada".into())])?));
    let mut read = Default::default();
    rows.next_batch(&mut read)?;
    for (key, value) in read.iter() {
        println!("{:?} = {}", layout.decode(key)?, value.escape_ascii());
    }
    println!("a broken key: {}", layout.decode(b"\x01ad").err().ok_or("it was read")?);

    // Values to keys: the same bytes, the salt too.
    let key = layout.encode(&[Value::Text("bob".into()), Value::Signed(3)])?;
    println!("by type and by layout: {}", key == Action { user: "bob".into(), at: 3 }.encode());
    print!("{}", layout.explain(&key).picture());
    Ok(())
}
