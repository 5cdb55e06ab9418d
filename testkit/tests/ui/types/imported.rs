use ipnet::Ipv4Net;
use rowkey::RowKey;
use time::OffsetDateTime;
use url::Url;

#[derive(RowKey)]
struct Page {
    url: Url,
}

#[derive(RowKey)]
struct Visit {
    at: OffsetDateTime,
}

#[derive(RowKey)]
struct Route {
    net: Ipv4Net,
}

fn main() {}
