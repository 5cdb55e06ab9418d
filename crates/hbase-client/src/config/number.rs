//! Numbers of `hbase-site.xml`.

pub(crate) fn number<'a, N: std::str::FromStr>(
    get: impl Fn(&str) -> Option<&'a str>,
    name: &str,
) -> Result<Option<N>, String> {
    let number = |text: &str| text.parse().map_err(|_| format!("{name} is {text:?}, which is not its kind of number"));
    get(name).map(number).transpose()
}
