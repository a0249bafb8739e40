//! A network that is cut, slow, torn and half closed between the writers and their server.

use std::time::Duration;

use waynote_postgres::Options;
use waynote_test_postgres::{Cluster, Does, Proxy, has_postgres, skipped, store_at};
use waynote_testing::Dice;

use super::writers::{rounds, threads_write_under, until};

#[test]
fn a_network_that_breaks_loses_nothing() {
    if !has_postgres() {
        return skipped("a_network_that_breaks_loses_nothing");
    }
    let mut dice = Dice::thrown("partition");
    let cluster = Cluster::tcp();
    let proxy = Proxy::start(cluster.port());
    let options = Options::of_url(&store_at("waynote", proxy.port())).unwrap();
    let (second, answer) = (Duration::from_secs(1), Duration::from_millis(600));
    let options = options.connect(second).wait(3 * second).answer(answer);
    let (writes, (longest, failures)) = threads_write_under(
        4,
        |_| options.clone(),
        Duration::ZERO,
        |writers| {
            writers.until_each_has_more(3);
            // A prepared statement goes by its name: only these are sent as text each time.
            let words = ["BEGIN", "COMMIT"];
            for _ in 0..rounds() {
                let mut word = || words[dice.below(2) as usize].into();
                let once = [
                    Does::CutBefore(word()),
                    Does::CutAfter(word()),
                    Does::Tear,
                    Does::EndOfClient,
                    Does::EndOfServer,
                ];
                for does in once {
                    let before = proxy.cuts();
                    proxy.does(does.clone());
                    until("nothing was cut", || proxy.cuts() > before);
                    writers.until_each_has_more(1);
                }
                proxy.does(Does::Far(Duration::from_millis(1 + dice.below(60))));
                writers.until_each_has_more(2);
                proxy.does(Does::Nothing);
                // Some answers come too late, some in time.
                std::thread::sleep(Duration::from_millis(dice.below(2_000)));
                proxy.does(Does::Forward);
                writers.until_each_has_more(2);
            }
            (writers.longest(), writers.failures())
        },
    );
    eprintln!(
        "{} cuts and {} partitions, {writes} acknowledged writes, each there once; the longest wait {longest:.1?}; \
         errors {failures:?}",
        proxy.cuts(),
        rounds()
    );
}
