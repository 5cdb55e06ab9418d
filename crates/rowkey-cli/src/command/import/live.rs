//! A table of a running HBase: its description, its regions, and a sample of its keys.

use hbase_client::{Admin, Client, Error, ErrorKind, TableSchema};
use rowkey_design::internal::import::{LiveFamily, LiveTable, of_cluster};
use rowkey_design::internal::quote::terminal;

use super::Args;
use crate::cluster::guess::Guess;
use crate::cluster::{self, FIRST_PATIENCE, refused};
use crate::failure::Failure;

/// The namespace of HBase's own tables.
const OF_HBASE: &str = "hbase:";

/// Refuses the arguments of `--from hbase` with a text.
pub(super) fn is_text(args: &Args) -> Result<(), Failure> {
    let of_cluster = args.table.as_ref().map(|table| format!("{table:?}"));
    match of_cluster.or_else(|| args.sample.map(|_| "--sample".to_owned())) {
        Some(of_cluster) => Err(Failure::new(format!("{of_cluster} is of --from hbase alone"))),
        None => Ok(()),
    }
}

/// The design file of a table.
pub(super) fn text(args: &Args) -> Result<String, Failure> {
    let (Some(site), Some(table)) = (&args.file, &args.table) else {
        return Err(Failure::new("--from hbase needs the hbase-site.xml and the table: SITE.XML TABLE"));
    };
    if table.starts_with(OF_HBASE) {
        return Err(Failure::new(format!("{table} is a table of HBase's own namespace, of which there is no design")));
    }
    if args.name.is_some() {
        return Err(Failure::new("--name is of texts: a cluster says the name"));
    }
    cluster::run(site, |client| async move { read(&client, table, args.sample).await })
}

async fn read(client: &Client, table: &str, sample: Option<u64>) -> Result<String, Failure> {
    let admin = client.admin();
    let (mut live, unknown) = described(&admin.with_timeout(FIRST_PATIENCE), table).await?;
    let regions = cluster::regions(client, table).await?;
    live.splits = cluster::starts(&regions);
    let sample = match sample {
        Some(most) => Some(cluster::sample(client, table, &regions, most).await?),
        None => None,
    };
    let guess = Guess::of(table, sample.as_deref(), &live.splits);
    live.comments.push(sentence(&guess.words));
    live.key = guess.key;
    let servers = admin.servers().await.map_err(|error| refused(&error))?.len();
    let text = of_cluster(Some(servers), &[live])?;
    if let Some(unknown) = unknown {
        eprintln!("note: {}", terminal(&unknown));
    }
    Ok(text)
}

/// A table by its description; where a user may not read that, its name alone, and what is unknown.
async fn described(admin: &Admin, table: &str) -> Result<(LiveTable, Option<String>), Failure> {
    match admin.describe(table).await {
        Ok(schema) => Ok((of_schema(&schema), None)),
        Err(error) => {
            let unknown = undescribed(&error).ok_or_else(|| refused(&error))?;
            let (name, comments) = (table.to_owned(), vec![sentence(&unknown)]);
            Ok((LiveTable { name, comments, ..LiveTable::default() }, Some(unknown)))
        }
    }
}

/// The words on a description that is not to be had, if the rest of the table is.
fn undescribed(error: &Error) -> Option<String> {
    let why = match error.kind() {
        ErrorKind::AccessDenied => format!("CREATE or ADMIN on the table is needed; {error}"),
        // HBase takes names of any bytes.
        ErrorKind::Malformed => format!("{error}; write here what HBase's shell says by `describe`"),
        _ => return None,
    };
    Some(format!("the families and attributes are not known: {why}"))
}

fn sentence(words: &str) -> String {
    let mut characters = words.chars();
    characters.next().map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}

fn of_schema(schema: &TableSchema) -> LiveTable {
    let families = schema.families().map(|family| LiveFamily {
        name: family.name().to_owned(),
        options: pairs(family.options()),
        settings: pairs(family.settings()),
    });
    LiveTable {
        name: schema.name().to_string(),
        attributes: pairs(schema.options().chain(schema.settings())),
        families: families.collect(),
        ..LiveTable::default()
    }
}

fn pairs<'a>(options: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(String, String)> {
    options.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use hbase_client::{BlockEncoding, Family, protocol as pb};
    use rowkey_hbase_testkit::{Fake, Reply};

    use super::*;

    #[test]
    fn a_schema_is_a_design() {
        let family = Family::new("d").max_versions(3).encoding(BlockEncoding::FastDiff).option("TTL", "86400");
        let family = family.setting("hbase.hstore.blockingStoreFiles", "30");
        let schema = TableSchema::new("n:visits").family(family).max_file_size(1 << 30).option("OWNER_TEAM", "a\nb");
        let mut live = of_schema(&schema);
        live.splits = vec![vec![0x80], b"\xff\"\n".to_vec()];
        let text = of_cluster(Some(3), &[live]).unwrap();
        let due = "\n[cluster.hbase]\nengine = \"hbase\"\nservers = 3\n\n[cluster.hbase.region]\nmax = \"1073741824 B\"\n\n\
                   [table.\"n:visits\"]\n# A design has no key for METADATA: OWNER_TEAM => a\\nb\n\
                   # The fields of the key are not known: write them here.\nkey = [\"row: bytes raw\"]\n\
                   splits = { keys = [\"80\", \"ff220a\"] }\n\n[table.\"n:visits\".family.d]\n\
                   # A design has no key for CONFIGURATION: hbase.hstore.blockingStoreFiles => 30\n\
                   encoding = \"fast_diff\"\nttl = \"1 days\"\nversions = 3\n";
        assert!(text.ends_with(due), "{text}");
    }

    #[tokio::test]
    async fn names_of_any_bytes_are_left_out_and_said() {
        let table_name = Some(pb::TableName { namespace: "default".into(), qualifier: "t".into() });
        let schema = pb::TableSchema { table_name, ..Default::default() };
        let family = |name: &'static [u8]| pb::ColumnFamilySchema { name: name.into(), ..Default::default() };
        let attribute = pb::BytesBytesPair { first: vec![0xff].into(), second: "1".into() };
        for (schema, is_known) in [
            (pb::TableSchema { column_families: vec![family(b"f")], ..schema.clone() }, true),
            (pb::TableSchema { column_families: vec![family(b"f"), family(b"\xff")], ..schema.clone() }, false),
            (pb::TableSchema { attributes: vec![attribute], ..schema }, false),
        ] {
            let fake = Fake::start(move |_| {
                Reply::message(&pb::GetTableDescriptorsResponse { table_schema: vec![schema.clone()] })
            });
            let (live, unknown) = described(&Client::new(fake.options()).unwrap().admin(), "t").await.unwrap();
            assert_eq!((&*live.name, live.families.is_empty(), unknown.is_none()), ("t", !is_known, is_known));
            let Some(unknown) = unknown else { continue };
            assert!(unknown.contains("not UTF-8") && unknown.contains("describe"), "{unknown}");
            assert_eq!(live.comments, [sentence(&unknown)]);
        }
    }
}
