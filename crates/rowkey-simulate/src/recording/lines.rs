//! A run as its lines.

use super::Run;
use crate::run::{Answer, Line};

impl Run {
    /// The lines of a simulated or watched run, in the order of time, and its answer last.
    pub fn lines(&self, answer: Option<&Answer>) -> impl Iterator<Item = Line> + use<> {
        let mut lines: Vec<(u64, Line)> = Vec::new();
        lines.extend(self.splits.iter().map(|split| (split.t_ms, Line::Split(split.clone()))));
        lines.extend(self.moves.iter().map(|moved| (moved.t_ms, Line::Move(moved.clone()))));
        lines.extend(self.merges.iter().map(|merge| (merge.t_ms, Line::Merge(merge.clone()))));
        lines.extend(self.recreations.iter().map(|of| (of.t_ms, Line::Recreation(*of))));
        lines.extend(self.restarts.iter().map(|restart| (restart.t_ms, Line::Restart(*restart))));
        lines.extend(self.silences.iter().map(|silence| (silence.t_ms, Line::Silence(*silence))));
        lines.extend(self.intervals.iter().map(|interval| (interval.t_ms, Line::Interval(interval.clone()))));
        lines.sort_by_key(|(t_ms, _)| *t_ms);
        let lines = lines.into_iter().map(|(_, line)| line);
        let answer = answer.map(|answer| Line::Answer(Box::new(answer.clone())));
        std::iter::once(Line::Settings(Box::new(self.settings.clone()))).chain(lines).chain(answer)
    }
}
