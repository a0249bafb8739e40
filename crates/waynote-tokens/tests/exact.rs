//! The counts are those of a crate that loads the vocabulary in the usual way.

use proptest::prelude::*;

fn exact(text: &str) {
    let expected = bpe_openai::o200k_base().count(text);
    assert_eq!(waynote_tokens::count(text), expected, "{text:?}");
    let to = |most| waynote_tokens::count_to(text, most);
    assert_eq!(to(expected), Some(expected), "{text:?}");
    if let Some(fewer) = expected.checked_sub(1) {
        assert_eq!(to(fewer), None, "{text:?}");
        assert_eq!(to(expected / 2), None, "{text:?}");
    }
}

#[test]
fn real_text() {
    for text in [
        include_str!("../src/split.rs"),
        include_str!("../../../docs/sources.md"),
        include_str!("../../../README.md"),
        include_str!("../../../Cargo.lock"),
        include_str!("../../waynote/tests/fixtures/reference/ralph/cases.json"),
        include_str!("../../waynote/tests/fixtures/reference/zrb/cases.json"),
        "Съешь же ещё этих мягких французских булок, да выпей чаю. 我能吞下玻璃而不伤身体。 私はガラスを食べられます。\
         나는 유리를 먹을 수 있어요. أنا قادر على أكل الزجاج و هذا لا يؤلمني. אני יכול לאכול זכוכית וזה לא מזיק לי. \
         मैं काँच खा सकता हूँ. ฉันกินกระจกได้ แต่มันไม่ทำให้ฉันเจ็บ. Μπορώ να φάω σπασμένα γυαλιά. Tôi có thể ăn thủy tinh.",
        "👩‍🔬🧪🇩🇪 1️⃣ e\u{301}\u{308} I'LL we'RE it'ſ don't\r\n\r\n\t  x\u{a0}\u{3000}y /a//b\n/c ...\n\n  12345678 ٣٤٥ Ⅷ½ ǅ ʰ",
    ] {
        exact(text);
        text.lines().for_each(exact);
    }
}

#[test]
fn runs_that_never_end() {
    for char in [
        "a", "A", " ", "\n", "=", "é", "漢", "0", "\u{301}", "aA", "'s", " \n",
    ] {
        exact(&char.repeat(3000));
        exact(&char.repeat(30_000));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        exact(&text);
    }

    #[test]
    fn text_that_meets_every_rule(text in "[aZéÉ漢ʰ\u{301}ǅ0٣ \t\r\n\u{a0}'srelLvm/.!😀\u{200d}-]{0,40}") {
        exact(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn long_runs_of_letters(text in "[a-z]{9000,20000}", few in "[abAB漢é]{9000,20000}") {
        exact(&text);
        exact(&few);
    }
}
