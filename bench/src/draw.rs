//! The picture of how costs grow.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use plotters::prelude::*;

use crate::growth;
use crate::measure::{Line, OURS};

const SIZE: (u32, u32) = (1000, 720);
const COLORS: [RGBColor; 4] =
    [RGBColor(0x1f, 0x77, 0xb4), RGBColor(0x9e, 0xca, 0xe1), RGBColor(0xd6, 0x27, 0x28), RGBColor(0xf4, 0xa5, 0x82)];

/// A curve's name and its points, x and nanoseconds.
type Curve<'l> = (String, Vec<(f64, f64)>);

/// Draws four panels, each over what it grows with.
pub fn draw(json: &Path, svg: &Path) -> Result<()> {
    let open = || File::open(json).with_context(|| json.display().to_string());
    let lines: Vec<Line> =
        BufReader::new(open()?).lines().map(|line| Ok(serde_json::from_str(&line?)?)).collect::<Result<_>>()?;
    let root = SVGBackend::new(svg, SIZE).into_drawing_area();
    let panels: [(&str, &[&str]); 4] = [
        ("ns a key over bytes of its text", &growth::KEY_LENGTH),
        ("ns a key over fields of u64", &growth::FIELDS),
        ("ns a row over buckets", &growth::BUCKETS),
        ("ns a row over rows in Memory", &growth::ROWS),
    ];
    root.fill(&WHITE)?;
    for (area, (title, works)) in root.split_evenly((2, 2)).iter().zip(panels) {
        panel(area, title, &curves(&lines, works))?;
    }
    root.present()?;
    Ok(())
}

fn curves(lines: &[Line], works: &[&str]) -> Vec<Curve<'static>> {
    let mut curves = BTreeMap::<_, Vec<_>>::new();
    for line in lines {
        let place = works.iter().position(|work| *work == line.work);
        if let (Some(place), Some(x), Some(ns)) = (place, line.x, line.ns) {
            curves.entry((place, line.who != OURS, &line.who)).or_default().push((x as f64, ns));
        }
    }
    let name = |place: usize, who: &str| {
        let what: &str = works[place].trim_start_matches("growth: ");
        let what = what.rsplit_once(", ").map_or(what, |(what, _)| what);
        if who == OURS { what.to_owned() } else { format!("{what}, {who}") }
    };
    curves.into_iter().map(|((place, _, who), points)| (name(place, who), points)).collect()
}

/// Curves over logarithmic axes.
fn panel(area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>, title: &str, curves: &[Curve<'_>]) -> Result<()> {
    let points = || curves.iter().flat_map(|(_, points)| points);
    ensure!(points().next().is_some(), "there is nothing of {title:?}: was growth left out?");
    let span = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
    };
    let (left, right) = span(&mut points().map(|point| point.0));
    let (low, high) = span(&mut points().map(|point| point.1.log10()));
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 17))
        .margin(12)
        .x_label_area_size(26)
        .y_label_area_size(48)
        .build_cartesian_2d(
            (left..right).log_scale(),
            (10f64.powf(low.floor())..10f64.powf(high.ceil())).log_scale(),
        )?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_labels(6)
        .x_label_formatter(&short)
        .y_label_formatter(&short)
        .label_style(("sans-serif", 12))
        .draw()?;
    for ((name, points), color) in curves.iter().zip(COLORS.into_iter().cycle()) {
        let series = LineSeries::new(points.iter().copied(), color.stroke_width(2)).point_size(3);
        let anno = chart.draw_series(series)?;
        anno.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .label_font(("sans-serif", 12))
        .draw()?;
    Ok(())
}

/// 64k, 10M.
fn short(value: &f64) -> String {
    let units = [(1e6, "M"), (1e3, "k"), (1.0, "")];
    let (size, unit) = units.into_iter().find(|(size, _)| value >= size).unwrap_or((1.0, ""));
    format!("{}{unit}", (value / size * 100.0).round() / 100.0)
}
