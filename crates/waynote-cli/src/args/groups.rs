//! The help of `waynote` itself, with its commands in groups, and the examples below the help of each command.

use clap::{Command, CommandFactory};

use super::Cli;

/// The commands that a person needs every day, which `waynote --help` shows.
const DAILY: &str = "start status note show edit ls search context undo mv loop answer doctor ui";

/// The groups of all commands; what only machines call and what a package brings stands last.
const GROUPS: [(&str, &str); 7] = [
    ("Every day", DAILY),
    (
        "Notes",
        "place key share trust browse history diff cp redo forget stale confirm tend",
    ),
    ("Loops", "log session demo"),
    ("Agents", "install uninstall plugin why pause"),
    ("Server", "serve token"),
    (
        "Store",
        "import export backup restore verify copy stores config completions help",
    ),
    ("For programs and packages", "mcp hook man licences"),
];

/// Each command with two examples, which its help ends with.
const EXAMPLES: &str = include_str!("examples.txt");

/// The commands with what only their help shows: those of every day, or all in groups.
pub(crate) fn with_groups(is_all: bool) -> Command {
    let mut root = Cli::command();
    let groups = match is_all {
        true => groups(&root, &GROUPS),
        false => {
            groups(&root, &[("Commands", DAILY)])
                + "`waynote help --all` lists every command, `waynote help COMMAND` explains one.\n\n"
        }
    };
    let mut lines = EXAMPLES.lines();
    while let (Some(name), Some(one), Some(two)) = (lines.next(), lines.next(), lines.next()) {
        if root.find_subcommand(name).is_some() {
            let examples = format!("Examples:\n{one}\n{two}");
            root = root.mut_subcommand(name, |command| command.after_help(examples));
        }
    }
    root.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\u{1b}[1;4mOptions:\u{1b}[0m\n{{options}}"
    ))
}

fn groups(root: &Command, groups: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (title, names) in groups {
        text += &format!("\u{1b}[1;4m{title}:\u{1b}[0m\n");
        for command in names.split(' ').filter_map(|of| root.find_subcommand(of)) {
            let about = command.get_about().map(ToString::to_string);
            let (name, about) = (command.get_name(), about.unwrap_or_default());
            text += &format!("  {name:<12} {about}\n");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::printed::parses;
    use super::*;

    #[test]
    fn every_command_is_in_a_group_and_has_examples_that_can_be_typed() {
        let root = with_groups(true);
        for command in root.get_subcommands().filter(|of| !of.is_hide_set()) {
            let name = command.get_name();
            let has_none = ["demo", "licences"].contains(&name);
            assert!(command.get_after_help().is_some() || has_none, "{name}");
            let mut named = GROUPS.iter().flat_map(|(_, names)| names.split(' '));
            assert!(named.any(|of| of == name), "{name} is in no group");
        }
        for example in EXAMPLES.lines().filter_map(|line| line.strip_prefix("  ")) {
            let example = example.split(" < ").next().unwrap_or_default();
            assert_eq!(parses(example), Ok(()), "{example}");
        }
    }
}
