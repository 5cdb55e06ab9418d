//! Cells that are a part of their message, as the block that they are otherwise sent as.

use prost::Message;
use rowkey_hbase_testkit::Call;

#[derive(Clone, PartialEq, Message)]
struct Multi {
    #[prost(message, repeated, tag = "1")]
    regions: Vec<OfRegion>,
}

#[derive(Clone, PartialEq, Message)]
struct OfRegion {
    #[prost(message, repeated, tag = "3")]
    actions: Vec<OneAction>,
}

/// An action of a batch, and a `MutateRequest`: both have their mutation at the same number.
#[derive(Clone, PartialEq, Message)]
struct OneAction {
    #[prost(message, optional, tag = "2")]
    mutation: Option<OneMutation>,
}

#[derive(Clone, PartialEq, Message)]
struct OneMutation {
    #[prost(bytes = "vec", tag = "1")]
    row: Vec<u8>,
    #[prost(message, repeated, tag = "3")]
    families: Vec<OfFamily>,
}

#[derive(Clone, PartialEq, Message)]
struct OfFamily {
    #[prost(bytes = "vec", tag = "1")]
    name: Vec<u8>,
    #[prost(message, repeated, tag = "2")]
    columns: Vec<OfColumn>,
}

#[derive(Clone, PartialEq, Message)]
struct OfColumn {
    #[prost(bytes = "vec", tag = "1")]
    qualifier: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    value: Vec<u8>,
    #[prost(uint64, optional, tag = "3")]
    timestamp: Option<u64>,
    #[prost(int32, optional, tag = "4")]
    delete: Option<i32>,
}

pub(super) fn cells(sent: &Call) -> Vec<u8> {
    let actions = match sent.method.as_str() {
        "Mutate" => vec![sent.read::<OneAction>()],
        "Multi" => {
            let multi: Multi = sent.read();
            multi.regions.into_iter().flat_map(|region| region.actions).collect()
        }
        _ => Vec::new(),
    };
    let mut bytes = Vec::new();
    for OneMutation { row, families } in actions.into_iter().filter_map(|action| action.mutation) {
        for (family, column) in families.iter().flat_map(|of| of.columns.iter().map(|column| (&of.name, column))) {
            // A put, and what deletes a version, all of a column, of a family, and a version of a family.
            let kind = column.delete.map_or(4, |delete| [8, 12, 14, 10][delete as usize]);
            let timestamp = column.timestamp.unwrap_or(i64::MAX as u64);
            let (rows, families) = ((row.len() as u16).to_be_bytes(), [family.len() as u8]);
            let key =
                [&rows[..], &row, &families, family, &column.qualifier, &timestamp.to_be_bytes(), &[kind]].concat();
            let lengths = [key.len(), column.value.len()].map(|length| (length as u32).to_be_bytes());
            bytes.extend(((8 + key.len() + column.value.len()) as u32).to_be_bytes());
            bytes.extend([lengths.as_flattened(), &key, &column.value].concat());
        }
    }
    bytes
}
