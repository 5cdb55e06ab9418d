//! What happens to the hottest region under the load: it moves, is split, its parts are merged, and its server is killed.

use std::time::Duration;

use hbase_client::{Admin, Client, Region, ServerName, Table};
use rowkey_hbase_testkit::Cluster;
use rowkey_simulate::recording::Run;

use super::design::{Designed, ROWS_PER_SECOND};
use super::load::Load;

/// The rows that are written in the time of two readings: what has happened before is seen alone.
const READ: u64 = 6 * ROWS_PER_SECOND;

/// The faults that were made.
pub(super) struct Made {
    split: &'static [u8],
    moved: [ServerName; 2],
    killed: ServerName,
}

/// The region that has a key, and its server.
async fn region_of(table: &Table, key: &[u8]) -> (Region, Option<ServerName>) {
    let regions = table.regions().await.unwrap();
    regions.into_iter().rfind(|(region, _)| region.start() <= key).unwrap()
}

/// Waits until each region is told to be on a server that lives.
pub(super) async fn all_are_open(admin: &Admin, table: &Table) {
    loop {
        let (servers, regions) = (admin.servers().await.unwrap(), table.regions().await.unwrap());
        if regions.iter().all(|(_, server)| server.as_ref().is_some_and(|server| servers.contains(server))) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Makes them one after the other, with some load after each.
pub(super) async fn make(client: &Client, cluster: &Cluster, designed: &Designed, load: &Load) -> Made {
    let (admin, table) = (client.admin(), client.table(designed.table));
    let moved = move_hottest(&admin, &table, designed).await;
    load.goes_on(READ).await;

    admin.flush(designed.table).await.unwrap();
    admin.split(&region_of(&table, designed.hot).await.0, designed.split).await.unwrap();
    load.goes_on(READ).await;
    // Parts that still refer to the files of the whole are not merged.
    loop {
        let parts = [region_of(&table, designed.hot).await.0, region_of(&table, designed.split).await.0];
        if admin.merge(&parts).await.is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    all_are_open(&admin, &table).await;
    load.goes_on(READ).await;

    let killed = region_of(&table, designed.split).await.1.unwrap();
    let mut servers = (1..=3).map(|number| cluster.region_server(number));
    let process = servers.find(|server| server.address() == *killed.address()).unwrap();
    process.signal("-KILL");
    process.ends().await;
    process.start(&[]).await;
    all_are_open(&admin, &table).await;
    load.goes_on(READ).await;
    while admin.servers().await.unwrap().len() < 3 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Made { split: designed.split, moved, killed }
}

async fn move_hottest(admin: &Admin, table: &Table, designed: &Designed) -> [ServerName; 2] {
    let (hottest, from) = region_of(table, designed.hot).await;
    let (from, servers) = (from.unwrap(), admin.servers().await.unwrap());
    let to = servers.into_iter().find(|server| *server != from).unwrap();
    admin.move_region(&hottest, Some(&to)).await.unwrap();
    while region_of(table, designed.hot).await.1.as_ref() != Some(&to) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    [from, to]
}

impl Made {
    pub(super) fn words(&self) -> String {
        let [from, to] = self.moved.each_ref().map(ServerName::address);
        let at: String = self.split.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("moved from {from} to {to}, split at {at}, merged, {} killed", self.killed.address())
    }

    /// The run tells of each.
    pub(super) fn are_told(&self, run: &Run) {
        let name = |server: u32| &run.settings.server_names[server as usize];
        let [from, to] = self.moved.each_ref().map(|server| server.address().to_string());
        let is_moved = run.moves.iter().any(|moved| *name(moved.from) == from && *name(moved.to) == to);
        assert!(is_moved, "{from} to {to}: {:?}", run.moves);
        let [split] = &run.splits[..] else { panic!("{:?}", run.splits) };
        let [merge] = &run.merges[..] else { panic!("{:?}", run.merges) };
        assert_eq!(
            (&*split.at.0, &*merge.start.0, &merge.others[..]),
            (self.split, &*split.start.0, &[split.at.clone()][..])
        );
        let killed = self.killed.address().to_string();
        assert!(run.restarts.iter().any(|restart| *name(restart.server) == killed), "{killed}: {:?}", run.restarts);
    }
}
