//! Words as a shell reads them.

/// A word for a shell: in quotes where it needs them.
pub fn quoted(word: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "/._-+:@%".contains(char);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_word_again() {
        for word in ["", "plain/path-1.0", "two words", "it's", "$HOME", "a\\b"] {
            let printed = std::process::Command::new("sh")
                .args(["-c", &format!("printf %s {}", quoted(word))])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(printed.stdout).unwrap(), word);
        }
        assert_eq!(quoted("/opt/bin/waynote"), "/opt/bin/waynote");
    }
}
