//! Tokens that services mark by a form of their own: for each kind the words that it begins with or stands around, and
//! the characters that follow, with their number.

use super::Service;
use crate::Rule;
use crate::shape::Part::{self, Run, Word};
use crate::shape::{
    ALNUM, BASE64, CAPS, Class, DASH, DIGITS, DOT, HEX, LOWER, OPEN, PERCENT, UNDERSCORE, UPPER,
    URL64, WORD, after, around, new,
};

/// Made tokens are this long at most, those without a known length.
const LONG: usize = 400;

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
const DISCORD: &[Part] = &[
    Run(ALNUM, 21, 26),
    Word("."),
    Run(URL64, 6, 7),
    Word("."),
    Run(URL64, 27, 45),
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

/// Rows are a name, a line about it and the forms.
macro_rules! services {
    ($($name:literal $about:literal [$($pattern:expr),*])*) => {
        pub(crate) static SERVICES: &[Service] = &[$(Service {
            rule: Rule { name: $name, about: $about },
            patterns: &[$($pattern),*],
        }),*];
    };
}

services! {
    "aws-access-key" "AWS access key id (AKIA, ASIA, …)"
    [new("AKIA", AWS), new("ASIA", AWS), new("ABIA", AWS), new("ACCA", AWS)]

    "aws-bedrock-key" "Amazon Bedrock API key"
    [new("ABSK", &[Run(BASE64, 100, LONG)])]

    "gcp-api-key" "Google API key (AIza…)"
    [new("AIza", &[Run(URL64, 35, 35)])]

    "google-oauth" "Google OAuth client secret, access or refresh token"
    [new("GOCSPX-", &[Run(URL64, 28, 28)]), new("ya29.", &[Run(URL64 | DOT, 40, OPEN)]),
     new("1//0", &[Run(URL64, 40, LONG)])]

    "azure-storage-key" "Azure storage, Service Bus or Cosmos key in a connection string"
    [after("AccountKey=", &[Run(BASE64, 80, 90)]), after("SharedAccessKey=", &[Run(BASE64, 40, 90)])]

    "azure-sas" "Signature of an Azure shared access URL"
    [after("sig=", &[Run(BASE64 | URL64 | PERCENT, 43, 80)])]

    "azure-client-secret" "Microsoft Entra application secret"
    [around(ENTRA_LEAD, "7Q~", ENTRA), around(ENTRA_LEAD, "8Q~", ENTRA), around(ENTRA_LEAD, "9Q~", ENTRA)]

    "digitalocean-token" "DigitalOcean token"
    [new("dop_v1_", HEX64), new("doo_v1_", HEX64), new("dor_v1_", HEX64)]

    "cloudflare-token" "Cloudflare token or origin certificate key"
    [new("cfut_", ALNUM40), new("cfat_", ALNUM40), new("cfk_", ALNUM40),
     new("v1.0-", &[Run(HEX, 24, 24), Word("-"), Run(HEX, 146, 146)])]

    "alibaba-access-key" "Alibaba Cloud access key id"
    [new("LTAI", &[Run(ALNUM, 20, 20)])]

    "waynote-token" "Token of a waynote server"
    [new("wn_", &[Run(URL64, 48, 48)])]

    "github-token" "GitHub token, classic or fine-grained"
    [new("ghp_", GITHUB), new("gho_", GITHUB), new("ghu_", GITHUB), new("ghs_", GITHUB), new("ghr_", GITHUB),
     new("github_pat_", &[Run(WORD, 60, 255)])]

    "gitlab-token" "GitLab token"
    [new("glpat-", GITLAB), new("gldt-", GITLAB), new("glrt-", GITLAB), new("glcbt-", GITLAB), new("glptt-", GITLAB),
     new("glft-", GITLAB), new("glsoat-", GITLAB), new("glagent-", GITLAB), new("gloas-", GITLAB),
     new("glimt-", GITLAB), new("glffct-", GITLAB), new("GR1348941", GITLAB)]

    "slack-token" "Slack token"
    [new("xoxb-", SLACK), new("xoxp-", SLACK), new("xoxa-", SLACK), new("xoxr-", SLACK), new("xoxs-", SLACK),
     new("xoxc-", SLACK), new("xoxo-", SLACK), new("xoxd-", &[Run(BASE64 | PERCENT | DASH, 60, LONG)]),
     new("xoxe-", &[Run(URL64, 40, LONG)]),
     new("xapp-", &[Run(DIGITS, 1, 1), Word("-"), Run(CAPS, 9, 13), Word("-"), Run(ALNUM | DASH, 40, LONG)])]

    "slack-webhook" "Slack incoming webhook"
    [after("hooks.slack.com/services/", &[Word("T"), Run(CAPS, 8, 12), Word("/B"), Run(CAPS, 8, 12), Word("/"), Run(ALNUM, 24, 24)]),
     after("hooks.slack.com/workflows/", &[Word("T"), Run(CAPS, 8, 12), Word("/A"), Run(CAPS, 8, 12), Word("/"), Run(DIGITS, 15, 20), Word("/"), Run(ALNUM, 24, 24)])]

    "discord-webhook" "Discord webhook"
    [after("/webhooks/", WEBHOOK), after("discord.com/api/webhooks/", WEBHOOK),
     after("discordapp.com/api/webhooks/", WEBHOOK)]

    "discord-token" "Discord bot token"
    [new("MD", DISCORD), new("MT", DISCORD), new("Mj", DISCORD), new("Mz", DISCORD), new("ND", DISCORD),
     new("NT", DISCORD), new("Nj", DISCORD), new("Nz", DISCORD), new("OD", DISCORD), new("OT", DISCORD)]

    "aws-session-token" "AWS session token"
    [new("IQoJb3JpZ2lu", &[Run(BASE64 | PERCENT, 100, OPEN)]),
     new("FwoGZXIvYXdz", &[Run(BASE64 | PERCENT, 100, OPEN)]),
     new("FQoGZXIvYXdz", &[Run(BASE64 | PERCENT, 100, OPEN)]), new("amzn.mws.", UUID)]

    "presigned-url" "Signature of a presigned URL"
    [after("X-Amz-Signature=", &[Run(HEX, 64, 64)]), after("X-Goog-Signature=", &[Run(HEX, 64, OPEN)]),
     after("&Signature=", &[Run(BASE64 | PERCENT, 28, 400)])]

    "azure-key" "Key of an Azure service, or token of Azure DevOps, by the mark inside it"
    [around((BASE64, 76, 76), "+ASt", AZURE), around((BASE64, 76, 76), "+ABa", AZURE),
     around((BASE64, 33, 33), "+ARm", &[Run(BASE64, 4, 8)]), around((BASE64, 33, 33), "+ASb", &[Run(BASE64, 4, 8)]),
     around((BASE64, 33, 33), "+AEh", &[Run(BASE64, 4, 8)]), around((ALNUM, 76, 76), "ACDb", &[Run(BASE64, 5, 8)]),
     around((ALNUM, 42, 42), "AzSe", &[Run(ALNUM, 6, 6)]), around((ALNUM, 44, 44), "AzFu", &[Run(BASE64, 6, 8)]),
     around((ALNUM, 76, 76), "AZDO", &[Run(ALNUM, 4, 4)]), around((ALNUM, 76, 76), "ACOG", &[Run(ALNUM, 4, 4)])]

    "payment-key" "Key of PayPal, Braintree, Plaid, Flutterwave, Razorpay, Shippo, EasyPost or Adyen"
    [new("access_token$production$", &[Run(ALNUM, 16, 16), Word("$"), Run(HEX, 32, 32)]),
     new("access-production-", UUID), new("access-development-", UUID), new("FLWSECK-", &[Run(ALNUM, 12, 40)]),
     new("shippo_live_", HEX40), new("EZAK", &[Run(ALNUM, 54, 54)]), new("sk_org_live_", &[Run(ALNUM, 20, 250)])]

    "social-token" "Access token of Facebook, Twitter or Twitch, or of Dropbox"
    [new("EAA", &[Run(ALNUM, 100, LONG)]), new("AAAAAAAAAAAAAAAAAAAAA", &[Run(ALNUM | PERCENT, 50, LONG)]),
     new("sl.", &[Run(URL64, 120, OPEN)])]

    "developer-token" "Token of JFrog, Clojars, OpenShift, Prefect, Contentful, ReadMe, Infracost, Typeform, Trello, Resend, Render, Neon or Vercel"
    [new("AKCp", &[Run(ALNUM, 65, 75)]), new("CLOJARS_", &[Run(HEX, 60, 60)]), new("sha256~", &[Run(URL64, 43, 43)]),
     new("pnu_", &[Run(ALNUM, 36, 36)]), new("CFPAT-", &[Run(URL64, 43, 43)]), new("rdme_", &[Run(ALNUM, 70, 72)]),
     new("ico-", &[Run(ALNUM, 32, 32)]), new("tfp_", &[Run(URL64 | DOT, 40, 70)]), new("ATTA", &[Run(HEX, 72, 72)]),
     new("re_", &[Run(ALNUM, 8, 8), Word("_"), Run(ALNUM, 24, 24)]), new("rnd_", &[Run(ALNUM, 28, 40)]),
     new("napi_", &[Run(DIGITS | LOWER, 60, 70)]), new("vcp_", &[Run(ALNUM, 40, 60)]),
     new("dt0c01.", &[Run(CAPS, 24, 24), Word("."), Run(CAPS, 64, 64)]), new("essu_", &[Run(BASE64, 40, LONG)]),
     new("sgp_", &[Run(WORD, 40, 60)]), new("fio-u-", &[Run(URL64, 64, 64)]), new("hcaik_", &[Run(ALNUM, 50, 70)])]

    "model-key" "Key of Langfuse, Jina, Firecrawl, Fireworks, Tencent or Gemini"
    [new("sk-lf-", UUID), new("jina_", &[Run(WORD, 50, 70)]), new("fc-", HEX32), new("fw_", &[Run(ALNUM, 22, 28)]),
     new("AKID", &[Run(ALNUM, 32, 32)]), new("AQ.Ab", &[Run(URL64, 40, 80)]),
     new("sk-helicone-", &[Run(URL64, 30, LONG)])]

    "telegram-bot-token" "Telegram bot token"
    [around((DIGITS, 8, 10), ":AA", &[Run(URL64, 33, 33)]), after("api.telegram.org/bot", TELEGRAM),
     after("api.telegram.org/file/bot", TELEGRAM)]

    "stripe-key" "Stripe live key or webhook secret"
    [new("sk_live_", &[Run(ALNUM, 20, 250)]), new("rk_live_", &[Run(ALNUM, 20, 250)]),
     new("whsec_", &[Run(BASE64, 32, LONG)])]

    "square-token" "Square access token or secret"
    [new("sq0atp-", &[Run(URL64, 22, 22)]), new("sq0csp-", &[Run(URL64, 43, 43)]), new("EAAA", &[Run(URL64, 60, 60)])]

    "shopify-token" "Shopify token"
    [new("shpat_", HEX32), new("shpca_", HEX32), new("shppa_", HEX32), new("shpss_", HEX32)]

    "twilio-key" "Twilio API key"
    [new("SK0", TWILIO), new("SK1", TWILIO), new("SK2", TWILIO), new("SK3", TWILIO), new("SK4", TWILIO),
     new("SK5", TWILIO), new("SK6", TWILIO), new("SK7", TWILIO), new("SK8", TWILIO), new("SK9", TWILIO),
     new("SKa", TWILIO), new("SKb", TWILIO), new("SKc", TWILIO), new("SKd", TWILIO), new("SKe", TWILIO),
     new("SKf", TWILIO)]

    "sendgrid-key" "SendGrid API key"
    [new("SG.", &[Run(URL64, 20, 24), Word("."), Run(URL64, 39, 50)])]

    "mailgun-key" "Mailgun private key"
    [new("key-", HEX32)]

    "mailchimp-key" "Mailchimp API key"
    [around((HEX, 32, 32), "-us", &[Run(DIGITS, 1, 2)])]

    "brevo-key" "Brevo API key"
    [new("xkeysib-", &[Run(HEX, 64, 64), Word("-"), Run(ALNUM, 16, 16)])]

    "npm-token" "npm access token"
    [new("npm_", &[Run(ALNUM, 36, 36)])]

    "pypi-token" "PyPI upload token"
    [new("pypi-AgE", &[Run(URL64, 50, OPEN)])]

    "crates-io-token" "crates.io token"
    [new("cio", &[Run(ALNUM, 32, 32)])]

    "rubygems-token" "RubyGems token"
    [new("rubygems_", &[Run(HEX, 48, 48)])]

    "nuget-key" "NuGet API key"
    [new("oy2", &[Run(DIGITS | LOWER, 43, 43)])]

    "dockerhub-token" "Docker Hub token"
    [new("dckr_pat_", &[Run(URL64, 27, LONG)]), new("dckr_oat_", &[Run(URL64, 27, LONG)])]

    "huggingface-token" "Hugging Face token"
    [new("hf_", &[Run(ALNUM, 34, 40)]), new("api_org_", &[Run(ALNUM, 34, 40)])]

    "openai-key" "OpenAI API key, or one of that form"
    [new("sk-proj-", &[Run(URL64, 40, LONG)]), new("sk-svcacct-", &[Run(URL64, 40, LONG)]),
     new("sk-admin-", &[Run(URL64, 40, LONG)]), new("sk-", &[Run(ALNUM, 32, 64)])]

    "anthropic-key" "Anthropic API key"
    [new("sk-ant-", &[Run(URL64, 40, LONG)])]

    "ai-service-key" "Key of OpenRouter, Groq, xAI, Perplexity, Replicate, NVIDIA, LangSmith, Pinecone, Cerebras, Tavily or ElevenLabs"
    [new("sk-or-v1-", HEX64), new("gsk_", &[Run(ALNUM, 52, 52)]), new("xai-", &[Run(ALNUM, 80, 80)]),
     new("pplx-", &[Run(ALNUM, 40, 60)]), new("r8_", &[Run(ALNUM, 37, 37)]), new("nvapi-", &[Run(URL64, 60, 70)]),
     new("lsv2_", &[Word("pt_"), Run(HEX, 32, 32), Word("_"), Run(HEX, 10, 10)]),
     new("lsv2_", &[Word("sk_"), Run(HEX, 32, 32), Word("_"), Run(HEX, 10, 10)]), new("pcsk_", &[Run(WORD, 60, 80)]),
     new("csk-", &[Run(ALNUM, 48, 48)]), new("tvly-", &[Run(URL64, 32, 60)]), new("sk_", &[Run(HEX, 48, 48)])]

    "vault-token" "HashiCorp Vault token"
    [new("hvs.", &[Run(URL64, 24, LONG)]), new("hvb.", &[Run(URL64, 100, LONG)]), new("hvr.", &[Run(URL64, 24, LONG)])]

    "terraform-token" "Terraform Cloud token"
    [around((ALNUM, 14, 14), ".atlasv1.", &[Run(URL64, 60, 75)])]

    "doppler-token" "Doppler token"
    [new("dp.pt.", ALNUM40), new("dp.ct.", ALNUM40), new("dp.sa.", ALNUM40), new("dp.scim.", ALNUM40),
     new("dp.audit.", ALNUM40), new("dp.st.", &[Run(URL64, 2, 60), Word("."), Run(ALNUM, 40, 44)]),
     new("dp.st.", ALNUM40)]

    "databricks-token" "Databricks token"
    [new("dapi", HEX32)]

    "linear-key" "Linear API key"
    [new("lin_api_", ALNUM40), new("lin_oauth_", ALNUM40)]

    "notion-token" "Notion token"
    [new("ntn_", &[Run(ALNUM, 43, 50)]), new("secret_", &[Run(ALNUM, 43, 43)])]

    "sentry-token" "Sentry token"
    [new("sntrys_", &[Run(BASE64 | UNDERSCORE, 80, OPEN)]), new("sntryu_", HEX64)]

    "atlassian-token" "Atlassian or Bitbucket token"
    [new("ATATT3", &[Run(URL64, 100, LONG)]), new("ATCTT3", &[Run(URL64, 100, LONG)]),
     new("ATBB", &[Run(ALNUM, 32, 32)])]

    "figma-token" "Figma token"
    [new("figd_", &[Run(URL64, 36, 60)])]

    "airtable-token" "Airtable token"
    [new("pat", &[Run(ALNUM, 14, 14), Word("."), Run(HEX, 64, 64)])]

    "postman-key" "Postman API key"
    [new("PMAK-", &[Run(HEX, 24, 24), Word("-"), Run(HEX, 34, 34)])]

    "newrelic-key" "New Relic user key"
    [new("NRAK-", &[Run(CAPS, 27, 27)])]

    "grafana-token" "Grafana token"
    [new("glc_", &[Run(BASE64, 40, LONG)]), new("glsa_", &[Run(ALNUM, 32, 32), Word("_"), Run(HEX, 8, 8)])]

    "planetscale-token" "PlanetScale password or token"
    [new("pscale_tkn_", URL32), new("pscale_pw_", URL32), new("pscale_oauth_", URL32)]

    "supabase-key" "Supabase secret key or token"
    [new("sbp_", HEX40), new("sb_secret_", &[Run(URL64, 30, 40)])]

    "hosting-token" "Token of Fly.io, Heroku, Netlify, Pulumi, Buildkite, CircleCI or Tailscale"
    [new("fm2_", &[Run(BASE64, 100, OPEN)]), new("fo1_", &[Run(URL64, 43, 43)]), new("HRKU-", &[Run(URL64, 36, 65)]),
     new("nfp_", &[Run(ALNUM, 36, 50)]), new("pul-", HEX40), new("bkua_", HEX40),
     new("CCIPAT_", &[Run(WORD, 40, LONG)]), new("CCIPRJ_", &[Run(WORD, 40, LONG)]),
     new("tskey-auth-", &[Run(URL64, 24, LONG)]), new("tskey-api-", &[Run(URL64, 24, LONG)]),
     new("tskey-client-", &[Run(URL64, 24, LONG)])]

    "sonar-token" "SonarQube token"
    [new("squ_", HEX40), new("sqp_", HEX40), new("sqa_", HEX40)]

    "hubspot-token" "HubSpot private app token"
    [new("pat-na", &[Run(DIGITS, 1, 2), Word("-"), Run(HEX, 8, 8), Word("-"), Run(HEX | DASH, 27, 27)]),
     new("pat-eu", &[Run(DIGITS, 1, 2), Word("-"), Run(HEX, 8, 8), Word("-"), Run(HEX | DASH, 27, 27)])]

    "age-secret-key" "age identity"
    [new("AGE-SECRET-KEY-1", &[Run(DIGITS | UPPER, 58, 58)])]

    "onepassword-token" "1Password service account token"
    [new("ops_eyJ", &[Run(URL64, 100, OPEN)])]

    "posthog-key" "PostHog personal key"
    [new("phx_", &[Run(ALNUM, 40, 50)])]

    "private-jwk" "Private part of a JSON Web Key"
    [after("\"d\":\"", &[Run(URL64, 43, OPEN)]), after("\"d\": \"", &[Run(URL64, 43, OPEN)])]
}
