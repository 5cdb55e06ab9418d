//! The legend: the colours, in parts of a server and in rows a second.

use maud::{Markup, html};

use super::scale::{CLASSES, class_words, count};
use super::{Capacity, Measure, Rate};

/// The legend of a page, for each measure, and, of a run, of what is marked.
pub(super) fn legend(capacity: Capacity, measures: &[Measure], has_marks: bool) -> Markup {
    html! {
        @for measure in measures {
            div class={ "legend " (measure.word()) } {
                p { (takes(*measure, capacity.of(*measure))) }
                (swatches(*measure, capacity.of(*measure)))
            }
        }
        @if has_marks {
            p class="marks" {
                svg class="mark" viewBox="0 0 24 12" aria-hidden="true" { path class="split" d="M4 6h16" {} }
                " a region was split "
                svg class="mark" viewBox="0 0 24 12" aria-hidden="true" { path class="move" d="M12 6h0" {} }
                " a region moved to another server"
            }
        }
    }
}

/// The rate that one server takes, in words.
pub(super) fn takes(measure: Measure, capacity: Rate) -> String {
    let assumed = if capacity.is_assumed { " (assumed)" } else { "" };
    match capacity.each.is_finite() {
        true => format!("One server takes {} {}/s{assumed}.", count(capacity.each), measure.word()),
        false => format!("One process takes all {}, however many.", measure.word()),
    }
}

fn swatches(measure: Measure, capacity: Rate) -> Markup {
    // An engine of one process has no parts of a server.
    let classes = if capacity.each.is_finite() { CLASSES } else { 2 };
    html! {
        ul {
            @for class in 0..classes {
                @let (part, rate) = class_words(class, capacity);
                li {
                    svg class="swatch" viewBox="0 0 1 1" aria-hidden="true" { rect class={ "c" (class) } width="1" height="1" {} }
                    span { (part) }
                    @if class > 0 { span class="muted" { (rate) " " (measure.word()) "/s" } }
                }
            }
        }
    }
}
