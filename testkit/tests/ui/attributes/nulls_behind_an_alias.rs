use rowkey::RowKey;

type Millis = i64;
type Maybe = Option<i64>;

#[derive(RowKey)]
struct Key {
    #[rowkey(nulls_last)]
    fine: Maybe,
    #[rowkey(nulls_last)]
    at: Millis,
    #[rowkey(nulls_first)]
    from: Millis,
}

fn main() {}
