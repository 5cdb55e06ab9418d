//! Hot spots: writes that are too many for where they land, and the parts of their findings.

use rowkey::lead::Lead;

use crate::cost::QueryCost;
use crate::design::{Write, WriteKind, WriteOrder};
use crate::facts::{FieldFacts, KeyFacts};
use crate::file::Count;
use crate::finding::{Edit, Finding};
use crate::frequencies::Frequencies;
use crate::load::{Capacity, UNEVEN, WriteLoad, peak};
use crate::problem::Located;
use crate::rule::Severity;
use crate::rules::context::{Context, RuleSink};
use crate::rules::queue;

/// A write whose places may be too few, with what one server takes.
pub(super) struct Hot<'c, 'd> {
    pub(super) load: &'c WriteLoad<'d>,
    pub(super) key: &'c KeyFacts<'d>,
    pub(super) capacity: f64,
    pub(super) servers: f64,
    /// The highest rate of it and of the writes that land in the same places, as many as if they were of its size.
    pub(super) peak: Option<f64>,
    /// The highest rate of all writes of its table together.
    all: f64,
    /// The salt buckets that spread the writes over the servers.
    pub(super) buckets: u32,
}

impl Hot<'_, '_> {
    /// The servers that work at once.
    pub(super) fn places(&self) -> Option<f64> {
        self.load.places
    }

    /// The number of values that places are told apart by, however uneven they are.
    pub(super) fn values(&self) -> Option<f64> {
        self.load.frequencies.as_ref().map(Frequencies::count)
    }

    /// A rate, as a finding says it.
    pub(super) fn shown(&self, rate: f64) -> String {
        self.key.write_cost.rate(rate)
    }

    /// Its rate, with that of the writes of the same places, as a finding says it.
    pub(super) fn own_rate(&self) -> String {
        match self.peak {
            Some(peak) if self.are_several() => {
                format!("{} at the peak, writes of the same rows together", self.shown(peak))
            }
            Some(peak) => format!("{} at the peak", self.shown(peak)),
            None => "no rate is declared".to_owned(),
        }
    }

    /// The rate of all writes of its table, as a finding says it.
    pub(super) fn rate(&self) -> String {
        match self.load.peak {
            Some(peak) if self.all > peak => format!("{} at the peak, all writes together", self.shown(self.all)),
            _ => self.own_rate(),
        }
    }

    /// True if other writes land in the same places.
    pub(super) fn are_several(&self) -> bool {
        self.peak > self.load.peak
    }

    /// True if it is of the table itself, at a rate that is known.
    fn is_of_table(&self) -> bool {
        self.key.secondary.is_none() && self.load.peak.is_some()
    }

    /// True if its places are too few, however even they were.
    fn are_few(&self) -> bool {
        let few = |values: f64| values < self.servers && self.peak.is_none_or(|peak| values * self.capacity < peak);
        let is_plain = matches!(self.key.layout.lead(), Lead::None);
        is_plain && self.load.front.is_some_and(|front| front > 0) && self.values().is_some_and(few)
    }

    /// The field that grows, if writes follow it.
    pub(super) fn front(&self) -> Option<&FieldFacts<'_>> {
        self.key.fields.get(self.load.front?)
    }
}

/// The writes of the table, or of its secondary tables, that one server does not take: none on an engine of one
/// process, none below the gate, and those without a rate.
pub(super) fn writes<'c, 'd>(context: &'c Context<'d>, secondary: bool) -> Vec<Hot<'c, 'd>> {
    let any_unsaid = context.table.table.write.iter().any(|write| peak(write).is_none());
    let Capacity { each, servers, peak: declared, .. } = context.capacity;
    if context.capacity.takes_all() || (declared < each && !any_unsaid) {
        return Vec::new();
    }
    let buckets = context.capacity.buckets().clamp(2.0, 1000.0) as u32;
    let writes = context.loads.iter().filter(|load| load.secondary.is_some() == secondary);
    let written = writes.filter(|load| load.write.kind != Some(WriteKind::Delete));
    written
        .map(|load| {
            let key = &context.keys[load.secondary.map_or(0, |index| index + 1)];
            let (capacity, peak) = (context.capacity.takes(load), context.capacity.asked(load, &context.loads));
            Hot { load, key, capacity, servers, peak, all: declared * key.share, buckets }
        })
        .filter(|hot| hot.load.peak.is_none_or(|_| declared * hot.key.share >= each))
        .collect()
}

/// The first write whose front has nothing before it: all its rows land in one place.
pub(super) fn at_one_place<'c, 'd>(context: &'c Context<'d>, secondary: bool) -> Option<Hot<'c, 'd>> {
    let unspread = |hot: &Hot<'_, '_>| matches!(hot.key.layout.lead(), Lead::None) && hot.load.front == Some(0);
    writes(context, secondary).into_iter().find(unspread)
}

/// The edit that gives the table a salt by all fields; none for a secondary table, or where there is a salt.
pub(super) fn salted(context: &Context<'_>, hot: &Hot<'_, '_>) -> Vec<Edit> {
    let table = &context.table.table;
    if hot.key.secondary.is_some() || table.salt.is_some() || table.hashed.is_some() {
        return Vec::new();
    }
    let salt = format!("{{ buckets = {} }}", hot.buckets);
    context.design.files.key_added(context.table.name.place, "salt", &salt).into_iter().collect()
}

/// True if a finding of this table says that a place takes all writes.
pub(super) fn is_hot(context: &Context<'_>) -> bool {
    is_one_place(context)
        || few_places(context).iter().chain(dominant(context).iter().map(|(hot, ..)| hot)).any(Hot::is_of_table)
}

/// True if a place of this key gets more writes than a server takes, however its regions are split.
pub(super) fn is_key_hot(context: &Context<'_>, key: &KeyFacts<'_>) -> bool {
    let of_key = writes(context, key.secondary.is_some()).into_iter().filter(|hot| hot.key.secondary == key.secondary);
    let asked = |hot: &Hot<'_, '_>| Some(hot.peak? * hot.load.busiest? > hot.capacity);
    of_key.filter_map(|hot| asked(&hot)).any(|is_more| is_more)
}

/// True if a finding of this table says that all its rows go to one place.
pub(super) fn is_one_place(context: &Context<'_>) -> bool {
    at_one_place(context, false).is_some_and(|hot| hot.load.peak.is_some()) || !one_rows(context).is_empty()
}

/// A finding about a write of one place, with numbers and cure.
pub(super) fn at_front(
    context: &Context<'_>,
    found: &RuleSink<'_>,
    hot: &Hot<'_, '_>,
    message: String,
    cure: &str,
) -> Finding {
    let place = hot.key.fields.first().map_or(hot.key.name.place, |field| field.place);
    let mut finding = found.finding(place, message).number("places written at once", 1.0, "");
    finding = finding.number("servers", hot.servers, "");
    match hot.load.peak {
        Some(_) => finding = finding.number("writes at the peak", hot.all, "/s"),
        None => finding.severity = finding.severity.min(Severity::Warning),
    }
    finding = finding.number("writes that one server takes", hot.capacity, "/s");
    if let Some(index) = hot.key.secondary {
        finding = finding.of(context.table.table.secondary[index].name.as_str());
    }
    let is_random = |write: &&Located<Write>| matches!(write.order.as_deref(), Some(WriteOrder::Random));
    let random = context.table.table.write.iter().find(is_random).filter(|_| hot.key.secondary.is_none());
    if let (Some(write), Some(front)) = (random, hot.front()) {
        let (write, name) = (write.name.as_str(), front.name);
        finding = finding.witness(format!(
            "`order = \"random\"` of {write:?} cannot be of a key that begins with what grows: if {name:?} does not \
             grow, write `stats.{name}.grows = false`"
        ));
    }
    let edits = salted(context, hot);
    finding = priced(context, hot, &edits, finding);
    finding.remedy(cure, edits)
}

/// The finding with what the salt of these edits costs the queries: each of its buckets is read, as it is taken from
/// fields that they do not fix.
pub(super) fn priced(context: &Context<'_>, hot: &Hot<'_, '_>, edits: &[Edit], finding: Finding) -> Finding {
    let is_dearer =
        |cost: &&QueryCost<'_>| cost.leading < hot.key.fields.len() && (!cost.full_scan || cost.query.limit.is_some());
    let Some(dearest) = context.queries_of(hot.key).filter(is_dearer).max_by_key(|cost| cost.range_count()) else {
        return finding;
    };
    if edits.is_empty() {
        return finding;
    }
    let (name, before) = (dearest.query.name.as_str(), Count(dearest.range_count() as f64));
    let after = Count(dearest.range_count() as f64 * f64::from(hot.buckets)).of("range");
    let deleted = if queue::is_queue(context) { ", and passes over the deleted rows of each" } else { "" };
    finding.witness(format!("under the salt each run of {name:?} reads {after}, not {before}{deleted}"))
}

/// The first write of the table, and of each of its secondary tables, that `found` is said of.
fn of_each_key<'c, 'd, T>(context: &'c Context<'d>, found: impl Fn(Hot<'c, 'd>) -> Option<T>) -> Vec<T> {
    let all = || writes(context, false).into_iter().chain(writes(context, true));
    let of = |index: usize| all().filter(move |hot| hot.key.secondary.map_or(0, |index| index + 1) == index);
    (0..context.keys.len()).filter_map(|index| of(index).find_map(&found)).collect()
}

/// The writes whose places are fewer than the servers, and than these writes need.
pub(super) fn few_places<'c, 'd>(context: &'c Context<'d>) -> Vec<Hot<'c, 'd>> {
    of_each_key(context, |hot| hot.are_few().then_some(hot))
}

/// The writes whose busiest place gets more than one server takes, with its share and the peak, where more servers or
/// values that are as even as those would not do.
pub(super) fn dominant<'c, 'd>(context: &'c Context<'d>) -> Vec<(Hot<'c, 'd>, f64, f64)> {
    of_each_key(context, |hot| {
        let (peak, busiest, values) = (hot.peak?, hot.load.busiest?, hot.values()?);
        // Even values that one server does not take are too few, or the servers are; but no server more takes a part of
        // one where partitions are hashed.
        let is_uneven = busiest * values > UNEVEN
            || context.engine.hashes_partitions()
            || (hot.load.front.is_none() && values < hot.servers);
        // Rows that all follow the front, or are one, are said to be so.
        let is_one = hot.load.front == Some(0) && matches!(hot.key.layout.lead(), Lead::None);
        let is_told = is_one || hot.load.is_in_order() || hot.are_few();
        (busiest * peak > hot.capacity && is_uneven && !is_told).then_some((hot, busiest, peak))
    })
}

/// The writes of one row that are more than one server takes, whatever the others are.
pub(super) fn one_rows<'c, 'd>(context: &'c Context<'d>) -> Vec<Hot<'c, 'd>> {
    let is_one_row = |hot: &Hot<'_, '_>| matches!(hot.load.write.order.as_deref(), Some(WriteOrder::OneRow));
    let is_hot = |hot: &Hot<'_, '_>| hot.load.peak.is_none_or(|peak| peak >= hot.capacity);
    writes(context, false).into_iter().filter(|hot| is_one_row(hot) && is_hot(hot)).collect()
}
