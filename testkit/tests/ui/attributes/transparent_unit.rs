use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(transparent)]
struct Nothing(());

#[derive(RowKey)]
#[rowkey(transparent)]
struct Named {
    #[allow(unused_parens)]
    nothing: (()),
}

type Unit = ();

#[derive(RowKey)]
#[rowkey(transparent)]
struct BehindAnAlias(Unit);

fn main() {}
