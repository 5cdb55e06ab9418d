//! Hot spots: writes that are too many for where they land, and the parts of their findings.

use rowkey::lead::Lead;

use crate::design::{WriteKind, WriteOrder};
use crate::facts::{FieldFacts, KeyFacts};
use crate::file::Rate;
use crate::finding::{Edit, Finding};
use crate::load::{Capacity, WriteLoad, peak};
use crate::rule::Severity;
use crate::rules::context::{Context, RuleSink};

/// A write whose places may be too few, with what one server takes.
pub(super) struct Hot<'c, 'd> {
    pub(super) load: &'c WriteLoad<'d>,
    pub(super) key: &'c KeyFacts<'d>,
    pub(super) capacity: f64,
    pub(super) servers: f64,
}

impl Hot<'_, '_> {
    /// The servers that work at once.
    pub(super) fn places(&self) -> Option<f64> {
        self.load.places
    }

    /// Its rate, as a finding says it.
    pub(super) fn rate(&self) -> String {
        match self.load.peak {
            Some(peak) => format!("{} at the peak", Rate(peak)),
            None => "no rate is declared".to_owned(),
        }
    }

    /// The field that grows, if writes follow it.
    pub(super) fn front(&self) -> Option<&FieldFacts<'_>> {
        self.key.fields.get(self.load.front?)
    }

    /// Salt buckets that spread the writes over the servers, twice as many as are needed.
    pub(super) fn buckets(&self) -> u32 {
        let needed = self.load.peak.map_or(0.0, |peak| 2.0 * peak / self.capacity).max(self.servers.min(1000.0));
        needed.ceil().clamp(2.0, 1000.0) as u32
    }
}

/// The writes of the table, or of its secondary tables, that one server does not take: none on an engine of one
/// process, none below the gate, and those without a rate.
pub(super) fn writes<'c, 'd>(context: &'c Context<'d>, secondary: bool) -> Vec<Hot<'c, 'd>> {
    let any_unsaid = context.table.table.write.iter().any(|write| peak(write).is_none());
    let Capacity { each: capacity, servers, peak: declared, .. } = context.capacity;
    if context.capacity.takes_all() || (declared < capacity && !any_unsaid) {
        return Vec::new();
    }
    let writes = context.loads.iter().filter(|load| load.secondary.is_some() == secondary);
    let written = writes.filter(|load| load.write.kind != Some(WriteKind::Delete));
    written
        .map(|load| {
            let key = &context.keys[load.secondary.map_or(0, |index| index + 1)];
            Hot { load, key, capacity, servers }
        })
        .filter(|hot| hot.load.peak.is_none_or(|_| declared * hot.key.share >= capacity))
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
    let salt = format!("{{ buckets = {} }}", hot.buckets());
    context.design.files.key_added(context.table.name.place, "salt", &salt).into_iter().collect()
}

/// True if a finding of this table says that a place takes all writes.
pub(super) fn is_hot(context: &Context<'_>) -> bool {
    let one_row = || writes(context, false).iter().any(|hot| is_one_row(hot.load));
    at_one_place(context, false).is_some_and(|hot| hot.load.peak.is_some()) || are_few(context) || one_row()
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
        Some(peak) => finding = finding.number("writes at the peak", peak, "/s"),
        None => finding.severity = finding.severity.min(Severity::Warning),
    }
    finding = finding.number("writes that one server takes", hot.capacity, "/s");
    if let Some(index) = hot.key.secondary {
        finding = finding.of(context.table.table.secondary[index].name.as_str());
    }
    if let (Some(WriteOrder::Random), None, Some(front)) =
        (hot.load.write.order.as_deref(), hot.key.secondary, hot.front())
    {
        let name = front.name;
        finding = finding.witness(format!(
            "`order = \"random\"` cannot be of a key that begins with what grows: if {name:?} does not grow, write \
             `stats.{name}.grows = false`"
        ));
    }
    finding.remedy(cure, salted(context, hot))
}

pub(super) fn few_places<'c, 'd>(context: &'c Context<'d>) -> Option<(Hot<'c, 'd>, f64)> {
    let mut hot = writes(context, false)
        .into_iter()
        .filter(|hot| matches!(hot.key.layout.lead(), Lead::None) && hot.load.front.is_some_and(|front| front > 0));
    hot.find_map(|hot| {
        let places = hot.places().filter(|places| *places < hot.servers)?;
        let enough = hot.load.peak.is_some_and(|peak| places * hot.capacity >= peak);
        (!enough).then_some((hot, places))
    })
}

/// True if H05 is found.
pub(super) fn are_few(context: &Context<'_>) -> bool {
    few_places(context).is_some_and(|(hot, _)| hot.load.peak.is_some())
}

/// True if a write is of one row.
pub(super) fn is_one_row(load: &WriteLoad<'_>) -> bool {
    matches!(load.write.order.as_deref(), Some(WriteOrder::OneRow))
}
