# Every method of the SDK for Ruby.
require "base64"
require "net/http"
require "securerandom"
require "tempfile"
require "resend"
require_relative "checker"

NOBODY = "00000000-0000-4000-8000-000000000000".freeze
HELLO = { from: "Acme <me@acme.example>", subject: "Hello", html: "<p>Hi</p>" }.freeze

def fresh(word) = "#{word}-#{SecureRandom.hex(5)}"
def address(word) = "#{fresh(word)}@example.com"
def has(fields) = ->(reply) { fields.all? { |name, value| reply[name] == value } }
def lists(id) = ->(reply) { reply[:data].any? { |one| one[:id] == id } }

def emails
  to = address("you")
  whole = { **HELLO, to: [to], cc: address("cc"), bcc: [address("bcc")], reply_to: "help@acme.example", text: "Hi",
            headers: { "X-Entity-Ref-ID": "1" }, tags: [{ name: "kind", value: "greeting" }],
            attachments: [{ filename: "a.txt", content: "hello".bytes }, { filename: "b.txt", content: Base64.strict_encode64("base64") }] }
  id = call("Emails.send", whole) { |reply| reply[:id] }[:id]
  call("Emails.get", id) { |reply| reply[:to] == [to] && reply[:reply_to] == ["help@acme.example"] && reply[:text] == "Hi" }
  call("Emails.list", { limit: 5 }, &lists(id))
  key = { idempotency_key: fresh("key") }
  first = call("Emails.send", { **HELLO, to: to }, options: key)
  call("Emails.send", { **HELLO, to: to }, options: key, &has(id: first[:id]))
  later = call("Emails.send", { **HELLO, to: to, scheduled_at: "in 1 hour" })[:id]
  call("Emails.update", { email_id: later, scheduled_at: "in 2 hours" }, &has(object: "email", id: later))
  call("Emails.cancel", later, &has(object: "email", id: later))
  call("Emails.get", later, &has(last_event: "canceled"))
  call("Emails.share", id) { |reply| reply[:url].start_with?("http") }
  files = call("Emails.Attachments.list", { email_id: id }) { |reply| reply[:data].length == 2 }
  file = files.dig(:data, 0, :id) || NOBODY
  call("Emails.Attachments.get", { email_id: id, id: file }) { |reply| reply[:id] == file && reply[:download_url].start_with?("http") }
  call("Batch.send", [{ **HELLO, to: to }, { **HELLO, to: [to] }]) { |reply| reply[:data].length == 2 }
  call("Batch.send", [{ **HELLO, to: to }, { **HELLO, to: "nobody" }], options: { batch_validation: "permissive" }) do |reply|
    reply[:data].length == 1 && reply[:errors][0][:index] == 1
  end
  refuse("Emails.send", { **HELLO, to: "nobody" }, kind: Resend::Error::InvalidRequestError, saying: /Invalid `to` field/)
  refuse("Emails.get", NOBODY, kind: Resend::Error::NotFoundError, saying: /not found/)
  token = Resend.api_key
  Resend.api_key = "re_wrong"
  refuse("Emails.send", { **HELLO, to: to }, kind: Resend::Error, saying: /API key is invalid/)
  Resend.api_key = token
end

def receiving
  id = ENV.fetch("RECEIVED_ID")
  call("Emails.Receiving.list", { limit: 100 }, &lists(id))
  call("Emails.Receiving.get", id, { html_format: "cid" }) { |reply| reply[:id] == id && reply[:html].include?("cid:logo") }
  files = call("Emails.Receiving.Attachments.list", { email_id: id }) { |reply| reply[:data].length == 2 }
  file = files.dig(:data, 0, :id) || NOBODY
  call("Emails.Receiving.Attachments.get", { email_id: id, id: file }, &has(id: file))
end

# The second one is the first one under its old name.
def segments
  %w[Segments Audiences].each do |part|
    id = call("#{part}.create", { name: "Early birds" }, &has(name: "Early birds"))[:id]
    call("#{part}.get", id, &has(id: id, name: "Early birds"))
    call("#{part}.list", &lists(id))
    call("#{part}.remove", id, &has(id: id, deleted: true))
    refuse("#{part}.get", id, kind: Resend::Error::NotFoundError, saying: /not found/)
  end
end

def contacts
  segment = call("Segments.create", { name: "Navy" })[:id]
  other = call("Segments.create", { name: "Other" })[:id]
  topic = call("Topics.create", { name: "Compilers", default_subscription: "opt_out" })[:id]
  key = fresh("rank").tr("-", "_")
  property = call("ContactProperties.create", { key: key, type: "string", fallback_value: "none" }, &has(object: "contact_property"))[:id]
  email = address("grace")
  whole = { email: email, first_name: "Grace", properties: { key => "admiral" }, segments: [{ id: segment }], topics: [{ id: topic, subscription: "opt_in" }] }
  id = call("Contacts.create", whole, &has(object: "contact"))[:id]
  call("Contacts.get", { id: id }) { |reply| reply[:email] == email && reply[:properties][key.to_sym][:value] == "admiral" }
  call("Contacts.get", { email: email }, &has(id: id))
  call("Contacts.list", { limit: 100 }, &lists(id))
  call("Contacts.list", { audience_id: segment }, &lists(id))
  call("Contacts.update", { id: id, last_name: "Hopper", unsubscribed: true }, &has(id: id))
  call("Contacts.get", { id: id }, &has(last_name: "Hopper", unsubscribed: true))
  call("Contacts.Segments.add", { email: email, segment_id: other }, &has(id: other))
  call("Contacts.Segments.list", { contact_id: id }, &lists(other))
  call("Contacts.Segments.remove", { contact_id: id, segment_id: other }, &has(id: other, deleted: true))
  call("Contacts.Topics.update", { email: email, topics: [{ id: topic, subscription: "opt_out" }] }, &has(id: id))
  call("Contacts.Topics.list", { id: id }) { |reply| reply[:data].find { |one| one[:id] == topic }[:subscription] == "opt_out" }
  call("ContactProperties.get", property, &has(key: key, fallback_value: "none"))
  call("ContactProperties.list", &lists(property))
  call("ContactProperties.update", { id: property, fallback_value: "sailor" }, &has(id: property))
  call("ContactProperties.remove", property, &has(id: property, deleted: true))
  imports
  call("Contacts.remove", { email: email }) { |reply| reply[:deleted] == true && reply[:contact] == id }
  refuse("Contacts.get", { id: id }, kind: Resend::Error::NotFoundError, saying: /not found/)
end

def imports
  made = Tempfile.create(["contacts", ".csv"]) do |file|
    file.write("email,first_name\n#{address("csv")},Ada\n")
    file.rewind
    call("Contacts.Imports.create", { file: file, on_conflict: "upsert" }, &has(object: "contact_import"))[:id]
  end
  ask_until { Resend::Contacts::Imports.get(made)[:status] == "completed" } if made
  call("Contacts.Imports.get", made) { |reply| reply[:status] == "completed" && reply[:counts][:created] == 1 }
  call("Contacts.Imports.list", { limit: 5 }, &lists(made))
end

def topics
  id = call("Topics.create", { name: "Weekly", default_subscription: "opt_in", description: "Each Monday" })[:id]
  call("Topics.get", id, &has(name: "Weekly", description: "Each Monday", default_subscription: "opt_in"))
  call("Topics.update", { topic_id: id, name: "Monthly" }, &has(id: id))
  call("Topics.list", &lists(id))
  call("Topics.remove", id, &has(id: id, deleted: true))
end

def suppressions
  email = address("stop")
  id = call("Suppressions.add", { email: email }, &has(object: "suppression"))[:id]
  call("Suppressions.get", email, &has(id: id, email: email, origin: "manual"))
  call("Suppressions.list", { origin: "manual", limit: 5 }, &lists(id))
  call("Suppressions.remove", id, &has(id: id, deleted: true))
  both = [address("stop"), address("stop")]
  call("Suppressions.Batch.add", { emails: both }) { |reply| reply[:data].length == 2 }
  call("Suppressions.Batch.remove", { emails: both }) { |reply| reply[:data].all? { |one| one[:deleted] } }
end

def domains
  name = "#{fresh("ruby")}.example"
  id = call("Domains.create", { name: name, capabilities: { receiving: "enabled" } }) { |reply| reply[:name] == name && reply[:records].length > 3 }[:id]
  call("Domains.get", id, &has(id: id, name: name))
  call("Domains.list", &lists(id))
  call("Domains.update", { id: id, open_tracking: true, tls: "enforced" }, &has(id: id))
  call("Domains.verify", id, &has(id: id))
  call("Domains.remove", id, &has(id: id, deleted: true))
  claim = call("Domains.Claims.create", { name: ENV.fetch("CLAIM") }, &has(object: "domain_claim"))
  call("Domains.Claims.get", claim[:domain_id], &has(id: claim[:id]))
  call("Domains.Claims.verify", claim[:domain_id], &has(id: claim[:id]))
end

def keys
  id = call("ApiKeys.create", { name: "Server", permission: "sending_access" }) { |reply| reply[:token].start_with?("re_") }[:id]
  call("ApiKeys.list", &lists(id))
  call("ApiKeys.update", { id: id, name: "Other" }, &has(id: id))
  call("ApiKeys.remove", id)
  refuse("ApiKeys.remove", NOBODY, kind: Resend::Error::NotFoundError, saying: /not found/)
  grant = ENV.fetch("GRANT")
  call("OAuthGrants.list", &lists(grant))
  call("OAuthGrants.revoke", grant, &has(id: grant))
end

def templates
  name = fresh("order")
  whole = { name: "Order", alias: name, from: "shop@acme.example", subject: "Order {{{NUMBER}}}", html: "<p>{{{NUMBER}}}</p>",
            variables: [{ key: "NUMBER", type: "number", fallback_value: 1 }] }
  id = call("Templates.create", whole, &has(object: "template"))[:id]
  call("Templates.update", id, { text: "Order {{{NUMBER}}}" }, &has(id: id))
  call("Templates.publish", id, &has(id: id))
  call("Templates.get", name, &has(id: id, status: "published"))
  call("Templates.list", &lists(id))
  sent = call("Emails.send", { to: "reader@example.com", template: { id: name, variables: { NUMBER: 7 } } })[:id]
  call("Emails.get", sent, &has(subject: "Order 7", html: "<p>7</p>"))
  copy = call("Templates.duplicate", id)[:id]
  call("Templates.remove", copy, &has(id: copy, deleted: true))
end

def broadcasts
  segment = call("Segments.create", { name: "Readers" })[:id]
  call("Contacts.create", { email: address("reader"), segments: [{ id: segment }] })
  letter = { segment_id: segment, from: "news@acme.example", subject: "News", html: "<p>News</p>", name: "May" }
  id = call("Broadcasts.create", letter)[:id]
  call("Broadcasts.get", id, &has(id: id, name: "May", status: "draft"))
  call("Broadcasts.update", { broadcast_id: id, name: "June" }, &has(id: id))
  call("Broadcasts.list", &lists(id))
  other = call("Broadcasts.create", letter)[:id]
  call("Broadcasts.send", { broadcast_id: other, scheduled_at: "in 1 hour" }, &has(id: other))
  call("Broadcasts.cancel", other, &has(id: other))
  call("Broadcasts.remove", other, &has(id: other, deleted: true))
  call("Broadcasts.send", { broadcast_id: id }, &has(id: id))
end

def webhooks
  endpoint = ENV.fetch("HOOK_URL")
  hook = call("Webhooks.create", { endpoint: endpoint, events: ["email.sent"] }) { |reply| reply[:signing_secret].start_with?("whsec_") }
  id = hook[:id]
  call("Webhooks.get", id, &has(id: id, endpoint: endpoint))
  call("Webhooks.list", &lists(id))
  call("Emails.send", { **HELLO, to: address("hook") })
  delivery = ask_until do
    last = Net::HTTP.get_response(URI(endpoint))
    last.is_a?(Net::HTTPSuccess) && JSON.parse(last.body)
  end
  headers = %w[id timestamp signature].to_h { |name| [:"svix_#{name}", delivery["headers"]["svix-#{name}"]] }
  signed = { payload: delivery["body"], headers: headers, webhook_secret: hook[:signing_secret] }
  call("Webhooks.verify", signed) { |reply| reply == true }
  refuse("Webhooks.verify", { **signed, payload: "#{delivery["body"]} " }, kind: RuntimeError, saying: /signature/)
  call("Webhooks.update", { webhook_id: id, status: "disabled" }, &has(id: id))
  call("Webhooks.remove", id, &has(id: id, deleted: true))
end

def automations
  name = fresh("user.created")
  event = call("Events.create", { name: name, schema: { plan: "string" } }, &has(object: "event"))[:id]
  call("Events.get", name, &has(id: event, name: name, schema: { plan: "string" }))
  call("Events.update", { identifier: name, schema: { plan: "string", at: "date" } }, &has(id: event))
  call("Events.list", &lists(event))
  steps = [{ key: "start", type: "trigger", config: { event_name: name } }, { key: "pause", type: "delay", config: { duration: "1 hour" } }]
  whole = { name: "Welcome", status: "enabled", steps: steps, connections: [{ from: "start", to: "pause" }] }
  id = call("Automations.create", whole, &has(object: "automation"))[:id]
  call("Automations.get", id) { |reply| reply[:status] == "enabled" && reply[:steps][0][:config][:event_name] == name }
  call("Automations.list", { status: "enabled" }, &lists(id))
  call("Events.send", { event: name, email: address("ada"), payload: { plan: "pro" } }, &has(event: name))
  run = ask_until { Resend::Automations::Runs.list(id)[:data].first }&.fetch("id") || NOBODY
  call("Automations.Runs.list", id, { status: "running" }, &lists(run))
  call("Automations.Runs.get", id, run) { |reply| reply[:id] == run && reply[:steps].length == 2 }
  call("Automations.update", { automation_id: id, name: "Farewell" }, &has(id: id))
  copy = call("Automations.duplicate", id, &has(object: "automation"))[:id]
  call("Automations.stop", id, &has(id: id, status: "disabled"))
  call("Automations.remove", copy, &has(id: copy, deleted: true))
  call("Events.remove", name, &has(id: event, deleted: true))
end

def logs
  found = ask_until { Resend::Logs.list({ limit: 1 })[:data].first }&.fetch("id") || NOBODY
  call("Logs.list", { limit: 100 }, &lists(found))
  call("Logs.get", found, &has(id: found))
  refuse("Logs.get", NOBODY, kind: Resend::Error::NotFoundError, saying: /not found/)
end

$stdout.sync = true
Resend.api_key = ENV.fetch("RESEND_API_KEY")
puts JSON.generate({ version: Resend::VERSION, methods: methods_of(Resend).sort })
emails
receiving
segments
contacts
topics
suppressions
domains
keys
templates
broadcasts
webhooks
automations
logs
