use rowkey::RowKey;
use rowkey::foreign::{Before, BigEndian, Char, Constant, Fdb, JavaUtf, LittleEndian, Ordered, Str};

#[derive(RowKey)]
struct Byte {
    #[rowkey(with = LittleEndian)]
    a: u8,
}

#[derive(RowKey)]
struct Unsigned {
    #[rowkey(with = BigEndian)]
    a: u64,
}

#[derive(RowKey)]
struct Large {
    #[rowkey(with = Fdb)]
    a: u128,
}

#[derive(RowKey)]
struct Unchecked {
    #[rowkey(with = Char<3>)]
    a: String,
    #[rowkey(with = JavaUtf)]
    b: String,
}

#[derive(RowKey)]
struct Tagged {
    #[rowkey(with = Constant<'t'>)]
    tag: char,
}

#[derive(RowKey)]
struct Joined {
    #[rowkey(with = Ordered)]
    a: u64,
}

#[derive(RowKey)]
struct Delimited {
    #[rowkey(with = Before<Str, '#'>)]
    user: String,
}

fn main() {}
