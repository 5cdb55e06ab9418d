//! Tables of a running HBase: what a client read of them, in place of a text.

use rowkey::LayoutBuf;

use super::draft::{Draft, Splits, text};
use super::{Reading, cluster, hbase, layout};
use crate::problem::{File, Files, Problems};
use crate::resolve::Design;

/// A table of a running HBase.
#[derive(Clone, Debug, Default)]
pub struct LiveTable {
    /// The name, with its namespace if that is not the default one.
    pub name: String,
    /// Notes for the reader, a line each.
    pub comments: Vec<String>,
    /// The attributes and settings, by HBase's names.
    pub attributes: Vec<(String, String)>,
    /// The families; none if they are not known.
    pub families: Vec<LiveFamily>,
    /// The start keys of its regions, but for the first.
    pub splits: Vec<Vec<u8>>,
    /// The layout of its keys, if it is known.
    pub key: Option<LiveKey>,
}

/// The layout that keys of a table have.
#[derive(Clone, Debug)]
pub struct LiveKey {
    /// The layout.
    pub layout: LayoutBuf,
    /// By field, the word that a design file has for what its values mean.
    pub means: Vec<Option<&'static str>>,
    /// True if the layout is that of the beginnings of keys: bytes may follow.
    pub is_beginning: bool,
}

/// A family of a running HBase.
#[derive(Clone, Debug, Default)]
pub struct LiveFamily {
    /// The name.
    pub name: String,
    /// The options, by HBase's names.
    pub options: Vec<(String, String)>,
    /// The settings of servers, for this family alone.
    pub settings: Vec<(String, String)>,
}

/// Returns the text of a design file with tables of a cluster of so many servers.
///
/// Options that a design has no word for become comments, as of a text that is pasted.
///
/// # Errors
/// If no design can say a table: a name that is not valid.
pub fn of_cluster(servers: Option<usize>, tables: &[LiveTable]) -> Result<String, Problems> {
    let mut drafts = tables.iter().map(draft).collect::<Result<Vec<_>, _>>()?;
    let text = text(cluster::toml(&mut drafts, servers).as_deref(), &drafts);
    parsed(&text)?;
    Ok(text)
}

fn parsed(text: &str) -> Result<Design, Problems> {
    Design::parse([File { name: "imported".to_owned(), text: text.to_owned() }])
}

/// The draft of a table, with all of its key that a design takes: bytes behind the fields, and what these mean.
fn draft(table: &LiveTable) -> Result<Draft, Problems> {
    let ways = [(true, true), (false, true), (true, false), (false, false)];
    let tries = ways.into_iter().filter(|(rest, _)| !rest || table.key.as_ref().is_some_and(|key| key.is_beginning));
    let mut last = None;
    for (rest, means) in tries {
        match way(table, rest, means) {
            Ok(draft) => return Ok(draft),
            Err(problems) => last = Some(problems),
        }
    }
    last.map_or_else(|| way(table, false, false), Err)
}

fn way(table: &LiveTable, rest: bool, means: bool) -> Result<Draft, Problems> {
    let mut draft = key(table, means)?;
    if rest {
        draft.key.push("rest: bytes raw".to_owned());
    }
    hbase::attributes(&mut draft, table.attributes.iter().map(|(key, value)| (key.as_str(), value.as_str())));
    draft.families = table.families.iter().map(hbase::family).collect();
    parsed(&text(None, std::slice::from_ref(&draft)))?;
    if !table.splits.is_empty() {
        draft.splits = Splits::Keys(table.splits.clone());
    }
    Ok(draft)
}

/// The draft of a table's key, with its salt; of none if no layout is known.
fn key(table: &LiveTable, means: bool) -> Result<Draft, Problems> {
    let (name, comments) = (table.name.clone(), table.comments.clone());
    let Some(LiveKey { layout, means: meant, .. }) = &table.key else {
        return Ok(Draft { name, comments, ..Draft::default() });
    };
    let mut files = Files::default();
    let file = files.add(File { name: name.clone(), text: String::new() });
    let mut reading = Reading { file, problems: Vec::new() };
    let fields = layout.fields().iter().zip(meant).filter(|_| means);
    let meant: Vec<_> = fields.filter_map(|(field, means)| Some((field.name.as_str(), (*means)?))).collect();
    let mut draft = layout::draft(layout, &name, &meant, comments, &mut reading);
    draft.splits = Splits::None;
    match reading.problems.is_empty() {
        true => Ok(draft),
        false => Err(Problems { files, list: reading.problems }),
    }
}
