use std::fs::{self, File};

use resend_rs::Resend;
use resend_rs::list_opts::ListOptions;
use resend_rs::types::{
    AddSuppressionOptions, BatchAddSuppressionOptions, BatchRemoveSuppressionOptions, ContactChanges, ContactImportOnConflict, ContactImportStatus,
    ContactPropertyChanges, CreateContactImportOptions, CreateContactOptions, CreateContactPropertyOptions, CreateTopicOptions, ErrorKind, PropertyType,
    SubscriptionType, UpdateContactTopicOptions, UpdateTopicOptions,
};

use crate::checker::{address, call, fresh, refuse, until};

pub fn run(resend: &Resend) {
    segments(resend);
    contacts(resend);
    imports(resend);
    topics(resend);
    suppressions(resend);
}

fn segments(resend: &Resend) {
    let Some(made) = call("segments.create", resend.segments.create("Early birds"), |one| one.name == "Early birds") else { return };
    let id = made.id;
    call("segments.get", resend.segments.get(&id), |one| one.id == id && one.name == "Early birds");
    call("segments.list", resend.segments.list(ListOptions::default()), |all| all.data.iter().any(|one| one.id == id));
    call("segments.update", resend.segments.update(&id, "Night owls"), |one| one.id == id);
    call("segments.delete", resend.segments.delete(&id), |is_deleted| *is_deleted);
    refuse("segments.get", resend.segments.get(&id), ErrorKind::NotFound);
}

fn contacts(resend: &Resend) {
    let Some(segment) = call("segments.create", resend.segments.create("Navy"), |_| true) else { return };
    let compilers = CreateTopicOptions::new("Compilers", SubscriptionType::OptOut);
    let Some(topic) = call("topics.create", resend.topics.create(compilers), |_| true) else { return };
    let key = fresh("rank").replace('-', "_");
    let property = CreateContactPropertyOptions::new(&key, PropertyType::String).with_fallback("none");
    let Some(property) = call("contacts.create_property", resend.contacts.create_property(property), |_| true) else { return };
    let email = address("grace");
    let whole = CreateContactOptions::new(&email).with_first_name("Grace").with_property(&key, "admiral").with_segment(&segment.id);
    let Some(id) = call("contacts.create", resend.contacts.create(whole), |id| !id.is_empty()) else { return };
    call("contacts.get", resend.contacts.get(&email), |one| {
        one.id == id && one.properties.as_ref().is_some_and(|all| all[&key].value == "admiral")
    });
    call("contacts.list", resend.contacts.list(ListOptions::default()), |all| all.data.iter().any(|one| one.id == id));
    call("segments.list_contacts", resend.segments.list_contacts(&segment.id, ListOptions::default()), |all| all[0].id == id);
    let change = ContactChanges::new().with_last_name("Hopper").with_unsubscribed(true);
    call("contacts.update", resend.contacts.update(&id, change), |one| one.id == id);
    call("contacts.get", resend.contacts.get(&id), |one| one.last_name.as_deref() == Some("Hopper") && one.unsubscribed);
    call("contacts.delete_contact_segment", resend.contacts.delete_contact_segment(&id, &segment.id), |one| one.deleted);
    call("contacts.add_contact_segment", resend.contacts.add_contact_segment(&email, &segment.id), |one| one.id == segment.id);
    call("contacts.list_contact_segment", resend.contacts.list_contact_segment(&id, ListOptions::default()), |all| all[0].id == segment.id);
    let wanted = vec![UpdateContactTopicOptions::new(topic.id.to_string(), SubscriptionType::OptIn)];
    call("contacts.update_contact_topics", resend.contacts.update_contact_topics(&id, wanted), |one| one.id == id);
    call("contacts.get_contact_topics", resend.contacts.get_contact_topics(&id, ListOptions::default()), |all| {
        all.data.iter().any(|one| one.id == topic.id && matches!(one.subscription, SubscriptionType::OptIn))
    });
    call("contacts.get_property", resend.contacts.get_property(&property.id), |one| one.key == key);
    call("contacts.list_properties", resend.contacts.list_properties(ListOptions::default()), |all| all.data.iter().any(|one| one.id == property.id));
    let change = ContactPropertyChanges::default().with_fallback("sailor");
    call("contacts.update_property", resend.contacts.update_property(&property.id, change), |one| one.id == property.id);
    call("contacts.delete_property", resend.contacts.delete_property(&property.id), |one| one.deleted);
    call("contacts.delete", resend.contacts.delete(&email), |is_deleted| *is_deleted);
    refuse("contacts.get", resend.contacts.get(&id), ErrorKind::NotFound);
}

fn imports(resend: &Resend) {
    fs::write("import.csv", format!("email,first_name\n{},Ada\n", address("csv"))).expect("a file of our own");
    let file = File::open("import.csv").expect("the file");
    let options = CreateContactImportOptions::new().with_on_conflict(ContactImportOnConflict::Upsert);
    let Some(made) = call("contacts.create_import", resend.contacts.create_import(file, options), |_| true) else { return };
    until(|| resend.contacts.get_import(&made.id).is_ok_and(|one| matches!(one.status, ContactImportStatus::Completed)));
    call("contacts.get_import", resend.contacts.get_import(&made.id), |one| matches!(one.status, ContactImportStatus::Completed));
    call("contacts.list_imports", resend.contacts.list_imports(ListOptions::default()), |all| all.data.iter().any(|one| one.id == made.id));
}

fn topics(resend: &Resend) {
    let weekly = CreateTopicOptions::new("Weekly", SubscriptionType::OptIn).with_description("Each Monday".to_owned());
    let Some(made) = call("topics.create", resend.topics.create(weekly), |_| true) else { return };
    let id = made.id;
    call("topics.get", resend.topics.get(&id), |one| one.name == "Weekly" && one.description.as_deref() == Some("Each Monday"));
    call("topics.update", resend.topics.update(&id, UpdateTopicOptions::default().with_name("Monthly")), |one| one.id == id);
    call("topics.list", resend.topics.list(ListOptions::default()), |all| all.data.iter().any(|one| one.id == id));
    call("topics.delete", resend.topics.delete(&id), |one| one.deleted);
}

fn suppressions(resend: &Resend) {
    let email = address("stop");
    let add = AddSuppressionOptions::new().with_email(&email);
    let Some(made) = call("suppressions.add", resend.suppressions.add(add), |_| true) else { return };
    call("suppressions.get", resend.suppressions.get(&email), |one| one.id == made.id && one.email == email);
    call("suppressions.list", resend.suppressions.list(ListOptions::default()), |all| all.data.iter().any(|one| one.id == made.id));
    call("suppressions.remove", resend.suppressions.remove(&made.id), |one| one.deleted);
    let both = [address("stop"), address("halt")];
    let add = BatchAddSuppressionOptions::new().add_emails(both.clone());
    call("suppressions.batch_add", resend.suppressions.batch_add(add), |all| all.data.len() == 2);
    let remove = BatchRemoveSuppressionOptions::new().add_emails(both);
    call("suppressions.batch_remove", resend.suppressions.batch_remove(remove), |all| all.data.iter().all(|one| one.deleted));
}
