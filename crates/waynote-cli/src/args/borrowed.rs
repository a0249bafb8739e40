//! Commands that other programs have, and what does the same here.

/// What is typed, and what fits.
const BORROWED: &str = include_str!("borrowed.txt");

/// The rows of the table, and those for what is typed after `waynote log`, whose entries stay.
fn rows(of_log: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    let (all, log) = BORROWED.split_once("[log]").unwrap_or((BORROWED, ""));
    let rows = if of_log { log } else { all };
    rows.lines().filter_map(|row| row.split_once(" | "))
}

/// What fits instead of a command that is not there. `above` is the command before it.
pub(super) fn instead(above: &str, typed: &str) -> Option<&'static str> {
    let of_log = rows(true).filter(|_| above == "log");
    let typed = typed.to_lowercase();
    let mut rows = of_log.chain(rows(false));
    let row = rows.find(|(words, _)| words.split(' ').any(|word| word == typed));
    row.map(|(_, fits)| fits)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn every_command_that_is_named_is_there() {
        let mut root = crate::args::Cli::command();
        root.build();
        for (_, fits) in rows(false).chain(rows(true)) {
            for named in fits.split('`').skip(1).step_by(2) {
                let mut words = named.split(' ');
                if words.next() != Some("waynote") {
                    continue;
                }
                let is_command = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase());
                words.take_while(is_command).fold(&root, |above, word| {
                    let below = above.find_subcommand(word);
                    let below = below.or((!above.has_subcommands()).then_some(above));
                    below.unwrap_or_else(|| panic!("`{named}` is no command"))
                });
            }
        }
    }
}
