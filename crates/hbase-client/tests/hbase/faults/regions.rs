use rowkey_hbase_testkit::spread;

use super::load::Load;
use super::rounds;
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
    // A region that was split or merged refuses to be so again until it has been compacted: each is taken once.
    let splits: Vec<_> = (0..2000).step_by(50).map(|row| format!("fixed{row:05}")).collect();
    let splits: Vec<_> = splits.iter().map(String::as_str).collect();
    let (client, load) = Load::start_with("faults_split", options(), &splits).await;
    let (table, admin) = (load.table.clone(), client.admin());
    let at = async |key: &str| {
        let regions = table.regions().await.unwrap().into_iter();
        regions.map(|(region, _)| region).find(|region| region.contains(key.as_bytes())).unwrap()
    };
    load.run(async {
        for round in 0..rounds().min(6) {
            for third in [2 * round, 2 * round + 1] {
                let row = |row: usize| format!("fixed{:05}", 150 * third + row);
                admin.split(&at(&row(0)).await, row(25)).await.unwrap();
                admin.merge(&[at(&row(50)).await, at(&row(100)).await]).await.unwrap();
            }
            if round < 4 {
                let writer = format!("w{round}-00000100");
                admin.split(&at(&writer).await, &writer).await.unwrap();
            }
            if round == 0 {
                admin.merge(&[at("c").await, at("c1").await]).await.unwrap();
            }
        }
    })
    .await;
    println!("{:?}", client.counters());
}
