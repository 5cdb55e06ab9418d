use crate::load::*;
use rowkey_simulate::run::*;

#[test]
fn look() {
    for seed in 0..4 {
        let mut c = cluster(&settings(), seed);
        let i = tenths(&mut c, ROWS, key);
        println!("seq {:?}", regions(&i));
        for l in c.take_lines() {
            if let Line::Split(s) = l {
                println!(
                    "  {} at row {}",
                    s.t_ms,
                    u64::from_be_bytes({
                        let mut b = [0; 8];
                        let n = s.at.0.len().min(8);
                        b[..n].copy_from_slice(&s.at.0[..n]);
                        b
                    })
                );
            }
        }
        let last = i.last().unwrap();
        println!("  {:?}", last.regions.iter().map(|r| r.bytes as f64 / 8388608.0).collect::<Vec<_>>());
        let mut c = cluster(&settings(), seed);
        let i = tenths(&mut c, ROWS, hashed);
        println!("hashed {:?}", regions(&i));
    }
}
