//! Reads `hbase-site.xml`: properties, each with a name and a value.

use std::collections::HashMap;
use std::time::Duration;

use crate::options::{MASTER, Options, ZOOKEEPER};
use crate::security;
use crate::server::Address;

/// The options in the text of a file, or what is wrong with it.
pub(crate) fn options(text: &str) -> Result<Options, String> {
    let properties = properties(text)?;
    let get = |name: &str| properties.get(name).map(|value| value.trim()).filter(|value| !value.is_empty());
    let mut options = Options::new();
    options.security = security::site::security(get)?;

    let master_port = number(get, "hbase.master.port")?.unwrap_or(MASTER);
    let bootstrap = get("hbase.client.bootstrap.servers");
    options.masters = addresses(bootstrap.or(get("hbase.masters")).unwrap_or_default(), master_port)?;

    let port = number(get, "hbase.zookeeper.property.clientPort")?.unwrap_or(ZOOKEEPER);
    let quorum = get("hbase.zookeeper.quorum");
    if options.masters.is_empty() && quorum.is_none() {
        return Err("neither hbase.masters nor hbase.zookeeper.quorum is set".into());
    }
    // A chroot stands once, behind the last server.
    let quorum = quorum.unwrap_or_default();
    let (servers, chroot) = quorum.find('/').map_or((quorum, ""), |at| quorum.split_at(at));
    options.zookeeper = addresses(servers, port)?;
    let parent = get("zookeeper.znode.parent").unwrap_or("/hbase");
    options.znode = format!("{}{parent}", chroot.trim_end_matches('/'));

    let time = |name| Ok::<_, String>(number(get, name)?.map(|ms: u32| Duration::from_millis(ms.into())));
    options.timeout = time("hbase.client.operation.timeout")?.unwrap_or(options.timeout);
    options.call_timeout = time("hbase.rpc.timeout")?.unwrap_or(options.call_timeout);
    Ok(options)
}

fn properties(text: &str) -> Result<HashMap<String, String>, String> {
    let document = roxmltree::Document::parse(text).map_err(|error| error.to_string())?;
    let mut properties = HashMap::new();
    for property in document.root_element().children().filter(|node| node.has_tag_name("property")) {
        let child = |name| property.children().find(|node| node.has_tag_name(name)).and_then(|node| node.text());
        if let Some(name) = child("name") {
            // As in Hadoop, the last one counts.
            properties.insert(name.trim().to_owned(), child("value").unwrap_or_default().to_owned());
        }
    }
    Ok(properties)
}

pub(crate) fn number<'a, N: std::str::FromStr>(
    get: impl Fn(&str) -> Option<&'a str>,
    name: &str,
) -> Result<Option<N>, String> {
    let number = |text: &str| text.parse().map_err(|_| format!("{name} is {text:?}, which is not its kind of number"));
    get(name).map(number).transpose()
}

fn addresses(list: &str, port: u16) -> Result<Vec<Address>, String> {
    let texts = list.split(',').map(str::trim).filter(|text| !text.is_empty());
    texts.map(|text| Address::parse(text, port).ok_or_else(|| format!("{text:?} is not host:port"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(properties: &[(&str, &str)]) -> Result<Options, String> {
        let property = |(name, value)| format!("<property>\n<name>{name}</name><value>{value}</value></property>");
        let properties: String = properties.iter().copied().map(property).collect();
        options(&format!("<?xml version=\"1.0\"?>\n<!-- of a cluster -->\n<configuration>{properties}</configuration>"))
    }

    fn text(addresses: &[Address]) -> String {
        addresses.iter().map(Address::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_quorum_has_ports_a_parent_and_a_chroot() {
        let read = of(&[
            ("hbase.zookeeper.quorum", " a, b:2182 ,c/deep/ "),
            ("hbase.zookeeper.property.clientPort", "2183"),
            ("zookeeper.znode.parent", "/hbase-secure"),
            ("hbase.rpc.timeout", "1500"),
        ])
        .unwrap();
        assert_eq!(text(&read.zookeeper), "a:2183 b:2182 c:2183");
        assert_eq!((read.znode.as_str(), read.call_timeout.as_millis()), ("/deep/hbase-secure", 1500));
    }

    #[test]
    fn masters_have_a_port() {
        let read = of(&[("hbase.masters", "a,b:1"), ("hbase.zookeeper.quorum", "")]).unwrap();
        assert_eq!((text(&read.masters), text(&read.zookeeper)), ("a:16000 b:1".into(), String::new()));
        let read = of(&[("hbase.masters", "a"), ("hbase.client.bootstrap.servers", "r:5")]).unwrap();
        assert_eq!(text(&read.masters), "r:5");
    }

    #[test]
    fn mistakes_are_told() {
        for (properties, told) in [
            (&[][..], "neither"),
            (&[("hbase.masters", "a:x")], "host:port"),
            (&[("hbase.masters", "a"), ("hbase.rpc.timeout", "soon")], "hbase.rpc.timeout"),
            (&[("hbase.masters", "a"), ("hbase.security.authentication", "digest")], "hbase.security.authentication"),
        ] {
            let error = of(properties).unwrap_err();
            assert!(error.contains(told), "{error}");
        }
        assert!(options("<configuration>").is_err());
    }
}
