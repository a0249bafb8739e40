//! Patterns of paths, as git's `includeIf` and the setting `repos` have them: `*` and `?` stay within a part, `**` is any
//! number of parts.

/// True if the whole path fits the pattern. The time grows with the product of their lengths, whatever they are.
pub fn matches(pattern: &str, path: &str) -> bool {
    let mut pattern: Vec<&str> = pattern.split('/').collect();
    // What ends so fits all that is inside, and not the directory itself.
    if pattern.last() == Some(&"**") {
        pattern.push("*");
    }
    let path: Vec<&str> = path.split('/').collect();
    fits(
        &pattern,
        &path,
        |part| *part == "**",
        |of, part| part_matches(of, part),
    )
}

fn part_matches(pattern: &str, part: &str) -> bool {
    let chars = |text: &str| text.chars().collect::<Vec<char>>();
    let (pattern, part) = (chars(pattern), chars(part));
    fits(
        &pattern,
        &part,
        |of| *of == '*',
        |of, char| *of == '?' || of == char,
    )
}

/// Fits items to a pattern, in which some items are stars and stand for any number.
fn fits<T>(
    pattern: &[T],
    items: &[T],
    is_star: impl Fn(&T) -> bool,
    is_one: impl Fn(&T, &T) -> bool,
) -> bool {
    // How many items the pattern so far may have taken, in order.
    let mut taken = vec![0];
    for of in pattern {
        taken = match taken.first() {
            None => return false,
            Some(fewest) if is_star(of) => (*fewest..=items.len()).collect(),
            Some(_) => {
                let fits = |at: &usize| items.get(*at).is_some_and(|item| is_one(of, item));
                taken.into_iter().filter(fits).map(|at| at + 1).collect()
            }
        };
    }
    taken.last() == Some(&items.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stay_within_a_part_and_two_do_not() {
        for (pattern, path, fits) in [
            ("/h/work/**", "/h/work/shop/.git", true),
            ("/h/work/**", "/h/work", false),
            ("**/shop/.git", "/h/work/shop/.git", true),
            ("**/shop/**", "/h/shop/a/.git", true),
            ("/h/*/shop", "/h/a/shop", true),
            ("/h/*/shop", "/h/a/b/shop", false),
            ("packages/?i*", "packages/pixel", true),
            ("packages/*", "packages", false),
        ] {
            assert_eq!(matches(pattern, path), fits, "{pattern} {path}");
        }
    }
}
