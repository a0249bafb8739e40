//! Sharing a token budget: every section is sure of a share, and the others can use what it does not need.

/// Divides a number of tokens among sections in order: each gets what it asks for, up to its share (in percent). The
/// rest goes to the sections that ask for more, in order. `asks` returns what a section asks for, and may stop counting
/// once that exceeds a given number.
pub(super) fn share_out(
    total: usize,
    percent: &[usize],
    asks: &mut dyn FnMut(usize, usize) -> usize,
) -> Vec<usize> {
    let mut given = Vec::new();
    for (index, percent) in percent.iter().enumerate() {
        let share = total * percent / 100;
        given.push(asks(index, share).min(share));
    }
    let mut left = total - given.iter().sum::<usize>();
    for (index, given) in given.iter_mut().enumerate() {
        let more = asks(index, *given + left).saturating_sub(*given).min(left);
        *given += more;
        left -= more;
    }
    given
}

/// Tokens move between sections in steps of this size, so that one more note in a section seldom changes the others.
pub(super) fn step(total: usize) -> usize {
    (total / 16).max(1)
}

/// How many of the latest notes to keep when only the first `fits` of a longer list fit.
///
/// Dropping the oldest for every new one would change the block from that place on at every write. So up to a quarter
/// of them is dropped at once: the list begins at the roundest number there is in that quarter, which stays the
/// roundest for a while as notes are added. `rank` gives a number for each place in the list that falls from note to
/// note and does not change when notes are added: a time. Lists that go by the same clock often make room together.
pub(super) fn steady(fits: usize, rank: impl Fn(usize) -> u128) -> usize {
    let least = fits - fits / 4;
    if least == fits || least == 0 {
        return fits;
    }
    let begin = roundest(rank(fits - 1), rank(least - 1));
    let kept = (0..fits).take_while(|place| rank(*place) >= begin).count();
    kept.max(least)
}

/// The number from `low` to `high` that the highest power of two divides.
fn roundest(low: u128, high: u128) -> u128 {
    if low == 0 || low >= high {
        return low;
    }
    // The highest bit in which the number before the first and the last differ.
    let bit = 127 - ((low - 1) ^ high).leading_zeros();
    (high >> bit) << bit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_shares_flow_on_in_order() {
        let shared = |total, asked: [usize; 4]| {
            share_out(total, &[30, 30, 25, 15], &mut |index, _| asked[index])
        };
        assert_eq!(shared(1000, [100, 200, 50, 50]), [100, 200, 50, 50]);
        assert_eq!(shared(1000, [900, 900, 900, 900]), [300, 300, 250, 150]);
        assert_eq!(shared(1000, [0, 900, 900, 100]), [0, 650, 250, 100]);
        assert_eq!(shared(1000, [0, 0, 0, 5000]), [0, 0, 0, 1000]);
        assert_eq!(shared(3, [9, 9, 9, 9]), [3, 0, 0, 0]);
    }

    #[test]
    fn the_roundest_number_is_the_one_with_most_zeros() {
        for low in 1..200_u128 {
            for high in low..200 {
                let best = (low..=high).max_by_key(|number| number.trailing_zeros());
                let best = best.map(u128::trailing_zeros);
                assert_eq!(
                    Some(roundest(low, high).trailing_zeros()),
                    best,
                    "{low} {high}"
                );
                assert!((low..=high).contains(&roundest(low, high)));
            }
        }
        assert_eq!(roundest(0, 9), 0);
    }

    #[test]
    fn a_full_list_makes_room_in_steps() {
        // 20 fit; the oldest shown changes seldom while 200 notes are added, and never fewer than 15 are shown.
        let mut changes = 0;
        let mut oldest = None;
        for count in 20..220_u128 {
            let kept = steady(20, |place| count - place as u128);
            assert!((15..=20).contains(&kept));
            let begins = count - kept as u128;
            changes += u32::from(oldest.replace(begins) != Some(begins));
        }
        assert!(changes <= 60, "{changes}");
        assert_eq!(steady(3, |place| 3 - place as u128), 3);
        assert_eq!(steady(0, |_| 0), 0);
    }
}
