use resend_rs::Resend;
use resend_rs::list_opts::ListOptions;
use resend_rs::types::{
    CreateInboxDraftOptions, CreateInboxLabelOptions, CreateInboxOptions, ErrorKind, ForwardInboxThreadEmailOptions, InboxEmailDirection,
    ListInboxThreadsOptions, ReplyInboxThreadEmailOptions, SearchInboxThreadsOptions, SendInboxDraftOptions, UpdateInboxAgentOptions,
    UpdateInboxDraftOptions, UpdateInboxLabelOptions, UpdateInboxOptions, UpdateInboxThreadOptions,
};

use crate::checker::{address, call, fresh, refuse, variable};

pub fn run(resend: &Resend) {
    let inboxes = &resend.inboxes;
    let sales = CreateInboxOptions::new(format!("{}@{}", fresh("sales"), variable("INBOX_DOMAIN"))).with_name("Sales");
    let Some(made) = call("inboxes.create", inboxes.create(sales), |_| true) else { return };
    call("inboxes.get", inboxes.get(&made.id), |one| one.id == made.id && one.name == "Sales");
    call("inboxes.update", inboxes.update(&made.id, UpdateInboxOptions::new().with_name("Shop")), |one| one.id == made.id);
    call("inboxes.list", inboxes.list(ListOptions::default()), |all| all.data.iter().any(|one| one.id == made.id));
    let told = UpdateInboxAgentOptions::new().with_instructions("Label bugs.");
    call("inboxes.update_agent", inboxes.update_agent(&made.id, told), |_| true);
    call("inboxes.get_agent", inboxes.get_agent(&made.id), |one| one.instructions.as_deref() == Some("Label bugs."));
    call("inboxes.delete", inboxes.delete(&made.id), |one| one.deleted);
    refuse("inboxes.get", inboxes.get(&made.id), ErrorKind::NotFound);
    threads(resend);
    drafts(resend);
}

fn threads(resend: &Resend) {
    let inboxes = &resend.inboxes;
    let inbox = variable("INBOX_ID");
    let list = inboxes.list_threads(&inbox, ListInboxThreadsOptions::new(), ListOptions::default());
    let Some(all) = call("inboxes.list_threads", list, |all| !all.is_empty()) else { return };
    let thread = all[0].id.to_string();
    let search = SearchInboxThreadsOptions::new().with_query("Question");
    call("inboxes.search_threads", inboxes.search_threads(&inbox, search, ListOptions::default()), |all| *all[0].thread.id == *thread);
    call("inboxes.get_thread", inboxes.get_thread(&inbox, &thread), |one| *one.id == *thread);
    call("inboxes.update_thread", inboxes.update_thread(&inbox, &thread, UpdateInboxThreadOptions::new().with_read(true)), |one| one.read);
    let bug = CreateInboxLabelOptions::new("Bug").with_color("#E93D82");
    if let Some(label) = call("inboxes.create_label", inboxes.create_label(&inbox, bug), |_| true) {
        let id = label.id.to_string();
        call("inboxes.list_labels", inboxes.list_labels(&inbox), |all| all.data.iter().any(|one| one.id == label.id));
        call("inboxes.update_label", inboxes.update_label(&inbox, &id, UpdateInboxLabelOptions::new().with_name("Idea")), |one| one.id == label.id);
        call("inboxes.add_thread_labels", inboxes.add_thread_labels(&inbox, &thread, &[&id]), |all| all.data[0].id == label.id);
        call("inboxes.set_thread_labels", inboxes.set_thread_labels(&inbox, &thread, &[&id]), |all| all.data[0].id == label.id);
        call("inboxes.remove_thread_label", inboxes.remove_thread_label(&inbox, &thread, &id), |all| all.data.is_empty());
        call("inboxes.delete_label", inboxes.delete_label(&inbox, &id), |one| one.deleted);
    }
    let list = inboxes.list_thread_emails(&inbox, &thread, ListOptions::default());
    if let Some(all) = call("inboxes.list_thread_emails", list, |all| !all.is_empty()) {
        let email = all.data.iter().find(|one| matches!(one.direction, InboxEmailDirection::Inbound)).map(|one| one.id.to_string()).unwrap_or_default();
        call("inboxes.get_thread_email", inboxes.get_thread_email(&inbox, &thread, &email), |one| *one.id == *email);
        let reply = ReplyInboxThreadEmailOptions::new().with_text("Sure");
        call("inboxes.reply_thread_email", inboxes.reply_thread_email(&inbox, &thread, &email, reply), |one| !one.id.is_empty());
        let forward = ForwardInboxThreadEmailOptions::new([address("boss")]).with_text("Look");
        call("inboxes.forward_thread_email", inboxes.forward_thread_email(&inbox, &thread, &email, forward), |one| !one.id.is_empty());
    }
    call("inboxes.delete_thread", inboxes.delete_thread(&inbox, &thread), |one| *one.id == *thread);
}

fn drafts(resend: &Resend) {
    let inboxes = &resend.inboxes;
    let inbox = variable("INBOX_ID");
    let tea = CreateInboxDraftOptions::new().with_to([address("eve")]).with_subject("Tea").with_text("Hi");
    let Some(made) = call("inboxes.create_draft", inboxes.create_draft(&inbox, tea), |_| true) else { return };
    call("inboxes.get_draft", inboxes.get_draft(&inbox, &made.id), |one| one.subject.as_deref() == Some("Tea"));
    let change = UpdateInboxDraftOptions::new().with_subject("Green tea");
    call("inboxes.update_draft", inboxes.update_draft(&inbox, &made.id, change), |one| one.id == made.id);
    call("inboxes.list_drafts", inboxes.list_drafts(&inbox, ListOptions::default()), |all| all.data.iter().any(|one| one.id == made.id));
    call("inboxes.send_draft", inboxes.send_draft(&inbox, &made.id, SendInboxDraftOptions::new()), |one| !one.id.is_empty());
    let spare = CreateInboxDraftOptions::new().with_subject("Spare");
    if let Some(spare) = call("inboxes.create_draft", inboxes.create_draft(&inbox, spare), |_| true) {
        call("inboxes.delete_draft", inboxes.delete_draft(&inbox, &spare.id), |one| one.deleted);
    }
}
