//! The classes of prefixes: one for each number of fixed fields, so that a field out of order is an error of types.

use super::call::Call;
use super::encoding::annotation;
use super::text::Lines;
use crate::ir::{Key, Order, Type};

/// The number of fixed fields once so many are, and the constants after them.
pub(super) fn next(key: &Key, fixed: usize) -> usize {
    let is_constant = |index: &usize| matches!(key.fields[*index].ty, Type::Constant(_));
    fixed + (fixed..key.most_fixed()).take_while(is_constant).count()
}

/// The classes, the last first, so that each stands behind those that it returns.
pub(super) fn steps(key: &Key, out: &mut Lines) {
    let mut all = vec![next(key, 0)];
    while let Some(&last) = all.last().filter(|last| **last < key.most_fixed()) {
        all.push(next(key, last + 1));
    }
    for fixed in all.into_iter().rev() {
        step(key, fixed, out);
    }
}

fn step(key: &Key, fixed: usize, out: &mut Lines) {
    let least = key.least_fixed();
    let has_ranges = fixed >= least || fixed == 0;
    out.line(0, "");
    out.line(0, "");
    out.line(0, &format!("class {}(rt.{}):", key.steps[fixed], if has_ranges { "Prefix" } else { "Step" }));
    let doc = match fixed {
        0 => format!("Keys of {}.", key.name),
        1 => format!("Keys of {} by their first field.", key.name),
        fixed => format!("Keys of {} by their first {fixed} fields.", key.name),
    };
    out.doc(1, [doc.as_str()]);
    out.line(0, "");
    out.line(1, "__slots__ = ()");
    if fixed < key.most_fixed() {
        methods(key, fixed, out);
    }
}

fn methods(key: &Key, index: usize, out: &mut Lines) {
    let least = key.least_fixed();
    let field = &key.fields[index];
    let (ident, value) = (&field.ident, annotation(key, &field.ty));
    let after = next(key, index + 1);
    let constants: Vec<Call> = (index + 1..after).map(|at| Call::plain(format!("_F{at}"))).collect();
    let with = |given: &str| {
        let own = [Call::plain(format!("_F{index}")), Call::plain(given)];
        own.into_iter().chain(constants.clone()).collect::<Vec<_>>()
    };
    let mut method = |name: &str, arguments: Vec<String>, returns: &str, doc: &str, body: Call| {
        out.line(0, "");
        let arguments = std::iter::once("self".to_owned()).chain(arguments).map(Call::Plain).collect();
        let head = Call::of(&format!("def {name}"), arguments);
        out.line(1, &format!("{} -> {returns}:", head.laid_out(1, 0, returns.len() + 5)));
        out.doc(2, [doc]);
        out.line(2, &format!("return {}", body.laid_out(2, 7, 0)));
    };
    let step = &key.steps[after];
    let fixed = Call::of(step, vec![Call::of("*self._with", with("value"))]);
    method(ident, vec![format!("value: {value}")], step, "Those with this value of the next field.", fixed);
    if after >= least {
        let body = Call::of("self._in", with("values"));
        let doc = "Those with one of these values of the next field.";
        method(&format!("{ident}_in"), vec![format!("values: Iterable[{value}]")], "rt.Selection", doc, body);
    }
    if index < least {
        return;
    }
    if key.order(&field.ty) != Order::None {
        let bound = |name: &str| format!("{name}: rt.Bound[{value}] = rt.UNBOUNDED");
        let arguments = [format!("_F{index}"), "start".to_owned(), "end".to_owned()].map(Call::Plain);
        let body = Call::of("self._range", arguments.into());
        let doc = "Those whose next field is between two values, in their own order.";
        method(&format!("{ident}_range"), vec![bound("start"), bound("end")], "rt.Selection", doc, body);
    }
    if field.ty.can_be_begun() {
        let body = Call::of("self._starts_with", vec![Call::plain(format!("_F{index}")), Call::plain("start")]);
        let doc = "Those whose next field begins so.";
        method(&format!("{ident}_starts_with"), vec![format!("start: {value}")], "rt.Selection", doc, body);
    }
    if let Type::Tile | Type::Quadkey(_) = field.ty {
        let body = Call::of("self._within", vec![Call::plain(format!("_F{index}")), Call::plain("area")]);
        let doc = "Those whose next field is in a tile, or is it.";
        method(&format!("{ident}_within"), vec!["area: str".to_owned()], "rt.Selection", doc, body);
    }
    if let Type::HostPath { .. } = field.ty {
        let body = Call::of("self._under", vec![Call::plain(format!("_F{index}")), Call::plain("host")]);
        let doc = "Those of a domain and all its subdomains, or of an address.";
        method(&format!("{ident}_under"), vec!["host: str".to_owned()], "rt.Selection", doc, body);
    }
}
