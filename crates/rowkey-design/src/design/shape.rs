//! The shape of a rate, and the balancer of a cluster.

use serde_json::{Value as Json, json};

use super::hints::{of_a_shape, of_balancer};
use crate::file::Period;
use crate::file::node::{FromToml, Node, Reading, record};

/// The course of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The same at all times.
    Constant,
    /// One maximum a day.
    ByDay,
    /// Bursts of a length, one in each period.
    Bursts {
        /// The length of one.
        length: Period,
        /// The time from the beginning of one to that of the next.
        every: Period,
    },
}

impl FromToml for Shape {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        const HELP: &str = "write \"constant\", \"by day\" or \"bursts of 10 min every 1 h\"";
        let text = String::from_toml(node, reading)?;
        let bursts = |text: &str| {
            let (length, every) = text.strip_prefix("bursts of ")?.split_once(" every ")?;
            Some(Self::Bursts { length: Period::parse(length)?, every: Period::parse(every)? })
        };
        let shape = match text.as_str() {
            "constant" => Some(Self::Constant),
            "by day" => Some(Self::ByDay),
            other => bursts(other),
        };
        match shape {
            Some(Self::Bursts { length, every }) if length >= every => {
                let message = format!("a burst of {length} is not shorter than the {every} between two");
                reading.problem(node, message, "write a longer time after `every`, or `constant`");
                None
            }
            Some(shape) => Some(shape),
            None => {
                let help = of_a_shape(&text).unwrap_or(HELP);
                reading.problem(node, format!("{text:?} is not the shape of a rate"), help);
                None
            }
        }
    }

    fn schema() -> Json {
        let period = Period::pattern();
        // Neither is of no length.
        let period = format!("(?=[^1-9a-z]*[1-9])({period})");
        json!({"type": "string", "pattern": format!("^(constant|by day|bursts of {period} every {period})$")})
    }
}

/// A balancer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Balancer {
    /// None runs.
    Off,
    /// It runs once in this time.
    Period(Period),
}

record! {
    /// The balancer's period, as the file has it.
    pub struct BalancerPeriod {
        /// The time from one run to the next: `hbase.balancer.period`.
        period: Period,
    }
}

impl FromToml for Balancer {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        if node.get_ref().is_table() {
            return BalancerPeriod::from_toml(node, reading).map(|table| Self::Period(table.period));
        }
        let text = node.get_ref().as_str();
        if text == Some("off") {
            return Some(Self::Off);
        }
        let help = text.and_then(of_balancer).unwrap_or("write \"off\", or { period = \"5 min\" }");
        reading.problem(node, "this is not a balancer", help);
        None
    }

    fn schema() -> Json {
        json!({"anyOf": [{"const": "off"}, BalancerPeriod::schema()]})
    }
}
