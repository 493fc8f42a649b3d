use resend_rs::Resend;
use resend_rs::events::EmailEventType;
use resend_rs::list_opts::ListOptions;
use resend_rs::types::{
    CreateApiKeyOptions, CreateDomainClaimOptions, CreateDomainOptions, CreateEmailBaseOptions, CreateTemplateOptions, CreateWebhookOptions, DomainChanges,
    EmailTemplate, ErrorKind, TemplateEvent, Tls, UpdateApiKeyOptions, UpdateTemplateOptions, UpdateWebhookOptions, Variable, VariableType,
    WebhookEventStatus, WebhookStatus,
};
use serde_json::json;

use crate::NOBODY;
use crate::checker::{address, call, fresh, refuse, until, variable};
use crate::emails::hello;

pub fn run(resend: &Resend) {
    domains(resend);
    keys(resend);
    templates(resend);
    webhooks(resend);
    logs(resend);
}

fn domains(resend: &Resend) {
    let name = format!("{}.example", fresh("rust"));
    // What a reply cannot be read for is made all the same.
    let made = call("domains.create", resend.domains.create(CreateDomainOptions::new(&name)), |one| one.name == name).map(|one| one.id);
    let listed = || resend.domains.list(ListOptions::default()).ok()?.data.into_iter().find(|one| one.name == name).map(|one| one.id);
    let Some(id) = made.or_else(listed) else { return };
    call("domains.get", resend.domains.get(&id), |one| one.id == id && one.name == name);
    call("domains.list", resend.domains.list(ListOptions::default()), |all| all.data.iter().any(|one| one.id == id));
    call("domains.update", resend.domains.update(&id, DomainChanges::new().with_open_tracking(true).with_tls(Tls::Enforced)), |one| one.id == id);
    call("domains.verify", resend.domains.verify(&id), |one| one.id == id);
    call("domains.delete", resend.domains.delete(&id), |one| one.deleted);
    let receiving = CreateDomainOptions::new(&format!("{}.example", fresh("rust"))).with_capabilities(json!({ "receiving": "enabled" }));
    call("domains.create", resend.domains.create(receiving), |one| one.records.is_some());
    let name = variable("CLAIM");
    let claim = call("domains.claim", resend.domains.claim(CreateDomainClaimOptions::new(&name)), |one| one.name == name);
    let claimed = || resend.domains.list(ListOptions::default()).ok()?.data.into_iter().find(|one| one.name == name).map(|one| one.id.to_string());
    let domain = claim.and_then(|one| one.domain_id).or_else(claimed).unwrap_or_default();
    call("domains.get_claim", resend.domains.get_claim(&domain), |one| one.name == name);
    call("domains.verify_claim", resend.domains.verify_claim(&domain), |one| one.name == name);
}

fn keys(resend: &Resend) {
    let server = CreateApiKeyOptions::new("Server").with_sending_access();
    if let Some(made) = call("api_keys.create", resend.api_keys.create(server), |one| one.token.starts_with("re_")) {
        call("api_keys.list", resend.api_keys.list(ListOptions::default()), |all| all.data.iter().any(|one| one.id == made.id));
        call("api_keys.update", resend.api_keys.update(&made.id, UpdateApiKeyOptions::new("Other")), |one| one.id == made.id);
        call("api_keys.delete", resend.api_keys.delete(&made.id), |()| true);
    }
    refuse("api_keys.delete", resend.api_keys.delete(NOBODY), ErrorKind::NotFound);
    let grant = variable("GRANT");
    call("oauth.list", resend.oauth.list(ListOptions::default()), |all| all.data.iter().any(|one| *one.id == *grant));
    call("oauth.revoke", resend.oauth.revoke(&grant), |one| *one.id == *grant);
    call("usage.get", resend.usage.get(), |_| true);
}

fn templates(resend: &Resend) {
    let alias = fresh("order");
    let order = CreateTemplateOptions::new("Order", "<p>{{{NUMBER}}}</p>")
        .with_alias(&alias)
        .with_from("shop@acme.example")
        .with_subject("Order {{{NUMBER}}}")
        .with_variable(Variable::new("NUMBER", VariableType::Number).with_fallback(1));
    let Some(made) = call("templates.create", resend.templates.create(order), |_| true) else { return };
    let id = made.id;
    let change = UpdateTemplateOptions::new("Order", "<p>{{{NUMBER}}}</p>").with_text("Order {{{NUMBER}}}");
    call("templates.update", resend.templates.update(&id, change), |one| one.id == id);
    call("templates.publish", resend.templates.publish(&id), |one| one.id == id);
    call("templates.get", resend.templates.get(&alias), |one| one.id == id && matches!(one.status, TemplateEvent::Published));
    call("templates.list", resend.templates.list(ListOptions::default()), |all| all.data.iter().any(|one| one.id == id));
    let template = EmailTemplate::new(&alias).with_variable("NUMBER", json!(7));
    let letter = CreateEmailBaseOptions::new("shop@acme.example", [address("reader")], "Order").with_template(template);
    if let Some(sent) = call("emails.send", resend.emails.send(letter), |_| true) {
        call("emails.get", resend.emails.get(&sent.id), |one| one.html.as_deref() == Some("<p>7</p>"));
    }
    if let Some(copy) = call("templates.duplicate", resend.templates.duplicate(&id), |_| true) {
        call("templates.delete", resend.templates.delete(&copy.id), |one| one.deleted);
    }
}

fn webhooks(resend: &Resend) {
    let endpoint = variable("HOOK_URL");
    let hook = CreateWebhookOptions::new(&endpoint, [EmailEventType::EmailSent]);
    let Some(made) = call("webhooks.create", resend.webhooks.create(hook), |one| one.signing_secret.starts_with("whsec_")) else { return };
    let id = made.id;
    call("webhooks.get", resend.webhooks.get(&id), |one| one.id == id && one.endpoint == endpoint);
    call("webhooks.list", resend.webhooks.list(ListOptions::default()), |all| all.data.iter().any(|one| one.id == id));
    call("emails.send", resend.emails.send(hello(&address("hook"))), |_| true);
    let is_done = || {
        resend.webhooks.list_events(&id, ListOptions::default()).is_ok_and(|all| all.data.iter().any(|one| matches!(one.status, WebhookEventStatus::Success)))
    };
    until(is_done);
    if let Some(events) = call("webhooks.list_events", resend.webhooks.list_events(&id, ListOptions::default()), |all| all.data.len() == 1) {
        let event = &events.data[0].id;
        call("webhooks.get_event", resend.webhooks.get_event(&id, event), |one| one.event_type == "email.sent");
        let attempts = resend.webhooks.list_event_attempts(&id, event, ListOptions::default());
        call("webhooks.list_event_attempts", attempts, |all| all.data[0].http_status_code == 200);
        call("webhooks.replay_event", resend.webhooks.replay_event(&id, event), |one| one.id == *event);
    }
    call("webhooks.rotate_signing_secret", resend.webhooks.rotate_signing_secret(&id), |one| one.signing_secret != made.signing_secret);
    let change = UpdateWebhookOptions::default().with_status(WebhookStatus::Disabled);
    call("webhooks.update", resend.webhooks.update(&id, change), |one| one.id == id);
    call("webhooks.delete", resend.webhooks.delete(&id), |is_deleted| *is_deleted);
}

fn logs(resend: &Resend) {
    until(|| resend.logs.list(ListOptions::default()).is_ok_and(|all| !all.is_empty()));
    if let Some(all) = call("logs.list", resend.logs.list(ListOptions::default().with_limit(5)), |all| !all.is_empty()) {
        call("logs.get", resend.logs.get(&all[0].id), |one| one.id == all[0].id);
    }
    refuse("logs.get", resend.logs.get(NOBODY), ErrorKind::NotFound);
}
