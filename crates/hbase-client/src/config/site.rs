//! Reads `hbase-site.xml`: properties, each with a name and a value, as Hadoop's `Configuration` does.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::time::Duration;

use super::number::number;
use super::options::{MASTER, Options, ZOOKEEPER};
use super::security::{Get, security};
use crate::model::error::Error;
use crate::model::server::Address;
use crate::time::bounded;

impl Options {
    /// The cluster of a file `hbase-site.xml`. Read are `hbase.masters`, `hbase.client.bootstrap.servers`,
    /// `hbase.zookeeper.quorum`, `hbase.zookeeper.property.clientPort`, `zookeeper.znode.parent` and the time-outs
    /// `hbase.client.operation.timeout`, `hbase.rpc.timeout` and `hbase.client.scanner.timeout.period`. With the
    /// feature `tls`: `hbase.client.netty.tls.*` and `hbase.rpc.tls.*`. With the feature `kerberos`:
    /// `hbase.security.authentication`, `hbase.rpc.protection`, `hbase.regionserver.kerberos.principal`,
    /// `hbase.master.kerberos.principal`, `hbase.client.keytab.file`, `hbase.client.keytab.principal` and
    /// `hbase.ipc.client.fallback-to-simple-auth-allowed`.
    ///
    /// `${name}` in a value stands for another property of the file; Java's properties and the environment are not
    /// looked at.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, has a document type, names no cluster, includes other files, or asks for what this
    /// client, or this build of it, does not have; or if a property that is read has a variable that is not known.
    pub fn from_site(file: impl AsRef<Path>) -> Result<Self, Error> {
        let file = file.as_ref();
        let wrong = |why: &dyn std::fmt::Display| Error::invalid(format!("{}: {why}", file.display()));
        let text = text(file).map_err(|error| wrong(&error))?;
        options(&text).map_err(|why| wrong(&why))
    }
}

/// A file of properties is written by people: a longer one is something else, or has no end.
const LONGEST: u64 = 64 << 20;

/// The text of a file.
fn text(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    let read = File::open(file)?.take(LONGEST + 1).read_to_string(&mut text)?;
    match read as u64 > LONGEST {
        true => Err(io::Error::other(format!("it has more than {LONGEST} bytes: no hbase-site.xml is as long"))),
        false => Ok(text),
    }
}

/// The options in the text of a file, or what is wrong with it.
pub(crate) fn options(text: &str) -> Result<Options, String> {
    let site = Site::of(text)?;
    let options = options_of(|name: &str| site.get(name));
    site.wrong.into_inner().map_or(options, Err)
}

fn options_of<'a>(get: impl Get<'a>) -> Result<Options, String> {
    let mut options = Options::new();
    options.security = security(get)?;

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

    // 0 is no timeout.
    let long = |ms| bounded(if ms == 0 { Duration::MAX } else { Duration::from_millis(ms) });
    let time = |name| Ok::<_, String>(number(get, name)?.map(long));
    options.timeout = time("hbase.client.operation.timeout")?.unwrap_or(options.timeout);
    options.attempt_timeout = time("hbase.rpc.timeout")?.unwrap_or(options.attempt_timeout);
    // A server tells that a scan goes on after half of the shorter one of these.
    let lease = time("hbase.client.scanner.timeout.period")?.unwrap_or(Duration::from_secs(60));
    options.read_timeout = options.read_timeout.max(options.attempt_timeout.min(lease));
    Ok(options)
}

struct Site {
    properties: HashMap<String, Property>,
    /// The error of a property that was read.
    wrong: OnceCell<String>,
}

struct Property {
    text: String,
    /// Later ones of its name do not count.
    is_final: bool,
    /// The text without variables, once it is read.
    value: OnceCell<Option<String>>,
}

/// The most variables that are replaced in a value. They may stand for each other, in a circle too.
const VARIABLES: usize = 20;

impl Site {
    fn of(text: &str) -> Result<Self, String> {
        let document = roxmltree::Document::parse(text).map_err(|error| error.to_string())?;
        if document.descendants().any(|node| node.has_tag_name("include")) {
            return Err("this client does not follow xi:include: write all properties into one file".into());
        }
        let mut properties = HashMap::new();
        for property in document.root_element().children().filter(|node| node.has_tag_name("property")) {
            let child = |name| {
                let node = property.children().find(|node| node.has_tag_name(name))?;
                let texts = node.descendants().filter(|node| node.is_text()).filter_map(|node| node.text());
                Some(texts.collect::<String>())
            };
            let part = |name| property.attribute(name).map(str::to_owned).or_else(|| child(name));
            let Some(name) = part("name").map(|name| name.trim().to_owned()) else { continue };
            // As in Hadoop, the last one counts.
            if !properties.get(&name).is_some_and(|known: &Property| known.is_final) {
                let is_final = part("final").is_some_and(|text| text.trim() == "true");
                let text = part("value").unwrap_or_default();
                properties.insert(name, Property { text, is_final, value: OnceCell::new() });
            }
        }
        Ok(Self { properties, wrong: OnceCell::new() })
    }

    fn get<'a>(&'a self, name: &str) -> Option<&'a str> {
        let property = self.properties.get(name)?;
        let expand = || match self.expanded(&property.text) {
            Ok(value) => Some(value),
            Err(why) => {
                self.wrong.get_or_init(|| format!("{name}: {why}"));
                None
            }
        };
        property.value.get_or_init(expand).as_deref().map(str::trim).filter(|value| !value.is_empty())
    }

    fn expanded(&self, text: &str) -> Result<String, String> {
        let mut value = text.to_owned();
        for _ in 0..=VARIABLES {
            let Some((before, variable, behind)) = variable(&value) else { return Ok(value) };
            let Some(property) = self.properties.get(variable) else {
                return Err(format!("${{{variable}}} is no property of this file: write what it stands for"));
            };
            value = [before, &property.text, behind].concat();
        }
        Err(format!("{text:?} has more than {VARIABLES} variables, or one that stands for itself"))
    }
}

/// The first `${NAME}`, with what stands before and behind it.
fn variable(text: &str) -> Option<(&str, &str, &str)> {
    for (at, opening) in text.match_indices("${") {
        let (before, rest) = (&text[..at], &text[at + opening.len()..]);
        if let Some(end) = rest.find(['}', '$', ' ']).filter(|end| *end > 0 && rest[*end..].starts_with('}')) {
            return Some((before, &rest[..end], &rest[end + 1..]));
        }
    }
    None
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
        assert_eq!((read.znode.as_str(), read.attempt_timeout.as_millis()), ("/deep/hbase-secure", 1500));
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

    #[test]
    fn a_value_is_all_of_its_text() {
        let read = of(&[("hbase.masters", "a,<!-- x -->b<![CDATA[,c]]>,d&#58;1")]).unwrap();
        assert_eq!(text(&read.masters), "a:16000 b:16000 c:16000 d:1");
    }

    #[test]
    fn variables_stand_for_properties() {
        let read = of(&[
            ("hbase.masters", "${name}.${domain}:${port}"),
            ("name", "m-${nu${x}mber}"),
            ("x", ""),
            ("number", "1"),
            ("domain", "example"),
            ("port", "5"),
            ("hbase.rootdir", "${hbase.tmp.dir}/hbase"),
        ]);
        assert_eq!(text(&read.unwrap().masters), "m-1.example:5");
        for plain in ["${a b}", "${}", "$port}", "${port"] {
            assert_eq!(variable(plain), None);
        }
        assert_eq!(variable("${a b}$${port}:"), Some(("${a b}$", "port", ":")));
        for (value, told) in [
            ("${user.name}.example", "hbase.masters: ${user.name} is no property"),
            ("${env.HOST}", "${env.HOST}"),
            ("${hbase.masters}", "20 variables"),
        ] {
            let error = of(&[("hbase.masters", value), ("hbase.zookeeper.quorum", "q")]).unwrap_err();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn a_time_is_a_year_at_most() {
        let times = ["hbase.rpc.timeout", "hbase.client.operation.timeout"].map(|name| (name, "18446744073709551615"));
        let read = of(&[("hbase.masters", "a"), times[0], times[1]]).unwrap();
        assert_eq!((read.timeout, read.attempt_timeout), (bounded(Duration::MAX), bounded(Duration::MAX)));
        let none = times.map(|(name, _)| (name, "0"));
        let read = of(&[("hbase.masters", "a"), none[0], none[1]]).unwrap();
        assert_eq!((read.timeout, read.attempt_timeout), (bounded(Duration::MAX), bounded(Duration::MAX)));
    }

    #[test]
    fn a_connection_may_be_silent_for_longer_than_a_scan_is() {
        let silent = |call: &'static str, lease: &'static str| {
            let times = [("hbase.rpc.timeout", call), ("hbase.client.scanner.timeout.period", lease)];
            of(&[("hbase.masters", "a"), times[0], times[1]]).unwrap().read_timeout.as_secs()
        };
        assert_eq!(silent("300000", "240000"), 240);
        assert_eq!((silent("300000", ""), silent("0", ""), silent("2000", "")), (60, 60, 30));
    }

    #[test]
    fn another_file_is_not_followed() {
        let include = "<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"other.xml\"/>";
        let property = "<property><name>hbase.masters</name><value>a</value></property>";
        let error = options(&format!("<configuration>{property}{include}</configuration>")).unwrap_err();
        assert!(error.contains("one file"), "{error}");
    }

    #[test]
    fn a_property_may_be_final_or_of_attributes() {
        let text = "<configuration>\
                    <property><name>hbase.masters</name><value>a</value><final>true</final></property>\
                    <property><name>hbase.masters</name><value>b</value></property>\
                    <property name='hbase.master.port' value='7'/></configuration>";
        assert_eq!(options(text).unwrap().masters, [Address::new("a", 7)]);
    }
}
