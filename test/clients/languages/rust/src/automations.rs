use resend_rs::Resend;
use resend_rs::list_opts::ListOptions;
use resend_rs::types::{
    AutomationStatus, Connection, ContactIdOrEmail, CreateAutomationOptions, CreateEventOptions, DelayStepConfig, SendEventOptions, Step, TriggerStepConfig,
    UpdateAutomationOptions, UpdateEventOptions,
};
use serde_json::json;

use crate::checker::{address, call, fresh, until};

pub fn run(resend: &Resend) {
    let name = fresh("user.created");
    let event = CreateEventOptions { name: name.clone(), schema: json!({ "plan": "string" }) };
    let Some(event) = call("events.create", resend.events.create(event), |_| true) else { return };
    call("events.get", resend.events.get(&name), |one| one.id == event.id && one.schema == Some(json!({ "plan": "string" })));
    let change = UpdateEventOptions { schema: json!({ "plan": "string", "at": "date" }) };
    call("events.update", resend.events.update(&name, change), |one| one.id == event.id);
    call("events.list", resend.events.list(ListOptions::default()), |all| all.data.iter().any(|one| one.id == event.id));
    let welcome = CreateAutomationOptions {
        name: "Welcome".to_owned(),
        status: AutomationStatus::Enabled,
        steps: vec![
            Step::Trigger { key: "start".to_owned(), config: TriggerStepConfig { event_name: name.clone() } },
            Step::Delay { key: "pause".to_owned(), config: DelayStepConfig { duration: "1 hour".to_owned() } },
        ],
        connections: vec![Connection::new("start", "pause")],
    };
    let Some(made) = call("automations.create", resend.automations.create(welcome), |_| true) else { return };
    let id = made.id;
    call("automations.get", resend.automations.get(&id), |one| one.id == id && one.steps.len() == 2);
    call("automations.list", resend.automations.list(ListOptions::default()), |all| all.data.iter().any(|one| one.id == id));
    let sent = SendEventOptions { event: name.clone(), contact_id_or_email: ContactIdOrEmail::Email(address("ada")), payload: json!({ "plan": "pro" }) };
    call("events.send", resend.events.send(sent), |one| one.event == name);
    until(|| resend.automations.list_runs(&id, None, ListOptions::default()).is_ok_and(|all| !all.is_empty()));
    let runs = call("automations.list_runs", resend.automations.list_runs(&id, None, ListOptions::default()), |all| all.len() == 1);
    if let Some(run) = runs.and_then(|all| run_id(&format!("{:?}", all[0]))) {
        call("automations.get_run", resend.automations.get_run(&id, &run), |one| run_id(&format!("{one:?}")) == Some(run.clone()));
    }
    call("automations.update", resend.automations.update(&id, UpdateAutomationOptions::new().with_name("Farewell")), |one| one.id == id);
    if let Some(copy) = call("automations.duplicate", resend.automations.duplicate(&id), |_| true) {
        call("automations.delete", resend.automations.delete(&copy.id), |one| one.deleted);
    }
    call("automations.stop", resend.automations.stop(&id), |one| matches!(one.status, AutomationStatus::Disabled));
    call("events.delete", resend.events.delete(&name), |one| one.id == event.id);
}

/// The fields of a run are private to the SDK; what it prints for debugging has the id.
fn run_id(shown: &str) -> Option<String> {
    let rest = shown.split_once("AutomationRunId(\"")?.1;
    Some(rest.split_once('"')?.0.to_owned())
}
