//! Page views of a visit, from the lines of a log.

use std::error::Error;

use rowkey::Seconds;
use rowkey_studies::weblog::{Logs, Summary, read_logs};
use url::Url;

/// One line of the log.
pub(crate) struct View {
    pub(crate) visitor: String,
    pub(crate) at: Seconds,
    /// Its place in the log: it tells visits of one second apart.
    pub(crate) line: u64,
    /// The path of the request, without its query.
    pub(crate) path: Option<String>,
    pub(crate) status: Option<u16>,
    pub(crate) bytes: u64,
    pub(crate) referer: Option<String>,
    /// The search terms that led here.
    pub(crate) term: Option<String>,
}

/// Files that a site gives away: what it has for products.
const PRODUCTS: [&str; 17] = [
    "7z", "apk", "bz2", "deb", "dmg", "exe", "gem", "gz", "iso", "jar", "msi", "pdf", "rpm", "tgz", "war", "xz", "zip",
];

/// Reads logs, sorted by time, lines of one second as they stand there; and how many lines came later than they should.
pub(crate) fn read(logs: &Logs) -> Result<(Vec<View>, u64, Summary), Box<dyn Error>> {
    let (mut views, mut late, mut latest) = (Vec::new(), 0, i64::MIN);
    let summary = read_logs(logs.each(), |found| {
        let at = found.at.as_second();
        if at < 0 {
            return Err(format!("{}: no cell is of a time before 1970", found.at).into());
        }
        late += u64::from(at < latest);
        latest = latest.max(at);
        let path = found.hit.request.as_deref().and_then(path).map(str::to_owned);
        let (visitor, line) = (found.visitor.to_owned(), views.len() as u64);
        let (status, bytes, referer) = (found.hit.status, found.hit.size, found.hit.referrer);
        let term = referer.as_deref().and_then(term);
        views.push(View { visitor, at: Seconds(at), line, path, status, bytes, referer, term });
        Ok(())
    })?;
    views.sort_by_key(|view| view.at);
    Ok((views, late, summary))
}

/// `/search` of `GET /search?q=x HTTP/1.1`.
fn path(request: &str) -> Option<&str> {
    let target = request.split(' ').nth(1).filter(|target| target.starts_with('/'))?;
    target.split(['?', '#']).next()
}

/// `q` and `query` of a referer, Yahoo's `p`.
fn term(referer: &str) -> Option<String> {
    let referer = Url::parse(referer).ok()?;
    let yahoo = referer.host_str()?.split('.').any(|label| label == "yahoo");
    let asked = |name: &str| matches!(name, "q" | "query") || (yahoo && name == "p");
    let term = referer.query_pairs().find(|(name, value)| asked(name) && !value.trim().is_empty())?.1;
    Some(term.trim().to_owned())
}

impl View {
    /// The timestamp of its cells.
    pub(crate) fn millis(&self) -> i64 {
        self.at.0.saturating_mul(1000)
    }

    /// Its bytes, as a counter has them.
    pub(crate) fn counted_bytes(&self) -> i64 {
        self.bytes.try_into().unwrap_or(i64::MAX)
    }

    fn file(&self) -> Option<&str> {
        self.path.as_deref()?.rsplit('/').next()
    }

    fn extension(&self) -> Option<&str> {
        Some(self.file()?.rsplit_once('.')?.1)
    }

    /// The path, if it was answered and is one that a visitor reads: no image, no style sheet.
    pub(crate) fn page(&self) -> Option<&str> {
        let is_page = self.extension().is_none_or(|extension| matches!(extension, "htm" | "html" | "xhtml" | "php"));
        self.path.as_deref().filter(|_| is_page && matches!(self.status, Some(200 | 304)))
    }

    /// The first directory of the path, `/blog/` of `/blog/2015/may`.
    pub(crate) fn directory(&self) -> Option<&str> {
        let path = self.path.as_deref()?;
        let end = path.match_indices('/').nth(1)?.0;
        path.get(..=end)
    }

    /// The file that was asked for, if the site gives it away.
    pub(crate) fn product(&self) -> Option<&str> {
        self.file().filter(|_| self.extension().is_some_and(|extension| PRODUCTS.contains(&extension)))
    }

    /// The bytes of a product that was taken whole.
    pub(crate) fn checkout(&self) -> Option<u64> {
        self.product().filter(|_| self.status == Some(200)).map(|_| self.bytes)
    }
}
