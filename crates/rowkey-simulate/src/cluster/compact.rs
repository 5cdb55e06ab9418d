//! Compactions: files become one.

use std::ops::{Bound, Range};

use super::compaction::select;
use super::constants::{
    BLOCKING_FILES, CLOSE_CHECK_BYTES, COMPACTION_MAX_FILES, COMPACTION_RATE, LARGE_COMPACTION, SECOND_MS, WRITE_MS,
    WRITE_RATE,
};
use super::due::{What, next_tick};
use super::file::File;
use super::merge::merged;
use super::state::{Cluster, Job};

impl Cluster {
    /// Queues a region for compaction (`CompactSplit.requestSystemCompaction`).
    pub(crate) fn request_compaction(&mut self, number: usize) {
        let region = &mut self.regions[number];
        if !std::mem::replace(&mut region.is_queued, true) {
            self.last_job += 1;
            let priority = BLOCKING_FILES.saturating_sub(region.files.len());
            self.servers[region.server].to_compact.insert((priority, self.last_job, number));
        }
        self.begin_compactions(self.regions[number].server);
    }

    /// Gives a server's free threads what is queued: large compactions to theirs, small ones to either.
    pub(crate) fn begin_compactions(&mut self, server: usize) {
        if self.servers[server].compacts == [true; 2] {
            return;
        }
        let mut after = Bound::Unbounded;
        while let Some(entry) = self.servers[server].to_compact.range((after, Bound::Unbounded)).next().copied() {
            after = Bound::Excluded(entry);
            let [small, large] = self.servers[server].compacts;
            if small && large {
                return;
            }
            let number = entry.2;
            let files = self.select_files(number);
            let bytes = self.regions[number].files[files.clone()].iter().map(|file| file.bytes);
            let bytes = bytes.fold(0, u64::saturating_add);
            let thread = usize::from(small || bytes > LARGE_COMPACTION);
            if thread == 1 && large && !files.is_empty() {
                continue;
            }
            self.servers[server].to_compact.remove(&entry);
            self.regions[number].is_queued = false;
            if !files.is_empty() {
                self.begin_compaction(number, files, bytes, thread);
            }
        }
    }

    fn begin_compaction(&mut self, number: usize, files: Range<usize>, bytes: u64, thread: usize) {
        self.last_job += 1;
        let job = self.last_job;
        let region = &mut self.regions[number];
        let is_of_all = files.len() == region.files.len();
        region.files[files].iter_mut().for_each(|file| file.job = Some(job));
        self.servers[region.server].compacts[thread] = true;
        self.jobs.insert(job, Job { region: number, thread, is_of_all });
        let held_ms = bytes / COMPACTION_RATE * SECOND_MS;
        let lasts_ms = WRITE_MS + held_ms.max(bytes / (WRITE_RATE / SECOND_MS));
        self.queue.push(self.now_ms.saturating_add(lasts_ms), (number, 0), What::Compacted(job));
    }

    /// The files that are compacted next; what has expired goes at once (`HStore.requestCompaction`,
    /// `SortedCompactionPolicy.selectCompaction`).
    fn select_files(&mut self, number: usize) -> Range<usize> {
        self.remove_expired(number);
        let region = &self.regions[number];
        let in_jobs = region.files_in_jobs();
        let first = region.files.iter().rposition(|file| file.job.is_some()).map_or(0, |last| last + 1);
        let candidates = &region.files[first..];
        let is_stuck = region.files.len() - in_jobs + usize::from(in_jobs > 0) >= BLOCKING_FILES;
        let is_major = region.wants_major && first == 0 && candidates.len() < COMPACTION_MAX_FILES;
        // Half files of the parent have to go, whatever their sizes.
        if is_major || candidates.iter().any(|file| file.is_reference) {
            return first..region.files.len().min(first + COMPACTION_MAX_FILES);
        }
        let sizes: Vec<u64> = candidates.iter().map(|file| file.bytes).collect();
        let selected = select(&sizes, self.compaction_min_size, is_stuck);
        first + selected.start..first + selected.end
    }

    /// Removes files whose rows have all expired, but never the newest (`DefaultStoreFileManager.getUnneededFiles`).
    fn remove_expired(&mut self, number: usize) {
        let since_s = self.since_s();
        self.has_changed(number);
        let region = &mut self.regions[number];
        let newest = region.files.len().saturating_sub(1);
        let mut place = 0..;
        let mut references = false;
        region.files.retain(|file| {
            let is_newest = place.next() == Some(newest);
            let stays = is_newest || file.job.is_some() || file.span_s.1 >= since_s;
            references |= !stays && file.is_reference;
            stays
        });
        if references {
            self.discharge_later(number);
        }
    }

    /// Lets compacted files of the parent go at the next tick (`CompactedHFilesDischarger`): till then the region can't
    /// be split (`HStore.hasReferences`).
    fn discharge_later(&mut self, number: usize) {
        let region = &mut self.regions[number];
        region.has_compacted_references = true;
        let phase_ms = self.servers[region.server].discharger_phase_ms;
        let at_ms = next_tick(self.now_ms, self.discharger_ms, phase_ms);
        self.queue.push(at_ms, self.epoch(number), What::Discharge);
    }

    /// Ends a compaction: a split, if one is due, else another compaction, if files block flushes
    /// (`CompactSplit.CompactionRunner.doCompaction`).
    pub(crate) fn end_compaction(&mut self, job: u64) {
        let Some(Job { region: number, thread, is_of_all }) = self.jobs.remove(&job) else { return };
        let server = self.regions[number].server;
        self.servers[server].compacts[thread] = false;
        self.replace_files(number, job, is_of_all);
        let is_blocked = self.regions[number].files.len() >= BLOCKING_FILES;
        if !self.request_split(number) && is_blocked {
            self.request_compaction(number);
        }
        self.flush_if_waiting(number);
        self.begin_compactions(server);
    }

    /// Puts one file in the place of those of a compaction.
    fn replace_files(&mut self, number: usize, job: u64, is_of_all: bool) {
        let keep = self.keep(number, false, is_of_all);
        self.has_changed(number);
        let region = &mut self.regions[number];
        let Some(first) = region.files.iter().position(|file| file.job == Some(job)) else { return };
        let count = region.files.iter().filter(|file| file.job == Some(job)).count();
        let files: Vec<File> = region.files.drain(first..first + count).collect();
        let parts: Vec<_> = files.iter().map(|file| (&*file.rows, file.range.clone())).collect();
        let rows = merged(&parts, keep);
        let has_references = files.iter().any(|file| file.is_reference);
        drop(files);
        let file = File::new(rows, self.format, self.now_ms);
        if let Some(file) = file {
            region.files.insert(first, File { is_of_all, ..file });
        }
        region.wants_major &= !is_of_all;
        region.sequence_id += 1;
        if has_references {
            self.discharge_later(number);
        }
        self.schedule_check(number);
    }

    /// Ends or gives up a region's compactions, as it closes.
    pub(crate) fn stop_compactions(&mut self, number: usize) {
        let server = self.regions[number].server;
        let region = &self.regions[number];
        let jobs: Vec<_> =
            self.jobs.iter().filter(|(_, job)| job.region == number).map(|(id, job)| (*id, *job)).collect();
        let bytes_of = |id| region.files.iter().filter(|file| file.job == Some(id)).map(|file| file.bytes).sum::<u64>();
        let small: Vec<bool> = jobs.iter().map(|(id, _)| bytes_of(*id) < CLOSE_CHECK_BYTES).collect();
        for ((id, job), is_small) in jobs.into_iter().zip(small) {
            self.jobs.remove(&id);
            self.servers[server].compacts[job.thread] = false;
            if is_small {
                self.replace_files(number, id, job.is_of_all);
            }
        }
        let region = &mut self.regions[number];
        region.files.iter_mut().for_each(|file| file.job = None);
        region.is_queued = false;
        self.servers[server].to_compact.retain(|(_, _, queued)| *queued != number);
        self.begin_compactions(server);
    }
}
