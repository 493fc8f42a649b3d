//! Every method of the SDK for Rust, with its blocking client.

mod audience;
mod automations;
mod checker;
mod emails;
mod inboxes;
mod settings;

use resend_rs::Resend;
use serde_json::json;

pub const NOBODY: &str = "00000000-0000-4000-8000-000000000000";

fn main() {
    // `RESEND_BASE_URL` is where it asks.
    let resend = Resend::new(&checker::variable("RESEND_API_KEY"));
    let version = resend.user_agent().trim_start_matches("resend-rs/");
    println!("{}", json!({ "version": version, "methods": checker::methods() }));
    emails::run(&resend);
    audience::run(&resend);
    settings::run(&resend);
    automations::run(&resend);
    inboxes::run(&resend);
}
