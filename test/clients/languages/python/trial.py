"""Every method of the SDK for Python: first as they are, then the ones for asyncio."""

import base64
import json
import os
import time
import urllib.request
import uuid

import resend
from resend.exceptions import InvalidApiKeyError, MissingRequiredFieldsError, ResendError, ValidationError
from resend.version import get_version

from checker import Checker, methods

NOBODY = "00000000-0000-4000-8000-000000000000"
HELLO = {"from": "Acme <me@acme.example>", "subject": "Hello", "html": "<p>Hi</p>"}


def fresh(word):
    return f"{word}-{uuid.uuid4().hex[:10]}"


def address(word):
    return f"{fresh(word)}@example.com"


def until(ask):
    """Asks again until there is an answer, half a minute at most."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        answer = ask()
        if answer:
            return answer
        time.sleep(0.05)
    return None


def has(**fields):
    return lambda reply: all(reply[name] == value for name, value in fields.items())


def lists(id):
    return lambda reply: any(one["id"] == id for one in reply["data"])


def emails(sdk):
    to = address("you")
    whole = {**HELLO, "to": [to], "cc": address("cc"), "bcc": [address("bcc")], "reply_to": "help@acme.example", "text": "Hi",
             "headers": {"X-Entity-Ref-ID": "1"}, "tags": [{"name": "kind", "value": "greeting"}],
             "attachments": [{"filename": "a.txt", "content": list(b"hello")},
                             {"filename": "b.txt", "content": base64.b64encode(b"base64").decode()}]}
    id = sdk.call("Emails.send", whole, expect=lambda reply: reply["id"]).get("id")
    sdk.call("Emails.get", id, expect=lambda reply: reply["to"] == [to] and reply["reply_to"] == ["help@acme.example"] and reply["text"] == "Hi")
    sdk.call("Emails.list", {"limit": 5}, expect=lists(id))
    key = {"idempotency_key": fresh("key")}
    first = sdk.call("Emails.send", {**HELLO, "to": to}, key)
    sdk.call("Emails.send", {**HELLO, "to": to}, key, expect=has(id=first.get("id")))
    later = sdk.call("Emails.send", {**HELLO, "to": to, "scheduled_at": "in 1 hour"}).get("id")
    sdk.call("Emails.update", {"id": later, "scheduled_at": "in 2 hours"}, expect=has(object="email", id=later))
    sdk.call("Emails.cancel", later, expect=has(object="email", id=later))
    sdk.call("Emails.get", later, expect=has(last_event="canceled"))
    sdk.call("Emails.share", id, expect=lambda reply: reply["url"].startswith("http"))
    sdk.call("Emails.metrics", {"metrics": ["sent", "delivered"], "dimensions": ["domain"]}, expect=lambda reply: reply["totals"]["sent"] >= 1)
    files = sdk.call("Emails.Attachments.list", id, expect=lambda reply: len(reply["data"]) == 2)
    file = files["data"][0]["id"] if files.get("data") else NOBODY
    sdk.call("Emails.Attachments.get", id, file, expect=lambda reply: reply["id"] == file and reply["download_url"].startswith("http"))
    sdk.call("Batch.send", [{**HELLO, "to": to}, {**HELLO, "to": [to]}], expect=lambda reply: len(reply["data"]) == 2)
    sdk.call("Batch.send", [{**HELLO, "to": to}, {**HELLO, "to": "nobody"}], {"batch_validation": "permissive"},
             expect=lambda reply: len(reply["data"]) == 1 and reply["errors"][0]["index"] == 1)
    sdk.refuse("Emails.send", {**HELLO, "to": "nobody"}, kind=ValidationError, code=422)
    sdk.refuse("Emails.send", HELLO, kind=MissingRequiredFieldsError, code=422)
    sdk.refuse("Emails.get", NOBODY, kind=ResendError, code=404)
    token, resend.api_key = resend.api_key, "re_wrong"
    sdk.refuse("Emails.send", {**HELLO, "to": to}, kind=InvalidApiKeyError, code=403)
    resend.api_key = token


def receiving(sdk):
    id = os.environ["RECEIVED_ID"]
    sdk.call("Emails.Receiving.list", {"limit": 100}, expect=lists(id))
    sdk.call("Emails.Receiving.get", id, {"html_format": "cid"}, expect=lambda reply: reply["id"] == id and "cid:logo" in reply["html"])
    files = sdk.call("Emails.Receiving.Attachments.list", id, expect=lambda reply: len(reply["data"]) == 2)
    file = files["data"][0]["id"] if files.get("data") else NOBODY
    sdk.call("Emails.Receiving.Attachments.get", id, file, expect=has(id=file))
    sdk.refuse("Emails.Receiving.get", NOBODY, kind=ResendError, code=404)


def groups(sdk):
    for part in ["Segments", "Audiences"]:
        id = sdk.call(f"{part}.create", {"name": "Early birds"}, expect=has(name="Early birds")).get("id")
        sdk.call(f"{part}.get", id, expect=has(id=id, name="Early birds"))
        sdk.call(f"{part}.list", expect=lists(id))
        if part == "Segments":
            sdk.call("Segments.update", id, {"name": "Night owls"}, expect=has(id=id))
        sdk.call(f"{part}.remove", id, expect=has(id=id, deleted=True))
        sdk.refuse(f"{part}.get", id, kind=ResendError, code=404)


def contacts(sdk):
    segment = sdk.call("Segments.create", {"name": "Navy"}).get("id")
    other = sdk.call("Segments.create", {"name": "Other"}).get("id")
    topic = sdk.call("Topics.create", {"name": "Compilers", "default_subscription": "opt_out"}).get("id")
    key = fresh("rank").replace("-", "_")
    property = sdk.call("ContactProperties.create", {"key": key, "type": "string", "fallback_value": "none"}, expect=has(object="contact_property")).get("id")
    email = address("grace")
    whole = {"email": email, "first_name": "Grace", "properties": {key: "admiral"}, "segments": [{"id": segment}],
             "topics": [{"id": topic, "subscription": "opt_in"}]}
    id = sdk.call("Contacts.create", whole, expect=has(object="contact")).get("id")
    sdk.call("Contacts.get", id=id, expect=lambda reply: reply["email"] == email and reply["properties"][key]["value"] == "admiral")
    sdk.call("Contacts.get", email=email, expect=has(id=id))
    sdk.call("Contacts.list", segment_id=segment, expect=lists(id))
    sdk.call("Contacts.update", {"id": id, "last_name": "Hopper", "unsubscribed": True}, expect=has(id=id))
    sdk.call("Contacts.get", id=id, expect=has(last_name="Hopper", unsubscribed=True))
    sdk.call("Contacts.Segments.add", {"email": email, "segment_id": other}, expect=has(id=other))
    sdk.call("Contacts.Segments.list", {"contact_id": id}, expect=lists(other))
    sdk.call("Contacts.Segments.remove", {"contact_id": id, "segment_id": other}, expect=has(id=other, deleted=True))
    sdk.call("Contacts.Topics.update", {"email": email, "topics": [{"id": topic, "subscription": "opt_out"}]}, expect=has(id=id))
    sdk.call("Contacts.Topics.list", contact_id=id,
             expect=lambda reply: {"id": topic, "subscription": "opt_out"}.items() <= next(one for one in reply["data"] if one["id"] == topic).items())
    sdk.call("ContactProperties.get", property, expect=has(key=key, fallback_value="none"))
    sdk.call("ContactProperties.list", expect=lists(property))
    sdk.call("ContactProperties.update", {"id": property, "fallback_value": "sailor"}, expect=has(id=property))
    sdk.call("ContactProperties.remove", property, expect=has(id=property, deleted=True))
    csv = f"email,first_name\n{address('csv')},Ada\n"
    made = sdk.call("Contacts.Imports.create", {"file": csv.encode(), "on_conflict": "upsert"}, expect=has(object="contact_import")).get("id")
    until(lambda: resend.Contacts.Imports.get(made)["status"] == "completed")
    sdk.call("Contacts.Imports.get", made, expect=lambda reply: reply["status"] == "completed" and reply["counts"]["created"] == 1)
    sdk.call("Contacts.Imports.list", {"limit": 5}, expect=lists(made))
    sdk.call("Contacts.remove", email=email, expect=lambda reply: reply["deleted"] is True and reply["contact"] == id)
    sdk.refuse("Contacts.get", id=id, kind=ResendError, code=404)


def topics(sdk):
    id = sdk.call("Topics.create", {"name": "Weekly", "default_subscription": "opt_in", "description": "Each Monday"}).get("id")
    sdk.call("Topics.get", id, expect=has(name="Weekly", description="Each Monday", default_subscription="opt_in"))
    sdk.call("Topics.update", id, {"name": "Monthly"}, expect=has(id=id))
    sdk.call("Topics.list", expect=lists(id))
    sdk.call("Topics.remove", id, expect=has(id=id, deleted=True))


def suppressions(sdk):
    email = address("stop")
    id = sdk.call("Suppressions.add", {"email": email}, expect=has(object="suppression")).get("id")
    sdk.call("Suppressions.get", email, expect=has(id=id, email=email, origin="manual"))
    sdk.call("Suppressions.list", {"origin": "manual", "limit": 5}, expect=lists(id))
    sdk.call("Suppressions.remove", id, expect=has(id=id, deleted=True))
    both = [address("stop"), address("stop")]
    sdk.call("Suppressions.Batch.add", {"emails": both}, expect=lambda reply: len(reply["data"]) == 2)
    sdk.call("Suppressions.Batch.remove", {"emails": both}, expect=lambda reply: all(one["deleted"] for one in reply["data"]))


def domains(sdk):
    name = f"{fresh('py')}.example"
    id = sdk.call("Domains.create", {"name": name}, expect=lambda reply: reply["name"] == name and reply["records"]).get("id")
    sdk.call("Domains.get", id, expect=has(id=id, name=name))
    sdk.call("Domains.list", expect=lists(id))
    sdk.call("Domains.update", {"id": id, "open_tracking": True, "tls": "enforced"}, expect=has(id=id))
    sdk.call("Domains.verify", id, expect=has(id=id))
    sdk.call("Domains.remove", id, expect=has(id=id, deleted=True))
    claim = sdk.call("Domains.Claims.create", {"name": os.environ["CLAIM" + sdk.suffix.upper()]}, expect=has(object="domain_claim"))
    sdk.call("Domains.Claims.get", claim.get("domain_id"), expect=has(id=claim.get("id")))
    sdk.call("Domains.Claims.verify", claim.get("domain_id"), expect=has(id=claim.get("id")))


def keys(sdk):
    id = sdk.call("ApiKeys.create", {"name": "Server", "permission": "sending_access"}, expect=lambda reply: reply["token"].startswith("re_")).get("id")
    sdk.call("ApiKeys.list", expect=lists(id))
    sdk.call("ApiKeys.update", {"id": id, "name": "Other"}, expect=has(id=id))
    sdk.call("ApiKeys.remove", id)
    sdk.refuse("ApiKeys.remove", NOBODY, kind=ResendError, code=404)
    grant = os.environ["GRANT" + sdk.suffix.upper()]
    sdk.call("OAuthGrants.list", expect=lists(grant))
    sdk.call("OAuthGrants.revoke", grant, expect=has(id=grant))
    sdk.call("Usage.get", expect=has(object="usage"))


def templates(sdk):
    alias = fresh("order")
    whole = {"name": "Order", "alias": alias, "from": "shop@acme.example", "subject": "Order {{{NUMBER}}}", "html": "<p>{{{NUMBER}}}</p>",
             "variables": [{"key": "NUMBER", "type": "number", "fallback_value": 1}]}
    id = sdk.call("Templates.create", whole, expect=has(object="template")).get("id")
    sdk.call("Templates.update", {"id": id, "text": "Order {{{NUMBER}}}"}, expect=has(id=id))
    sdk.call("Templates.publish", id, expect=has(id=id))
    sdk.call("Templates.get", alias, expect=has(id=id, status="published"))
    sdk.call("Templates.list", expect=lists(id))
    sent = sdk.call("Emails.send", {"to": "reader@example.com", "template": {"id": alias, "variables": {"NUMBER": 7}}}).get("id")
    sdk.call("Emails.get", sent, expect=has(subject="Order 7", html="<p>7</p>"))
    copy = sdk.call("Templates.duplicate", id).get("id")
    sdk.call("Templates.remove", copy, expect=has(id=copy, deleted=True))


def broadcasts(sdk):
    segment = sdk.call("Segments.create", {"name": "Readers"}).get("id")
    sdk.call("Contacts.create", {"email": address("reader"), "segments": [{"id": segment}]})
    letter = {"segment_id": segment, "from": "news@acme.example", "subject": "News", "html": "<p>News</p>", "name": "May"}
    id = sdk.call("Broadcasts.create", letter).get("id")
    sdk.call("Broadcasts.get", id, expect=has(id=id, name="May", status="draft"))
    sdk.call("Broadcasts.update", {"broadcast_id": id, "name": "June"}, expect=has(id=id))
    sdk.call("Broadcasts.list", expect=lists(id))
    copy = sdk.call("Broadcasts.duplicate", id).get("id")
    sdk.call("Broadcasts.send", {"broadcast_id": copy, "scheduled_at": "in 1 hour"}, expect=has(id=copy))
    sdk.call("Broadcasts.cancel", copy, expect=has(id=copy))
    sdk.call("Broadcasts.remove", copy, expect=has(id=copy, deleted=True))
    sdk.call("Broadcasts.send", {"broadcast_id": id}, expect=has(id=id))
    until(lambda: resend.Broadcasts.get(id)["status"] == "sent")
    sdk.call("Broadcasts.recipients", id, {"type": "sent"}, expect=lambda reply: len(reply["data"]) == 1)
    sdk.call("Broadcasts.clicked_links", id, expect=has(object="list"))


def webhooks(sdk):
    endpoint = os.environ["HOOK_URL"] + sdk.suffix
    hook = sdk.call("Webhooks.create", {"endpoint": endpoint, "events": ["email.sent"]}, expect=lambda reply: reply["signing_secret"].startswith("whsec_"))
    id = hook.get("id")
    sdk.call("Webhooks.get", id, expect=has(id=id, endpoint=endpoint))
    sdk.call("Webhooks.list", expect=lists(id))
    sdk.call("Emails.send", {**HELLO, "to": address("hook")})
    event = until(lambda: next((one for one in resend.Webhooks.list_events(id)["data"] if one["status"] == "success"), None)) or {"id": NOBODY}
    sdk.call("Webhooks.list_events", id, expect=lists(event["id"]))
    sdk.call("Webhooks.get_event", id, event["id"], expect=has(id=event["id"], type="email.sent"))
    sdk.call("Webhooks.list_event_attempts", id, event["id"], expect=lambda reply: reply["data"][0]["http_status_code"] == 200)
    with urllib.request.urlopen(endpoint) as last:
        delivery = json.load(last)
    headers = {name: delivery["headers"][f"svix-{name}"] for name in ["id", "timestamp", "signature"]}
    signed = {"payload": delivery["body"], "headers": headers, "webhook_secret": hook.get("signing_secret")}
    sdk.call("Webhooks.verify", signed, expect=has(type="email.sent"))
    sdk.refuse("Webhooks.verify", {**signed, "payload": delivery["body"] + " "}, kind=ValueError, code="")
    sdk.call("Webhooks.replay_event", id, event["id"], expect=has(id=event["id"]))
    sdk.call("Webhooks.rotate_signing_secret", id, expect=lambda reply: reply["signing_secret"] != hook.get("signing_secret"))
    sdk.call("Webhooks.update", {"webhook_id": id, "status": "disabled"}, expect=has(id=id))
    sdk.call("Webhooks.remove", id, expect=has(id=id, deleted=True))


def automations(sdk):
    name = fresh("user.created")
    event = sdk.call("Events.create", {"name": name, "schema": {"plan": "string"}}, expect=has(object="event")).get("id")
    sdk.call("Events.get", name, expect=has(id=event, name=name, schema={"plan": "string"}))
    sdk.call("Events.update", {"identifier": name, "schema": {"plan": "string", "at": "date"}}, expect=has(id=event))
    sdk.call("Events.list", expect=lists(event))
    steps = [{"key": "start", "type": "trigger", "config": {"event_name": name}}, {"key": "pause", "type": "delay", "config": {"duration": "1 hour"}}]
    id = sdk.call("Automations.create", {"name": "Welcome", "status": "enabled", "steps": steps, "connections": [{"from": "start", "to": "pause"}]},
                  expect=has(object="automation")).get("id")
    sdk.call("Automations.get", id, expect=lambda reply: reply["status"] == "enabled" and reply["steps"][0]["config"]["event_name"] == name)
    sdk.call("Automations.list", {"status": "enabled"}, expect=lists(id))
    sdk.call("Events.send", {"event": name, "email": address("ada"), "payload": {"plan": "pro"}}, expect=has(event=name))
    run = until(lambda: next(iter(resend.Automations.Runs.list(id)["data"]), None)) or {"id": NOBODY}
    sdk.call("Automations.Runs.list", id, {"status": "running"}, expect=lists(run["id"]))
    sdk.call("Automations.Runs.get", id, run["id"], expect=lambda reply: reply["id"] == run["id"] and len(reply["steps"]) == 2)
    sdk.call("Automations.update", {"automation_id": id, "name": "Farewell"}, expect=has(id=id))
    copy = sdk.call("Automations.duplicate", id, expect=has(object="automation")).get("id")
    sdk.call("Automations.stop", id, expect=has(id=id, status="disabled"))
    sdk.call("Automations.remove", copy, expect=has(id=copy, deleted=True))
    sdk.call("Events.remove", name, expect=has(id=event, deleted=True))


def inboxes(sdk):
    inbox = os.environ["INBOX_ID"]
    made = sdk.call("Inboxes.create", {"email_address": f"{fresh('sales')}@{os.environ['INBOX_DOMAIN']}", "name": "Sales"}, expect=has(object="inbox")).get("id")
    sdk.call("Inboxes.get", made, expect=has(id=made, name="Sales"))
    sdk.call("Inboxes.update", {"id": made, "name": "Shop"}, expect=has(id=made))
    sdk.call("Inboxes.list", expect=lists(made))
    sdk.call("Inboxes.Agent.get", made, expect=has(object="inbox_agent"))
    sdk.call("Inboxes.Agent.update", {"inbox_id": made, "instructions": "Label bugs."}, expect=has(object="inbox_agent"))
    sdk.call("Inboxes.remove", made, expect=has(id=made, deleted=True))
    threads = sdk.call("Inboxes.Threads.list", inbox, expect=lambda reply: len(reply["data"]) >= 1)
    thread = threads["data"][0]["id"] if threads.get("data") else NOBODY
    sdk.call("Inboxes.Threads.get", inbox, thread, expect=has(id=thread))
    sdk.call("Inboxes.Threads.search", inbox, {"query": "Question"}, expect=lists(thread))
    sdk.call("Inboxes.Threads.update", {"inbox_id": inbox, "id": thread, "read": True}, expect=has(id=thread, read=True))
    label = sdk.call("Inboxes.Labels.create", {"inbox_id": inbox, "name": fresh("Bug")}).get("id")
    sdk.call("Inboxes.Labels.list", inbox, expect=lists(label))
    sdk.call("Inboxes.Labels.update", {"inbox_id": inbox, "id": label, "name": fresh("Idea")}, expect=has(id=label))
    sdk.call("Inboxes.Threads.Labels.add", {"inbox_id": inbox, "thread_id": thread, "labels": [label]}, expect=lists(label))
    sdk.call("Inboxes.Threads.Labels.set", {"inbox_id": inbox, "thread_id": thread, "labels": [label]}, expect=lists(label))
    sdk.call("Inboxes.Threads.Labels.remove", inbox, thread, label, expect=lambda reply: reply["data"] == [])
    sdk.call("Inboxes.Labels.remove", inbox, label, expect=has(id=label, deleted=True))
    emails = sdk.call("Inboxes.Threads.Emails.list", inbox, thread, expect=lambda reply: len(reply["data"]) >= 1)
    # Only what came in can be answered from here on; an answer of ours is in the thread, too.
    email = next((one["id"] for one in emails.get("data", []) if one["direction"] == "inbound"), NOBODY)
    place = {"inbox_id": inbox, "thread_id": thread, "email_id": email}
    sdk.call("Inboxes.Threads.Emails.get", **place, expect=has(id=email))
    sdk.call("Inboxes.Threads.Emails.reply", {**place, "text": "Sure"}, expect=lambda reply: reply["id"])
    sdk.call("Inboxes.Threads.Emails.forward", {**place, "to": address("boss"), "text": "Look"}, expect=lambda reply: reply["id"])
    draft = sdk.call("Inboxes.Drafts.create", {"inbox_id": inbox, "to": address("eve"), "subject": "Tea", "text": "Hi"}, expect=has(object="inbox_draft")).get("id")
    sdk.call("Inboxes.Drafts.get", inbox, draft, expect=has(id=draft, subject="Tea"))
    sdk.call("Inboxes.Drafts.update", {"inbox_id": inbox, "id": draft, "subject": "Green tea"}, expect=has(id=draft))
    sdk.call("Inboxes.Drafts.list", inbox, expect=lists(draft))
    sdk.call("Inboxes.Drafts.send", inbox, draft, expect=lambda reply: reply["id"])
    spare = sdk.call("Inboxes.Drafts.create", {"inbox_id": inbox, "subject": "Spare"}).get("id")
    sdk.call("Inboxes.Drafts.remove", inbox, spare, expect=has(id=spare, deleted=True))
    if sdk.suffix:
        sdk.call("Inboxes.Threads.remove", inbox, thread, expect=has(id=thread, deleted=True))
    else:
        sdk.call("Inboxes.Threads.remove", inbox, thread, expect=has(id=thread))
        sdk.call("Inboxes.Threads.update", {"inbox_id": inbox, "id": thread, "folder": "inbox"}, expect=has(folder="inbox"))


def logs(sdk):
    found = until(lambda: next(iter(resend.Logs.list({"limit": 1})["data"]), None)) or {"id": NOBODY}
    sdk.call("Logs.list", {"limit": 100}, expect=lists(found["id"]))
    sdk.call("Logs.get", found["id"], expect=has(id=found["id"]))
    sdk.refuse("Logs.get", NOBODY, kind=ResendError, code=404)


resend.api_key = os.environ["RESEND_API_KEY"]
resend.api_url = os.environ["BASE_URL"]
print(json.dumps({"version": get_version(), "methods": methods()}), flush=True)
for is_async in [False, True]:
    sdk = Checker(is_async)
    for part in [emails, receiving, groups, contacts, topics, suppressions, domains, keys, templates, broadcasts, webhooks, automations, inboxes, logs]:
        part(sdk)
