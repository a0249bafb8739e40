//! The help of `waynote` itself, with its commands in groups, and the examples below the help of each command.

use clap::{Command, CommandFactory};

use super::Cli;

/// The groups of commands. The first one has those that no other names.
const GROUPS: [(&str, &str); 5] = [
    ("Notes", ""),
    ("Loops", "loop answer log session demo"),
    (
        "Agents",
        "start install uninstall plugin doctor mcp hook why pause",
    ),
    ("Page and server", "ui serve token"),
    (
        "Store",
        "import export backup restore verify copy stores config completions man licences help",
    ),
];

/// Each command with two examples, which its help ends with.
const EXAMPLES: &str = include_str!("examples.txt");

/// The commands with what only their help shows.
pub(crate) fn with_groups() -> Command {
    let mut root = Cli::command();
    let groups = groups(&root);
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

fn groups(root: &Command) -> String {
    let visible = || {
        root.get_subcommands()
            .filter(|command| !command.is_hide_set())
    };
    let is_named = |name: &str| {
        let mut named = GROUPS.iter().flat_map(|(_, names)| names.split(' '));
        named.any(|of| of == name)
    };
    let mut text = String::new();
    for (title, names) in GROUPS {
        text += &format!("\u{1b}[1;4m{title}:\u{1b}[0m\n");
        for command in visible() {
            let name = command.get_name();
            let is_here = match names {
                "" => !is_named(name),
                _ => names.split(' ').any(|of| of == name),
            };
            if is_here {
                let about = command.get_about().map(ToString::to_string);
                text += &format!("  {name:<12} {}\n", about.unwrap_or_default());
            }
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
    fn every_command_has_examples_that_can_be_typed() {
        let root = with_groups();
        for command in root.get_subcommands().filter(|of| !of.is_hide_set()) {
            let name = command.get_name();
            let has_none = ["demo", "licences"].contains(&name);
            assert!(command.get_after_help().is_some() || has_none, "{name}");
        }
        for example in EXAMPLES.lines().filter_map(|line| line.strip_prefix("  ")) {
            let example = example.split(" < ").next().unwrap_or_default();
            assert_eq!(parses(example), Ok(()), "{example}");
        }
    }
}
