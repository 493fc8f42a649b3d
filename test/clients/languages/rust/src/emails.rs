use resend_rs::Resend;
use resend_rs::list_opts::ListOptions;
use resend_rs::types::{
    BatchValidation, BroadcastRecipientEventType, CreateAttachment, CreateBroadcastOptions, CreateContactOptions, CreateEmailBaseOptions, EmailEvent,
    ErrorKind, ForwardReceivingEmail, GetEmailMetricsOptions, GetInboundEmailOptions, InboundEmailHtmlFormat, InboundEmailId, ListRecipientsOptions,
    Metric, SendBroadcastOptions, ShareEmailOptions, Tag, UpdateBroadcastOptions, UpdateEmailOptions,
};

use crate::NOBODY;
use crate::checker::{address, call, fresh, refuse, until, variable};

pub fn run(resend: &Resend) {
    emails(resend);
    batch(resend);
    receiving(resend);
    broadcasts(resend);
}

pub fn hello(to: &str) -> CreateEmailBaseOptions {
    CreateEmailBaseOptions::new("Acme <me@acme.example>", [to], "Hello").with_html("<p>Hi</p>")
}

fn emails(resend: &Resend) {
    let to = address("you");
    let whole = hello(&to)
        .with_text("Hi")
        .with_cc(&address("cc"))
        .with_bcc(&address("bcc"))
        .with_reply("help@acme.example")
        .with_header("X-Entity-Ref-ID", "1")
        .with_tag(Tag::new("kind", "greeting"))
        .with_attachment(CreateAttachment::from_content(b"hello".to_vec()).with_filename("a.txt"));
    let Some(sent) = call("emails.send", resend.emails.send(whole), |one| !one.id.is_empty()) else { return };
    let id = sent.id;
    let replies = Some(vec!["help@acme.example".to_owned()]);
    call("emails.get", resend.emails.get(&id), |one| one.to == [to.clone()] && one.reply_to == replies && one.text.as_deref() == Some("Hi"));
    call("emails.list", resend.emails.list(ListOptions::default().with_limit(5)), |all| all.data.iter().any(|one| one.id == id));
    let key = fresh("key");
    let first = call("emails.send", resend.emails.send(hello(&to).with_idempotency_key(&key)), |_| true);
    call("emails.send", resend.emails.send(hello(&to).with_idempotency_key(&key)), |one| first.as_ref().is_some_and(|it| it.id == one.id));
    if let Some(later) = call("emails.send", resend.emails.send(hello(&to).with_scheduled_at("in 1 hour")), |_| true) {
        call("emails.update", resend.emails.update(&later.id, UpdateEmailOptions::new().with_scheduled_at("in 2 hours")), |one| one.id == later.id);
        call("emails.cancel", resend.emails.cancel(&later.id), |one| one.id == later.id);
        call("emails.get", resend.emails.get(&later.id), |one| matches!(one.last_event, EmailEvent::Canceled));
    }
    call("emails.share", resend.emails.share(&id, ShareEmailOptions::new().with_expires_in("2 hours")), |one| one.url.starts_with("http"));
    let metrics = GetEmailMetricsOptions::default().with_metric(Metric::Sent).with_domain_dimension();
    call("emails.metrics", resend.emails.metrics(metrics), |one| one.totals["sent"] >= 1.0);
    if let Some(files) = call("emails.list_attachments", resend.emails.list_attachments(&id, ListOptions::default()), |all| all.len() == 1) {
        call("emails.get_attachment", resend.emails.get_attachment(&id, &files[0].id), |one| one.filename.as_deref() == Some("a.txt"));
    }
    refuse("emails.send", resend.emails.send(hello("nobody")), ErrorKind::ValidationError);
    refuse("emails.get", resend.emails.get(NOBODY), ErrorKind::NotFound);
    refuse("emails.send", Resend::new("re_wrong").emails.send(hello(&to)), ErrorKind::ValidationError);
}

fn batch(resend: &Resend) {
    let to = address("batch");
    call("batch.send", resend.batch.send(vec![hello(&to), hello(&to)]), |all| all.len() == 2);
    let mixed = vec![hello(&to), hello("nobody")];
    call("batch.send_with_batch_validation", resend.batch.send_with_batch_validation(mixed, BatchValidation::Permissive), |all| {
        all.data.len() == 1 && all.errors[0].index == 1
    });
}

fn receiving(resend: &Resend) {
    let id = variable("RECEIVED_ID");
    call("receiving.list", resend.receiving.list(ListOptions::default().with_limit(100)), |all| all.data.iter().any(|one| *one.id == *id));
    let options = GetInboundEmailOptions::default().with_html_format(InboundEmailHtmlFormat::Cid);
    call("receiving.get", resend.receiving.get(&id, options), |one| one.html.as_ref().is_some_and(|html| html.contains("cid:logo")));
    if let Some(files) = call("receiving.list_attachments", resend.receiving.list_attachments(&id, ListOptions::default()), |all| all.len() == 2) {
        call("receiving.get_attachment", resend.receiving.get_attachment(&files[0].id, &id), |one| one.id == files[0].id);
    }
    let forward = ForwardReceivingEmail::new(InboundEmailId::new(&id), "me@acme.example", [address("bob")]);
    call("receiving.forward", resend.receiving.forward(forward), |one| !one.id.is_empty());
}

fn broadcasts(resend: &Resend) {
    let Some(segment) = call("segments.create", resend.segments.create("Readers"), |one| one.name == "Readers") else { return };
    let reader = CreateContactOptions::new(&address("reader")).with_segment(&segment.id);
    call("contacts.create", resend.contacts.create(reader), |id| !id.is_empty());
    let letter = CreateBroadcastOptions::new(&segment.id, "news@acme.example", "News").with_html("<p>News</p>").with_name("May");
    let Some(made) = call("broadcasts.create", resend.broadcasts.create(letter), |_| true) else { return };
    let id = made.id;
    call("broadcasts.get", resend.broadcasts.get(&id), |one| one.name == "May" && one.status == "draft");
    call("broadcasts.update", resend.broadcasts.update(&id, UpdateBroadcastOptions::new().with_name("June")), |one| one.id == id);
    call("broadcasts.list", resend.broadcasts.list(ListOptions::default()), |all| all.data.iter().any(|one| one.id == id));
    if let Some(copy) = call("broadcasts.duplicate", resend.broadcasts.duplicate(&id), |_| true) {
        let later = SendBroadcastOptions::new(&copy.id).with_scheduled_at("in 1 hour");
        call("broadcasts.send", resend.broadcasts.send(later), |one| one.id == copy.id);
        call("broadcasts.cancel", resend.broadcasts.cancel(&copy.id), |one| one.id == copy.id);
        call("broadcasts.delete", resend.broadcasts.delete(&copy.id), |is_deleted| *is_deleted);
    }
    call("broadcasts.send", resend.broadcasts.send(SendBroadcastOptions::new(&id)), |one| one.id == id);
    until(|| resend.broadcasts.get(&id).is_ok_and(|one| one.status == "sent"));
    let sent = ListRecipientsOptions::new(BroadcastRecipientEventType::Sent);
    call("broadcasts.recipients", resend.broadcasts.recipients(&id, sent), |all| all.len() == 1);
    call("broadcasts.clicked_links", resend.broadcasts.clicked_links(&id, ListOptions::default()), |all| all.is_empty());
    refuse("broadcasts.get", resend.broadcasts.get(NOBODY), ErrorKind::NotFound);
}
