use super::load::Load;
use super::{rounds, spread};
use crate::options;

#[tokio::test]
#[ignore = "needs a server"]
async fn regions_move_under_the_load() {
    let (client, load) = Load::start("faults_moves", options()).await;
    let table = load.table.clone();
    load.run(async {
        for turn in 0..3 * rounds() {
            spread(&client, &table, turn).await;
        }
    })
    .await;
    println!("{:?}", client.counters());
}

#[tokio::test]
#[ignore = "needs a server"]
async fn regions_are_split_and_merged_under_the_load() {
    let (client, load) = Load::start("faults_split", options()).await;
    let table = load.table.clone();
    load.run(async {
        let (mut splits, mut merges) = (0, 0);
        for round in 0..4 * rounds() {
            let regions = table.regions().await.unwrap();
            let at = format!("fixed{:05}", (123 + 171 * round) % 2000);
            let here = regions.iter().find(|(region, _)| region.contains(at.as_bytes())).unwrap();
            splits += usize::from(client.admin().split(&here.0, at).await.is_ok());
            // A region that was just split has references to its parent's files, and may refuse to be merged.
            let regions = table.regions().await.unwrap();
            let at = round % (regions.len() - 1);
            let two = [regions[at].0.clone(), regions[at + 1].0.clone()];
            merges += usize::from(client.admin().merge(&two).await.is_ok());
        }
        assert!(splits >= rounds() && merges >= rounds(), "{splits} splits, {merges} merges");
        println!("{splits} splits, {merges} merges");
    })
    .await;
    println!("{:?}", client.counters());
}
