//! Makes calls and prints one line of JSON for each.

use std::fmt::Debug;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use resend_rs::types::ErrorKind;
use resend_rs::{Error, Result};
use serde_json::{Value, json};

/// A call that must succeed, with what must be true of its reply.
pub fn call<T: Debug>(method: &str, reply: Result<T>, expect: impl Fn(&T) -> bool) -> Option<T> {
    match reply {
        Err(error) => {
            say(method, Some(format!("{error:?}")));
            None
        }
        Ok(reply) => {
            let is_right = expect(&reply);
            say(method, (!is_right).then(|| format!("unexpected reply: {reply:?}")));
            Some(reply)
        }
    }
}

/// A call that must be refused, with an error of this kind.
pub fn refuse<T: Debug>(method: &str, reply: Result<T>, kind: ErrorKind) {
    say(method, match reply {
        Err(Error::Resend(error)) if error.kind() == kind => None,
        other => Some(format!("not refused so: {other:?}")),
    });
}

pub fn say(method: &str, detail: Option<String>) {
    let mut line = json!({ "method": method, "ok": detail.is_none() });
    if let Some(detail) = detail {
        line["detail"] = Value::from(detail.chars().take(500).collect::<String>());
    }
    println!("{line}");
}

/// Every public method of every service, read from the sources that cargo has: a new one cannot be missed.
pub fn methods() -> Vec<String> {
    let metadata = Command::new("cargo").args(["metadata", "--format-version", "1", "--locked"]).output().expect("cargo metadata");
    let metadata: Value = serde_json::from_slice(&metadata.stdout).expect("the metadata of cargo");
    let packages = metadata["packages"].as_array().expect("packages");
    let manifest = packages.iter().find(|one| one["name"] == "resend-rs").expect("resend-rs")["manifest_path"].as_str().expect("a path");
    let sources = Path::new(manifest).parent().expect("a folder").join("src");
    let mut names = Vec::new();
    for file in fs::read_dir(sources).expect("sources").flatten() {
        let path = file.path();
        let part = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a source");
        // The client itself has a method too: it sends whatever it is given.
        if part == "client" || !text.contains("Svc(pub(crate) Arc<Config>)") {
            continue;
        }
        for line in text.lines().filter_map(|line| line.strip_prefix("    pub async fn ")) {
            let end = line.find(['(', '<']).expect("a parameter");
            names.push(format!("{part}.{}", &line[..end]));
        }
    }
    names.sort();
    names
}

/// Asks again until it is so, half a minute at most.
pub fn until(ask: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while Instant::now() < deadline && !ask() {
        sleep(Duration::from_millis(50));
    }
}

pub fn fresh(word: &str) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a clock").as_nanos();
    format!("{word}-{now}")
}

pub fn address(word: &str) -> String {
    format!("{}@example.com", fresh(word))
}

pub fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}
