//! Words as a shell reads them.

pub use waynote::text::shell_word as quoted;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_word_again() {
        for word in [
            "",
            "plain/path-1.0",
            "two words",
            "it's",
            "$HOME",
            "a\\b",
            "x; rm -rf ~",
            "`id`",
            "a\nb",
            "place:~/p#key",
            "~/p",
            "#k",
            "-n",
            "*?[a]",
            "a=b",
            "{a,b}",
        ] {
            let printed = std::process::Command::new("sh")
                .args(["-c", &format!("printf %s {}", quoted(word))])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(printed.stdout).unwrap(), word);
        }
        assert_eq!(quoted("/opt/bin/waynote"), "/opt/bin/waynote");
        assert_eq!(quoted("place:~/p#key"), "place:~/p#key");
    }
}
