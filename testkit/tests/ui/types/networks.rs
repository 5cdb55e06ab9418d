use rowkey::RowKey;

#[derive(RowKey)]
struct Route {
    net: ipnet::IpNet,
}

fn main() {}
