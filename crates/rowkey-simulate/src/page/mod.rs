//! A run as a picture: key range × time as a heat map, coloured by what one server takes, as a page of HTML, as SVG, and
//! as blocks in a terminal.

mod label;

pub use self::label::{label, labels};
