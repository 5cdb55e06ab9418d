use std::collections::{BTreeMap, BTreeSet};

use indicatif::HumanCount;

use crate::links::{Data, arguments, debian, files, sample, table};
use crate::{nobody_reads, number, output, run, told};

/// The search that is asked for.
struct Search<'d> {
    data: &'d Data,
    needs: bool,
    without: &'d [&'d str],
    /// Those that a package links to, and that link to it.
    others: BTreeMap<&'d str, [BTreeSet<&'d str>; 2]>,
}

impl<'d> Search<'d> {
    fn new(data: &'d Data, needs: bool, without: &'d [&'d str]) -> Self {
        let mut others = BTreeMap::<&str, [BTreeSet<&str>; 2]>::new();
        for name in data.packages.keys() {
            others.entry(name).or_default();
        }
        for (from, to) in &data.links {
            others.entry(from).or_default()[0].insert(to);
            others.entry(to).or_default()[1].insert(from);
        }
        Self { data, needs, without, others }
    }

    /// The rows that a step from a package reads.
    fn rows(&self, package: &str, forward: bool) -> Vec<&'d str> {
        let [out, into] = &self.others[package];
        let (out, into) = match (self.needs, forward) {
            (false, _) => (Some(out), Some(into)),
            (true, true) => (Some(out), None),
            (true, false) => (None, Some(into)),
        };
        out.into_iter().chain(into).flatten().copied().collect()
    }

    /// How far all packages are from one, by breadth-first search.
    fn distances(&self, from: &'d str, forward: bool) -> BTreeMap<&'d str, usize> {
        let mut distances = BTreeMap::from([(from, 0)]);
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(package) = queue.pop_front() {
            for other in self.rows(package, forward) {
                if !self.without.contains(&other) && !distances.contains_key(other) {
                    distances.insert(other, distances[package] + 1);
                    queue.push_back(other);
                }
            }
        }
        distances
    }

    fn check(&self, out: &str, from: &str, to: &str) {
        let key = |name: &str| *self.others.get_key_value(name).unwrap().0;
        let (ahead, back) = (self.distances(key(from), true), self.distances(key(to), false));
        let mut path = Vec::new();
        if let Some(mut steps) = back.get(from).copied() {
            path.push(key(from));
            while steps > 0 {
                steps -= 1;
                let next =
                    self.rows(path[path.len() - 1], true).into_iter().filter(|name| back.get(name) == Some(&steps));
                path.push(next.min().unwrap());
            }
        }
        let mut lines: Vec<String> = Vec::new();
        for (i, name) in path.iter().enumerate() {
            let step = match i.checked_sub(1).map(|i| self.others[path[i]][0].contains(name)) {
                None => "",
                Some(true) => "depends on ",
                Some(false) => "is needed by ",
            };
            let known = self.data.packages.get(*name);
            let known =
                known.map(|(version, section, kib)| format!("  ({version}, {section}, {} KiB)", HumanCount(*kib)));
            lines.push(format!("{step}{name}{}", known.unwrap_or_default()));
        }
        if path.is_empty() {
            lines.push("there is none".to_owned());
        }
        let levels = table(out, "The levels that were read: a scan each");
        for how in ["both ends".to_owned(), format!("{from} alone")] {
            let told = told(out, &format!("The shortest path from {from} to {to}, from {how}"));
            assert_eq!(told.lines, lines, "{how}");
            assert_eq!((told.rows, told.cells), (path.len() as u64, path.len() as u64));

            // Each level that was read is one of plain search, read whole by one range a package.
            let mut depths = [0, 0];
            let (mut links, mut packages) = (0, 0);
            let level = |side: usize, depth: usize| {
                let found = if side == 0 { &ahead } else { &back };
                let level: Vec<_> = found.iter().filter(|(_, at)| **at == depth).map(|(name, _)| *name).collect();
                let rows: usize = level.iter().map(|name| self.rows(name, side == 0).len()).sum();
                (level.len() as u64, rows as u64)
            };
            // Each level that the cheaper end is chosen by has the numbers of its packages' links read, once.
            let mut counted = BTreeSet::new();
            for row in levels.iter().filter(|row| row[0] == how) {
                let [size, read, found] = [row[2], row[3], row[4]].map(number);
                let costs = [level(0, depths[0]), level(1, depths[1])];
                let side = if how == "both ends" { usize::from(costs[1].1 < costs[0].1) } else { 0 };
                if how == "both ends" {
                    counted.extend([(0, depths[0]), (1, depths[1])]);
                }
                assert_eq!(row[1], [from, to][side], "{how}: the end that costs less goes on");
                assert_eq!((size, read), costs[side]);
                depths[side] += 1;
                assert_eq!(found, level(side, depths[side]).0);
                (links, packages) = (links + read, packages + size);
            }
            let counts: u64 = counted.into_iter().map(|(side, depth)| level(side, depth).0).sum();
            assert_eq!(told.rows_read, links + counts, "{how}");
            assert!(told.seeks <= packages + counts, "{how}");
            if !path.is_empty() {
                assert_eq!(depths[0] + depths[1], path.len() - 1);
            }
        }
    }
}

#[test]
fn the_sample() {
    let data = sample();
    let (first, last) = (data.packages.keys().next().unwrap(), data.packages.keys().next_back().unwrap());
    Search::new(&data, false, &[]).check(&output("friends", &[""; 0]), first, last);

    let names: Vec<&String> = data.packages.keys().collect();
    let without = [&[][..], &["libc6"], &["libc6", "libgcc-s1", "libstdc++6"]];
    for (i, without) in without.into_iter().enumerate() {
        for needs in [false, true] {
            let search = Search::new(&data, needs, without);
            // From a package to the farthest that it reaches, and to one that is as good as any other.
            let mut from = names[i * 331..].iter().filter(|name| !without.contains(&name.as_str()));
            let from = from.find(|name| search.rows(name, true).len() > 1).unwrap();
            let distances = search.distances(from, true);
            let farthest = distances.iter().max_by_key(|(_, distance)| **distance).unwrap().0;
            for to in [farthest, names[i * 577 + 400].as_str()] {
                let mut args = vec![from.as_str(), to];
                args.extend(needs.then_some("--needs"));
                args.extend(without.iter().flat_map(|name| ["--without", name]));
                search.check(&output("friends", &args), from, to);
            }
        }
    }
}

#[test]
fn all_packages() {
    let Some((paths, [packages, links])) = debian() else { return };
    let data = Data::read(&packages, &links);
    let (first, last) = (data.packages.keys().next().unwrap(), data.packages.keys().next_back().unwrap());
    Search::new(&data, false, &[]).check(&output("friends", &arguments(&paths, &[])), first, last);
}

const PACKAGES: &str = "package\tversion\tsection\tinstalled_kib\n";

#[test]
fn equal_paths_loops_and_ends() {
    // Two diamonds one after the other, an island, a package that is in no index, a link to itself.
    let links = "package\tdepends_on\na\tb\na\tc\nb\td\nc\td\nd\té\nd\tf\né\tg\nf\tg\nx\ty\na\ta\ng\ta\nq\tab\n";
    let packages = format!("{PACKAGES}a\t1\tlibs\t1\ng\t1\tlibs\t1000\nlone\t1\tlibs\t1\nx\t1\tlibs\t1\n");
    let files = files("friends-made", &packages, links);
    let data = Data::read(&packages, links);
    for needs in [false, true] {
        let search = Search::new(&data, needs, &[]);
        for (from, to) in
            [("a", "g"), ("g", "a"), ("b", "f"), ("a", "a"), ("a", "x"), ("x", "a"), ("lone", "a"), ("a", "lone")]
        {
            let mut args = vec![from, to];
            args.extend(needs.then_some("--needs"));
            search.check(&output("friends", &arguments(&files, &args)), from, to);
        }
    }
    let without = ["b", "f"];
    let args = ["a", "g", "--needs", "--without", "b", "--without", "f"];
    Search::new(&data, true, &without).check(&output("friends", &arguments(&files, &args)), "a", "g");

    for (args, error) in [
        (&["a", "nobody"][..], "error: there is no package nobody\n"),
        (&["nobody", "a"], "error: there is no package nobody\n"),
        (&["a", "g", "--without", "nobody"], "error: there is no package nobody\n"),
        (&["a", "g", "--without", "g"], "error: a path that begins or ends with g goes through it\n"),
    ] {
        let run = run("friends", &arguments(&files, args), b"");
        assert_eq!((run.status.code(), run.stderr.as_str()), (Some(1), error));
    }
}

#[test]
fn nothing_is_no_failure() {
    let files = files("friends-nothing", PACKAGES, "package\tdepends_on\n");
    assert!(output("friends", &arguments(&files, &[])).starts_with("0 packages"));
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("friends", &[""; 0]);
}
