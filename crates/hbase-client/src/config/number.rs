//! Numbers of `hbase-site.xml`.

pub(crate) fn number<'a, N: std::str::FromStr>(
    get: impl Fn(&str) -> Option<&'a str>,
    name: &str,
) -> Result<Option<N>, String> {
    let number = |text: &str| text.parse().map_err(|_| format!("{name}: {text:?} is not an integer of its range"));
    get(name).map(number).transpose()
}
