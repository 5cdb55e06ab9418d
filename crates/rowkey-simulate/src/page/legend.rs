//! The legend: the colours, in parts of a server and in rows a second, and the marks.

use maud::{Markup, html};

use super::scale::{CLASSES, class_words, count};
use super::{Capacity, Measure, Rate};

/// The legend of the colours of a page, for each measure.
pub(super) fn legend(capacity: Capacity, measures: &[Measure]) -> Markup {
    html! {
        @for measure in measures {
            div class={ "legend " (measure.word()) } {
                p {
                    (takes(*measure, capacity))
                    @if capacity.of(*measure).each.is_finite() { " A colour is a part of that." }
                }
                (swatches(capacity.of(*measure)))
            }
        }
    }
}

/// The marks of a picture: a class of styles, its path in a box of 24 by 12, and the words for it.
pub(super) fn marks(marks: &[(&str, &str, &str)]) -> Markup {
    html! {
        p class="marks" {
            @for (class, path, words) in marks {
                span { svg class="mark" viewBox="0 0 24 12" aria-hidden="true" { path class=(class) d=(path) {} } " " (words) }
                " "
            }
        }
    }
}

/// The rate that one server takes, in words.
pub(super) fn takes(measure: Measure, capacity: Capacity) -> String {
    let (Rate { each, is_assumed }, word, unit) = (capacity.of(measure), measure.word(), capacity.unit(measure));
    let assumed = if is_assumed { " (assumed)" } else { "" };
    match each.is_finite() {
        true => format!("One server takes {} {unit}/s{assumed}.", count(each)),
        // Of one process there is no rate of writes either.
        false if capacity.writes.each.is_infinite() => format!("One process takes all {word}, however many."),
        false => format!("Nobody says how many {word} one server takes: say `region.{word}` of the cluster."),
    }
}

fn swatches(capacity: Rate) -> Markup {
    // An engine of one process has no parts of a server.
    let classes = if capacity.each.is_finite() { CLASSES } else { 2 };
    html! {
        ul {
            @for class in 0..classes {
                @let (part, rate) = class_words(class, capacity);
                li {
                    svg class="swatch" viewBox="0 0 1 1" aria-hidden="true" { rect class={ "c" (class) } width="1" height="1" {} }
                    span { (part) }
                    span class="muted" { (rate) @if class == 0 || capacity.each.is_finite() { "/s" } }
                }
            }
        }
    }
}
