//! Tokens that services mark by a form of their own: for each kind the words that it begins with or stands around, and
//! the characters that follow, with their number.

use super::rows;
use crate::shape::Part::{self, Run, Word};
use crate::shape::{
    ALNUM, BASE64, CAPS, Class, DASH, DIGITS, DOT, HEX, LOWER, OPEN, PERCENT, Pattern, UNDERSCORE,
    UPPER, URL64, WORD,
};

/// Made tokens are this long at most, those without a known length.
const LONG: usize = 400;

const fn new(trigger: &'static str, parts: &'static [Part]) -> Pattern {
    Pattern::new(trigger, parts)
}

const fn after(trigger: &'static str, parts: &'static [Part]) -> Pattern {
    Pattern::after(trigger, parts)
}

const fn around(
    lead: (Class, usize, usize),
    trigger: &'static str,
    parts: &'static [Part],
) -> Pattern {
    Pattern::around(lead, trigger, parts)
}

const UUID: &[Part] = &[
    Run(HEX, 8, 8),
    Word("-"),
    Run(HEX, 4, 4),
    Word("-"),
    Run(HEX, 4, 4),
    Word("-"),
    Run(HEX, 4, 4),
    Word("-"),
    Run(HEX, 12, 12),
];

const AWS: &[Part] = &[Run(CAPS, 16, 16)];
const GITHUB: &[Part] = &[Run(WORD, 36, 255)];
const GITLAB: &[Part] = &[Run(URL64, 20, LONG)];
const SLACK: &[Part] = &[
    Run(DIGITS, 6, 15),
    Word("-"),
    Run(ALNUM | DASH | PERCENT, 16, LONG),
];
const TELEGRAM: &[Part] = &[Run(DIGITS, 6, 12), Word(":"), Run(URL64, 30, 60)];
const HEX64: &[Part] = &[Run(HEX, 64, 64)];
const HEX40: &[Part] = &[Run(HEX, 40, 40)];
const HEX32: &[Part] = &[Run(HEX, 32, 32)];
const ALNUM40: &[Part] = &[Run(ALNUM, 40, LONG)];
const URL32: &[Part] = &[Run(URL64, 32, LONG)];
const AZURE: &[Part] = &[Run(ALNUM | UNDERSCORE, 5, 5), Run(BASE64, 1, 3)];
const WEBHOOK: &[Part] = &[Run(DIGITS, 17, 20), Word("/"), Run(URL64, 60, 80)];
/// After the `SK` and its first digit.
const TWILIO: &[Part] = &[Run(HEX, 31, 31)];
/// After the three characters and the mark of an application's secret.
const ENTRA: &[Part] = &[Run(URL64 | DOT, 31, 34)];
const ENTRA_LEAD: (Class, usize, usize) = (WORD | DOT | DASH, 3, 3);

rows! { SERVICES
    "aws-access-key" "AWS access key id (AKIA, ASIA, …)"
    patterns [new("AKIA", AWS), new("ASIA", AWS), new("ABIA", AWS), new("ACCA", AWS)]
    yes ["AKIA{caps:16}", "key AKIA{caps:16}, region eu-west-1", "https://x.example/?k%3DAKIA{caps:16}%26"]
    no ["AKIAIOSFODNN7EXAMPLE", "AKIA{caps:12}", "xAKIA{caps:16}", "AKIA{caps:17}", "AKIAXXXXXXXXXXXXXXXX"]

    "aws-bedrock-key" "Amazon Bedrock API key"
    patterns [new("ABSK", &[Run(BASE64, 100, LONG)])]
    yes ["ABSK{b64:128}"]
    no ["ABSK{b64:20}"]

    "gcp-api-key" "Google API key (AIza…)"
    patterns [new("AIza", &[Run(URL64, 35, 35)])]
    yes ["AIza{url:35}", "maps?key=AIza{url:35}&v=3"]
    no ["AIza{url:20}", "AIza{url:50}", "AIzaSyXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX"]

    "google-oauth" "Google OAuth client secret, access or refresh token"
    patterns [new("GOCSPX-", &[Run(URL64, 28, 28)]), new("ya29.", &[Run(URL64 | DOT, 40, OPEN)]), new("1//0", &[Run(URL64, 40, LONG)])]
    yes ["GOCSPX-{url:28}", "ya29.a0{url:120}", "1//0g{url:60}"]
    no ["GOCSPX-your-client-secret", "ya29.short", "1//0 is a division"]

    "azure-storage-key" "Azure storage, Service Bus or Cosmos key in a connection string"
    patterns [after("AccountKey=", &[Run(BASE64, 80, 90)]), after("SharedAccessKey=", &[Run(BASE64, 40, 90)])]
    yes ["DefaultEndpointsProtocol=https;AccountName=a;AccountKey={b64:86}==;EndpointSuffix=core.windows.net",
         "Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey={b64:43}="]
    no ["AccountKey=<key>", "AccountKey=your-key"]

    "azure-sas" "Signature of an Azure shared access URL"
    patterns [after("sig=", &[Run(BASE64 | URL64 | PERCENT, 43, 80)])]
    yes ["https://a.blob.core.windows.net/c?sv=2024-11-04&sig={alnum:20}%2B{alnum:22}%3D&se=2026"]
    no ["sig=abc%3D", "sig=your%20signature"]

    "azure-client-secret" "Microsoft Entra application secret"
    patterns [around(ENTRA_LEAD, "7Q~", ENTRA), around(ENTRA_LEAD, "8Q~", ENTRA), around(ENTRA_LEAD, "9Q~", ENTRA)]
    yes ["use {alnum:3}8Q~{alnum:34}"]
    no ["8Q~"]

    "digitalocean-token" "DigitalOcean token"
    patterns [new("dop_v1_", HEX64), new("doo_v1_", HEX64), new("dor_v1_", HEX64)]
    yes ["dop_v1_{hex:64}", "DO=doo_v1_{hex:64}"]
    no ["dop_v1_{hex:20}", "dop_v1_token"]

    "cloudflare-token" "Cloudflare token or origin certificate key"
    patterns [new("cfut_", ALNUM40), new("cfat_", ALNUM40), new("cfk_", ALNUM40), new("v1.0-", &[Run(HEX, 24, 24), Word("-"), Run(HEX, 146, 146)])]
    yes ["cfut_{alnum:48}", "v1.0-{hex:24}-{hex:146}"]
    no ["v1.0-beta", "cfk_short"]

    "alibaba-access-key" "Alibaba Cloud access key id"
    patterns [new("LTAI", &[Run(ALNUM, 20, 20)])]
    yes ["LTAI{alnum:20}"]
    no ["LTAI{alnum:10}"]

    "waynote-token" "Token of a waynote server"
    patterns [new("wn_", &[Run(URL64, 48, 48)])]
    yes ["wn_{url:48}", "Authorization: Bearer wn_{url:48}", "--token=wn_{url:48}"]
    no ["wn_token", "wn_{url:40}", "wn_{url:60}", "own_{url:48}", "wn_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]

    "github-token" "GitHub token, classic or fine-grained"
    patterns [new("ghp_", GITHUB), new("gho_", GITHUB), new("ghu_", GITHUB), new("ghs_", GITHUB), new("ghr_", GITHUB),
     new("github_pat_", &[Run(WORD, 60, 255)])]
    yes ["ghp_{alnum:36}", "`gho_{alnum:36}`", "\"ghs_{alnum:36}\"", "github_pat_{alnum:22}_{alnum:59}",
         "https://{alnum:4}@x/?t=%20ghp_{alnum:36}", "ghp_{alnum:20}\n{alnum:16}", "> ghr_{alnum:16}\n> {alnum:20}"]
    no ["ghp_{alnum:20}", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "ghp_your_personal_access_token_goes_here_now",
        "xghp_{alnum:36}", "ghp_{alnum:10}\nand then the text goes on"]

    "gitlab-token" "GitLab token"
    patterns [new("glpat-", GITLAB), new("gldt-", GITLAB), new("glrt-", GITLAB), new("glcbt-", GITLAB), new("glptt-", GITLAB),
     new("glft-", GITLAB), new("glsoat-", GITLAB), new("glagent-", GITLAB), new("gloas-", GITLAB), new("glimt-", GITLAB), new("glffct-", GITLAB), new("GR1348941", GITLAB)]
    yes ["glpat-{url:20}", "GITLAB=glrt-{url:20}"]
    no ["glpat-{alnum:8}", "glpat-XXXXXXXXXXXXXXXXXXXX", "glpat-your-token-goes-here-please"]

    "slack-token" "Slack token"
    patterns [new("xoxb-", SLACK), new("xoxp-", SLACK), new("xoxa-", SLACK), new("xoxr-", SLACK), new("xoxs-", SLACK),
     new("xoxc-", SLACK), new("xoxo-", SLACK), new("xoxd-", &[Run(BASE64 | PERCENT | DASH, 60, LONG)]),
     new("xoxe-", &[Run(URL64, 40, LONG)]), new("xapp-", &[Run(DIGITS, 1, 1), Word("-"), Run(CAPS, 9, 13), Word("-"), Run(ALNUM | DASH, 40, LONG)])]
    yes ["xoxb-{digit:12}-{digit:12}-{alnum:24}", "xoxp-{digit:12}-{digit:12}-{digit:12}-{hex:32}",
         "xapp-1-A{caps:10}-{digit:13}-{hex:64}"]
    no ["xoxb-your-bot-token", "xoxb-...", "xoxb-xxxxxxxxxxxx-xxxxxxxxxxxx-xxxxxxxxxxxxxxxxxxxxxxxx", "xoxb-123456"]

    "slack-webhook" "Slack incoming webhook"
    patterns [after("hooks.slack.com/services/", &[Word("T"), Run(CAPS, 8, 12), Word("/B"), Run(CAPS, 8, 12), Word("/"), Run(ALNUM, 24, 24)]),
     after("hooks.slack.com/workflows/", &[Word("T"), Run(CAPS, 8, 12), Word("/A"), Run(CAPS, 8, 12), Word("/"), Run(DIGITS, 15, 20), Word("/"), Run(ALNUM, 24, 24)])]
    yes ["https://hooks.slack.com/services/T{caps:9}/B{caps:10}/{alnum:24}"]
    no ["https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX", "https://hooks.slack.com/services/..."]

    "discord-webhook" "Discord webhook"
    patterns [after("/webhooks/", WEBHOOK), after("discord.com/api/webhooks/", WEBHOOK), after("discordapp.com/api/webhooks/", WEBHOOK)]
    yes ["https://discord.com/api/webhooks/{digit:18}/{url:68}"]
    no ["https://discord.com/api/webhooks/ID/TOKEN"]

    "discord-token" "Discord bot token"
    patterns []
    yes ["MTIzNDU2{}Nzg5MDEyMzQ1Njc4.{url:6}.{url:38}"]
    no ["MTIzNDU2Nzg5MDEyMzQ1Njc4", "org.acme.some.package.name.ClassName"]

    "aws-session-token" "AWS session token"
    patterns [new("IQoJb3JpZ2lu", &[Run(BASE64 | PERCENT, 100, OPEN)]), new("FwoGZXIvYXdz", &[Run(BASE64 | PERCENT, 100, OPEN)]),
     new("FQoGZXIvYXdz", &[Run(BASE64 | PERCENT, 100, OPEN)]), new("amzn.mws.", UUID)]
    yes ["IQoJb3JpZ2luX2Vj{b64:200}", "FwoGZXIvYXdzE{b64:220}"]
    no ["IQoJb3JpZ2lu", "FwoGZXIvYXdz is how one begins"]

    "presigned-url" "Signature of a presigned URL"
    patterns [after("X-Amz-Signature=", &[Run(HEX, 64, 64)]), after("X-Goog-Signature=", &[Run(HEX, 64, OPEN)]), after("&Signature=", &[Run(BASE64 | PERCENT, 28, 400)])]
    yes ["https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature={hex:64}"]
    no ["X-Amz-Signature=<signature>", "X-Amz-Signature=example"]

    "azure-key" "Key of an Azure service, or token of Azure DevOps, by the mark inside it"
    patterns [around((BASE64, 76, 76), "+ASt", AZURE), around((BASE64, 76, 76), "+ABa", AZURE), around((BASE64, 33, 33), "+ARm", &[Run(BASE64, 4, 8)]),
     around((BASE64, 33, 33), "+ASb", &[Run(BASE64, 4, 8)]), around((BASE64, 33, 33), "+AEh", &[Run(BASE64, 4, 8)]),
     around((ALNUM, 76, 76), "ACDb", &[Run(BASE64, 5, 8)]), around((ALNUM, 42, 42), "AzSe", &[Run(ALNUM, 6, 6)]),
     around((ALNUM, 44, 44), "AzFu", &[Run(BASE64, 6, 8)]), around((ALNUM, 76, 76), "AZDO", &[Run(ALNUM, 4, 4)]),
     around((ALNUM, 76, 76), "ACOG", &[Run(ALNUM, 4, 4)])]
    yes ["{alnum:76}+ASt{alnum:5}Q==", "{alnum:76}AZDO{alnum:4}"]
    no ["{alnum:20}AZDO{alnum:4}", "1+ASt"]

    "payment-key" "Key of PayPal, Braintree, Plaid, Flutterwave, Razorpay, Shippo, EasyPost or Adyen"
    patterns [new("access_token$production$", &[Run(ALNUM, 16, 16), Word("$"), Run(HEX, 32, 32)]), new("access-production-", UUID),
     new("access-development-", UUID), new("FLWSECK-", &[Run(ALNUM, 12, 40)]), new("shippo_live_", HEX40),
     new("EZAK", &[Run(ALNUM, 54, 54)]), new("sk_org_live_", &[Run(ALNUM, 20, 250)])]
    yes ["access_token$production${base36:16}${hex:32}", "access-production-{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}"]
    no ["access_token$production$", "access-production-ready"]

    "social-token" "Access token of Facebook, Twitter or Twitch, or of Dropbox"
    patterns [new("EAA", &[Run(ALNUM, 100, LONG)]), new("AAAAAAAAAAAAAAAAAAAAA", &[Run(ALNUM | PERCENT, 50, LONG)]), new("sl.", &[Run(URL64, 120, OPEN)])]
    yes ["EAAG{alnum:160}", "AAAAAAAAAAAAAAAAAAAAA{alnum:30}%3D{alnum:50}", "sl.B{url:135}"]
    no ["EAAG", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "sl.short"]

    "developer-token" "Token of JFrog, Clojars, OpenShift, Prefect, Contentful, ReadMe, Infracost, Typeform, Trello, Resend, Render, Neon or Vercel"
    patterns [new("AKCp", &[Run(ALNUM, 65, 75)]), new("CLOJARS_", &[Run(HEX, 60, 60)]), new("sha256~", &[Run(URL64, 43, 43)]),
     new("pnu_", &[Run(ALNUM, 36, 36)]), new("CFPAT-", &[Run(URL64, 43, 43)]), new("rdme_", &[Run(ALNUM, 70, 72)]),
     new("ico-", &[Run(ALNUM, 32, 32)]), new("tfp_", &[Run(URL64 | DOT, 40, 70)]), new("ATTA", &[Run(HEX, 72, 72)]),
     new("re_", &[Run(ALNUM, 8, 8), Word("_"), Run(ALNUM, 24, 24)]), new("rnd_", &[Run(ALNUM, 28, 40)]), new("napi_", &[Run(DIGITS | LOWER, 60, 70)]),
     new("vcp_", &[Run(ALNUM, 40, 60)]), new("dt0c01.", &[Run(CAPS, 24, 24), Word("."), Run(CAPS, 64, 64)]), new("essu_", &[Run(BASE64, 40, LONG)]),
     new("sgp_", &[Run(WORD, 40, 60)]), new("fio-u-", &[Run(URL64, 64, 64)]), new("hcaik_", &[Run(ALNUM, 50, 70)])]
    yes ["AKCp{alnum:69}", "sha256~{url:43}", "re_{alnum:8}_{alnum:24}", "dt0c01.{caps:24}.{caps:64}", "ATTA{hex:72}"]
    no ["re_export_all_of_this", "sha256~short", "rnd_number", "ico-image", "AKCp"]

    "model-key" "Key of Langfuse, Jina, Firecrawl, Fireworks, Tencent or Gemini"
    patterns [new("sk-lf-", UUID), new("jina_", &[Run(WORD, 50, 70)]), new("fc-", HEX32), new("fw_", &[Run(ALNUM, 22, 28)]),
     new("AKID", &[Run(ALNUM, 32, 32)]), new("AQ.Ab", &[Run(URL64, 40, 80)]), new("sk-helicone-", &[Run(URL64, 30, LONG)])]
    yes ["sk-lf-{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}", "jina_{hex:32}{alnum:28}", "AKID{alnum:32}", "AQ.Ab8RN6{url:44}"]
    no ["sk-lf-key", "jina_embeddings", "fw_update", "AKID"]

    "telegram-bot-token" "Telegram bot token"
    patterns [
        around((DIGITS, 8, 10), ":AA", &[Run(URL64, 33, 33)]),
        after("api.telegram.org/bot", TELEGRAM),
        after("api.telegram.org/file/bot", TELEGRAM),
    ]
    yes ["{digit:10}:AA{url:33}", "https://api.telegram.org/bot{digit:10}:{url:35}/getMe", "https://api.telegram.org/bot {digit:9}:AA{url:33}"]
    no ["12:AA", "{digit:10}:AA{url:10}", "https://api.telegram.org/bot<id>:<token>/getMe"]

    "stripe-key" "Stripe live key or webhook secret"
    patterns [new("sk_live_", &[Run(ALNUM, 20, 250)]), new("rk_live_", &[Run(ALNUM, 20, 250)]), new("whsec_", &[Run(BASE64, 32, LONG)])]
    yes ["sk_live_{alnum:24}", "rk_live_{alnum:99}", "whsec_{alnum:32}"]
    no ["sk_test_{alnum:24}", "sk_live_your_key_here", "pk_live_{alnum:24}", "whsec_..."]

    "square-token" "Square access token or secret"
    patterns [new("sq0atp-", &[Run(URL64, 22, 22)]), new("sq0csp-", &[Run(URL64, 43, 43)]), new("EAAA", &[Run(URL64, 60, 60)])]
    yes ["sq0atp-{url:22}", "sq0csp-{url:43}"]
    no ["sq0atp-short"]

    "shopify-token" "Shopify token"
    patterns [new("shpat_", HEX32), new("shpca_", HEX32), new("shppa_", HEX32), new("shpss_", HEX32)]
    yes ["shpat_{hex:32}", "shpss_{hex:32}"]
    no ["shpat_{hex:10}"]

    "twilio-key" "Twilio API key"
    patterns [new("SK0", TWILIO), new("SK1", TWILIO), new("SK2", TWILIO), new("SK3", TWILIO), new("SK4", TWILIO), new("SK5", TWILIO),
     new("SK6", TWILIO), new("SK7", TWILIO), new("SK8", TWILIO), new("SK9", TWILIO), new("SKa", TWILIO), new("SKb", TWILIO),
     new("SKc", TWILIO), new("SKd", TWILIO), new("SKe", TWILIO), new("SKf", TWILIO)]
    yes ["SK{hex:32}"]
    no ["SK{hex:20}", "TASK{hex:32}", "SKxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]

    "sendgrid-key" "SendGrid API key"
    patterns [new("SG.", &[Run(URL64, 20, 24), Word("."), Run(URL64, 39, 50)])]
    yes ["SG.{url:22}.{url:43}"]
    no ["SG.your.key", "SG.{url:22}"]

    "mailgun-key" "Mailgun private key"
    patterns [new("key-", HEX32)]
    yes ["api:key-{hex:32}"]
    no ["key-value", "monkey-{hex:32}", "key-3ax6xnjp29jd6fds4gc373sgvjxteol0"]

    "mailchimp-key" "Mailchimp API key"
    patterns [around((HEX, 32, 32), "-us", &[Run(DIGITS, 1, 2)])]
    yes ["{hex:32}-us21"]
    no ["eu-us1", "{hex:20}-us2"]

    "brevo-key" "Brevo API key"
    patterns [new("xkeysib-", &[Run(HEX, 64, 64), Word("-"), Run(ALNUM, 16, 16)])]
    yes ["xkeysib-{hex:64}-{alnum:16}"]
    no ["xkeysib-key"]

    "npm-token" "npm access token"
    patterns [new("npm_", &[Run(ALNUM, 36, 36)])]
    yes ["//npm.example.com/:_authToken=npm_{alnum:36}"]
    no ["npm_config_registry", "npm_{alnum:30}", "npm_package_dependencies_something_or_other"]

    "pypi-token" "PyPI upload token"
    patterns [new("pypi-AgE", &[Run(URL64, 50, OPEN)])]
    yes ["pypi-AgEIcHlwaS5vcmc{url:120}"]
    no ["pypi-AgE", "pypi-token"]

    "crates-io-token" "crates.io token"
    patterns [new("cio", &[Run(ALNUM, 32, 32)])]
    yes ["cio{alnum:32}"]
    no ["cio", "precious{alnum:32}"]

    "rubygems-token" "RubyGems token"
    patterns [new("rubygems_", &[Run(HEX, 48, 48)])]
    yes ["rubygems_{hex:48}"]
    no ["rubygems_version"]

    "nuget-key" "NuGet API key"
    patterns [new("oy2", &[Run(DIGITS | LOWER, 43, 43)])]
    yes ["oy2{base36:43}"]
    no ["oy2"]

    "dockerhub-token" "Docker Hub token"
    patterns [new("dckr_pat_", &[Run(URL64, 27, LONG)]), new("dckr_oat_", &[Run(URL64, 27, LONG)])]
    yes ["docker login -p dckr_pat_{url:27}"]
    no ["dckr_pat_token"]

    "huggingface-token" "Hugging Face token"
    patterns [new("hf_", &[Run(ALNUM, 34, 40)]), new("api_org_", &[Run(ALNUM, 34, 40)])]
    yes ["hf_{alnum:34}", "api_org_{alnum:34}"]
    no ["hf_hub_download", "hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]

    "openai-key" "OpenAI API key, or one of that form"
    patterns [new("sk-proj-", &[Run(URL64, 40, LONG)]), new("sk-svcacct-", &[Run(URL64, 40, LONG)]), new("sk-admin-", &[Run(URL64, 40, LONG)]),
     new("sk-", &[Run(ALNUM, 32, 64)])]
    yes ["sk-proj-{url:120}", "sk-{alnum:20}T3BlbkFJ{alnum:20}", "OPENAI=sk-svcacct-{url:80}", "sk-{hex:32}"]
    no ["sk-...", "sk-proj-...", "sk-XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX", "sk-learn", "task-{alnum:40}", "sk-your-openai-api-key"]

    "anthropic-key" "Anthropic API key"
    patterns [new("sk-ant-", &[Run(URL64, 40, LONG)])]
    yes ["sk-ant-api03-{url:93}AA", "sk-ant-oat01-{url:80}"]
    no ["sk-ant-...", "sk-ant-your-key", "sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]

    "ai-service-key" "Key of OpenRouter, Groq, xAI, Perplexity, Replicate, NVIDIA, LangSmith, Pinecone, Cerebras, Tavily or ElevenLabs"
    patterns [new("sk-or-v1-", HEX64), new("gsk_", &[Run(ALNUM, 52, 52)]), new("xai-", &[Run(ALNUM, 80, 80)]), new("pplx-", &[Run(ALNUM, 40, 60)]),
     new("r8_", &[Run(ALNUM, 37, 37)]), new("nvapi-", &[Run(URL64, 60, 70)]), new("lsv2_", &[Word("pt_"), Run(HEX, 32, 32), Word("_"), Run(HEX, 10, 10)]),
     new("lsv2_", &[Word("sk_"), Run(HEX, 32, 32), Word("_"), Run(HEX, 10, 10)]), new("pcsk_", &[Run(WORD, 60, 80)]), new("csk-", &[Run(ALNUM, 48, 48)]),
     new("tvly-", &[Run(URL64, 32, 60)]), new("sk_", &[Run(HEX, 48, 48)])]
    yes ["sk-or-v1-{hex:64}", "gsk_{alnum:52}", "xai-{alnum:80}", "r8_{alnum:37}", "lsv2_pt_{hex:32}_{hex:10}", "pplx-{alnum:48}"]
    no ["gsk_key", "xai-key", "r8_t", "nvapi-key"]

    "vault-token" "HashiCorp Vault token"
    patterns [new("hvs.", &[Run(URL64, 24, LONG)]), new("hvb.", &[Run(URL64, 100, LONG)]), new("hvr.", &[Run(URL64, 24, LONG)])]
    yes ["hvs.{url:90}", "VAULT=hvs.{alnum:24}"]
    no ["hvs.token"]

    "terraform-token" "Terraform Cloud token"
    patterns [around((ALNUM, 14, 14), ".atlasv1.", &[Run(URL64, 60, 75)])]
    yes ["{alnum:14}.atlasv1.{url:67}"]
    no ["x.atlasv1.token"]

    "doppler-token" "Doppler token"
    patterns [new("dp.pt.", ALNUM40), new("dp.ct.", ALNUM40), new("dp.sa.", ALNUM40), new("dp.scim.", ALNUM40), new("dp.audit.", ALNUM40),
     new("dp.st.", &[Run(URL64, 2, 60), Word("."), Run(ALNUM, 40, 44)]), new("dp.st.", ALNUM40)]
    yes ["dp.pt.{alnum:43}", "dp.st.dev_main.{alnum:43}"]
    no ["dp.pt.xxxx", "dp.st.dev"]

    "databricks-token" "Databricks token"
    patterns [new("dapi", HEX32)]
    yes ["dapi{hex:32}", "dapi{hex:32}-2"]
    no ["dapi", "adapi{hex:32}"]

    "linear-key" "Linear API key"
    patterns [new("lin_api_", ALNUM40), new("lin_oauth_", ALNUM40)]
    yes ["lin_api_{alnum:40}"]
    no ["lin_api_key"]

    "notion-token" "Notion token"
    patterns [new("ntn_", &[Run(ALNUM, 43, 50)]), new("secret_", &[Run(ALNUM, 43, 43)])]
    yes ["ntn_{alnum:46}", "secret_{alnum:43}"]
    no ["secret_access_key", "ntn_token"]

    "sentry-token" "Sentry token"
    patterns [new("sntrys_", &[Run(BASE64 | UNDERSCORE, 80, OPEN)]), new("sntryu_", HEX64)]
    yes ["sntryu_{hex:64}", "sntrys_eyJ{alnum:100}_{alnum:43}"]
    no ["sntrys_token"]

    "atlassian-token" "Atlassian or Bitbucket token"
    patterns [new("ATATT3", &[Run(URL64, 100, LONG)]), new("ATCTT3", &[Run(URL64, 100, LONG)]), new("ATBB", &[Run(ALNUM, 32, 32)])]
    yes ["ATATT3{url:180}", "ATBB{alnum:32}"]
    no ["ATBB", "ATATT3xFf"]

    "figma-token" "Figma token"
    patterns [new("figd_", &[Run(URL64, 36, 60)])]
    yes ["figd_{url:40}"]
    no ["figd_token"]

    "airtable-token" "Airtable token"
    patterns [new("pat", &[Run(ALNUM, 14, 14), Word("."), Run(HEX, 64, 64)])]
    yes ["pat{alnum:14}.{hex:64}"]
    no ["patterns", "path.to"]

    "postman-key" "Postman API key"
    patterns [new("PMAK-", &[Run(HEX, 24, 24), Word("-"), Run(HEX, 34, 34)])]
    yes ["PMAK-{hex:24}-{hex:34}"]
    no ["PMAK-key"]

    "newrelic-key" "New Relic user key"
    patterns [new("NRAK-", &[Run(CAPS, 27, 27)])]
    yes ["NRAK-{caps:27}"]
    no ["NRAK-key"]

    "grafana-token" "Grafana token"
    patterns [new("glc_", &[Run(BASE64, 40, LONG)]), new("glsa_", &[Run(ALNUM, 32, 32), Word("_"), Run(HEX, 8, 8)])]
    yes ["glsa_{alnum:32}_{hex:8}", "glc_eyJ{alnum:80}"]
    no ["glsa_token"]

    "planetscale-token" "PlanetScale password or token"
    patterns [new("pscale_tkn_", URL32), new("pscale_pw_", URL32), new("pscale_oauth_", URL32)]
    yes ["pscale_pw_{url:43}"]
    no ["pscale_pw_short"]

    "supabase-key" "Supabase secret key or token"
    patterns [new("sbp_", HEX40), new("sb_secret_", &[Run(URL64, 30, 40)])]
    yes ["sbp_{hex:40}", "sb_secret_{url:31}"]
    no ["sb_secret_key", "sb_publishable_{url:31}"]

    "hosting-token" "Token of Fly.io, Heroku, Netlify, Pulumi, Buildkite, CircleCI or Tailscale"
    patterns [new("fm2_", &[Run(BASE64, 100, OPEN)]), new("fo1_", &[Run(URL64, 43, 43)]), new("HRKU-", &[Run(URL64, 36, 65)]), new("nfp_", &[Run(ALNUM, 36, 50)]),
     new("pul-", HEX40), new("bkua_", HEX40), new("CCIPAT_", &[Run(WORD, 40, LONG)]), new("CCIPRJ_", &[Run(WORD, 40, LONG)]),
     new("tskey-auth-", &[Run(URL64, 24, LONG)]), new("tskey-api-", &[Run(URL64, 24, LONG)]), new("tskey-client-", &[Run(URL64, 24, LONG)])]
    yes ["fo1_{url:43}", "HRKU-AA{url:58}", "pul-{hex:40}", "bkua_{hex:40}", "tskey-auth-{alnum:17}-{alnum:32}"]
    no ["pul-request", "tskey-auth-key", "nfp_"]

    "sonar-token" "SonarQube token"
    patterns [new("squ_", HEX40), new("sqp_", HEX40), new("sqa_", HEX40)]
    yes ["squ_{hex:40}"]
    no ["squ_token"]

    "hubspot-token" "HubSpot private app token"
    patterns [new("pat-na", &[Run(DIGITS, 1, 2), Word("-"), Run(HEX, 8, 8), Word("-"), Run(HEX | DASH, 27, 27)]),
     new("pat-eu", &[Run(DIGITS, 1, 2), Word("-"), Run(HEX, 8, 8), Word("-"), Run(HEX | DASH, 27, 27)])]
    yes ["pat-na1-{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}"]
    no ["pat-na1-token"]

    "age-secret-key" "age identity"
    patterns [new("AGE-SECRET-KEY-1", &[Run(DIGITS | UPPER, 58, 58)])]
    yes ["AGE-SECRET-KEY-1{caps:58}"]
    no ["AGE-SECRET-KEY-1...", "AGE-SECRET-KEY-1{caps:20}"]

    "onepassword-token" "1Password service account token"
    patterns [new("ops_eyJ", &[Run(URL64, 100, OPEN)])]
    yes ["ops_eyJ{url:300}"]
    no ["ops_eyJ"]

    "posthog-key" "PostHog personal key"
    patterns [new("phx_", &[Run(ALNUM, 40, 50)])]
    yes ["phx_{alnum:43}"]
    no ["phx_new", "phc_{alnum:43}"]

    "private-jwk" "Private part of a JSON Web Key"
    patterns [after("\"d\":\"", &[Run(URL64, 43, OPEN)]), after("\"d\": \"", &[Run(URL64, 43, OPEN)])]
    yes ["{\"kty\":\"EC\",\"d\":\"{url:43}\"}"]
    no ["{\"d\":\"short\"}", "{\"d\": \"M0 0 L 10 10 20 20 30 30 40 40 50 50 60 60\"}"]
}
