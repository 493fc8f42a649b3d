import static java.util.Map.of;

import com.fasterxml.jackson.databind.JsonNode;
import com.resend.Resend;
import com.resend.core.SdkVersion;
import com.resend.core.net.ListParams;
import com.resend.core.net.RequestOptions;
import com.resend.services.apikeys.model.*;
import com.resend.services.audiences.model.*;
import com.resend.services.automations.model.*;
import com.resend.services.broadcasts.model.*;
import com.resend.services.contactproperties.model.*;
import com.resend.services.contacts.model.*;
import com.resend.services.domains.model.*;
import com.resend.services.emails.model.*;
import com.resend.services.events.model.*;
import com.resend.services.segments.model.*;
import com.resend.services.suppressions.model.*;
import com.resend.services.templates.model.*;
import com.resend.services.topics.model.*;
import com.resend.services.webhooks.model.*;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;

/** Every method of the SDK for Java, also where one has several forms. */
class Trial extends Checker {
  static final String NOBODY = "00000000-0000-4000-8000-000000000000";
  static final Resend resend = new Resend(System.getenv("RESEND_API_KEY"));
  static final ListParams FEW = ListParams.builder().limit(100).build();

  static String fresh(String word) {
    return word + "-" + UUID.randomUUID().toString().substring(0, 10);
  }

  static String address(String word) {
    return fresh(word) + "@example.com";
  }

  static CreateEmailOptions.Builder hello(String to) {
    return CreateEmailOptions.builder().from("Acme <me@acme.example>").to(to).subject("Hello").html("<p>Hi</p>");
  }

  static void emails() {
    String to = address("you");
    var whole = hello(to).cc(address("cc")).bcc(address("bcc")).replyTo("help@acme.example").text("Hi")
        .headers(of("X-Entity-Ref-ID", "1")).tags(Tag.builder().name("kind").value("greeting").build())
        .attachments(Attachment.builder().fileName("a.txt").content("aGVsbG8=").build()).build();
    String id = id(call("emails.send", () -> resend.emails().send(whole), reply -> !id(reply).isEmpty()));
    call("emails.get", () -> resend.emails().get(id), has("to", List.of(to)).and(has("reply_to", List.of("help@acme.example"))).and(has("text", "Hi")));
    call("emails.list", () -> resend.emails().list(), lists(id));
    call("emails.list", () -> resend.emails().list(FEW), lists(id));
    var key = RequestOptions.builder().setIdempotencyKey(fresh("key")).build();
    String first = id(call("emails.send", () -> resend.emails().send(hello(to).build(), key)));
    call("emails.send", () -> resend.emails().send(hello(to).build(), key), has("id", first));
    String later = id(call("emails.send", () -> resend.emails().send(hello(to).scheduledAt("in 1 hour").build(), of())));
    call("emails.update", () -> resend.emails().update(later, UpdateEmailOptions.builder().scheduledAt("in 2 hours").build()), has("id", later));
    call("emails.cancel", () -> resend.emails().cancel(later), has("id", later));
    call("emails.get", () -> resend.emails().get(later), has("last_event", "canceled"));
    call("emails.share", () -> resend.emails().share(id), reply -> reply.path("url").asText().startsWith("http"));
    call("emails.share", () -> resend.emails().share(id, ShareEmailOptions.builder().expiresIn("2 hours").build()), has("id", id));
    call("emails.metrics", () -> resend.emails().metrics(), has("object", "metrics"));
    var metrics = GetEmailsMetricsOptions.builder().metrics(MetricName.SENT).dimensions(MetricsDimension.DOMAIN).build();
    call("emails.metrics", () -> resend.emails().metrics(metrics), reply -> reply.path("totals").size() > 0);
    String file = firstId(call("emails.listAttachments", () -> resend.emails().listAttachments(id), counts(1)));
    call("emails.listAttachments", () -> resend.emails().listAttachments(id, FEW), lists(file));
    call("emails.getAttachment", () -> resend.emails().getAttachment(id, file), has("id", file).and(has("filename", "a.txt")));
    call("batch.send", () -> resend.batch().send(List.of(hello(to).build(), hello(to).build())), counts(2));
    var permissive = RequestOptions.builder().add("x-batch-validation", "permissive").build();
    call("batch.send", () -> resend.batch().send(List.of(hello(to).build(), hello("nobody").build()), permissive),
        counts(1).and(reply -> reply.path("errors").path(0).path("index").asInt() == 1));
    call("batch.create", () -> resend.batch().create(List.of(hello(to).build(), hello(to).build())), counts(2));
    refuse("emails.send", 422, "validation_error", () -> resend.emails().send(hello("nobody").build()));
    refuse("emails.get", 404, "not_found", () -> resend.emails().get(NOBODY));
    refuse("emails.send", 403, "invalid_api_key", () -> new Resend("re_wrong").emails().send(hello(to).build()));
  }

  static void receiving() {
    String id = System.getenv("RECEIVED_ID");
    call("receiving.list", () -> resend.receiving().list(), lists(id));
    call("receiving.list", () -> resend.receiving().list(FEW), lists(id));
    call("receiving.get", () -> resend.receiving().get(id), has("id", id).and(reply -> reply.path("text").asText().contains("Hi")));
    String file = firstId(call("receiving.listAttachments", () -> resend.receiving().listAttachments(id), counts(2)));
    call("receiving.listAttachments", () -> resend.receiving().listAttachments(id, FEW), lists(file));
    call("receiving.getAttachment", () -> resend.receiving().getAttachment(id, file), has("id", file));
    refuse("receiving.get", 404, "not_found", () -> resend.receiving().get(NOBODY));
  }

  static String segment(String name) {
    return id(call("segments.create", () -> resend.segments().create(CreateSegmentOptions.builder().name(name).build()), has("name", name)));
  }

  static void groups() {
    String id = segment("Early birds");
    call("segments.get", () -> resend.segments().get(id), has("id", id).and(has("name", "Early birds")));
    call("segments.list", () -> resend.segments().list(), lists(id));
    call("segments.list", () -> resend.segments().list(FEW), lists(id));
    call("segments.update", () -> resend.segments().update(id, UpdateSegmentOptions.builder().name("Night owls").build()), has("id", id));
    call("segments.remove", () -> resend.segments().remove(id), has("id", id).and(has("deleted", true)));
    refuse("segments.get", 404, "not_found", () -> resend.segments().get(id));
    String old = id(call("audiences.create", () -> resend.audiences().create(CreateAudienceOptions.builder().name("Customers").build()), has("name", "Customers")));
    call("audiences.get", () -> resend.audiences().get(old), has("id", old));
    call("audiences.list", () -> resend.audiences().list(), lists(old));
    call("audiences.list", () -> resend.audiences().list(FEW), lists(old));
    call("audiences.remove", () -> resend.audiences().remove(old), has("id", old).and(has("deleted", true)));
  }

  static void contacts() throws Exception {
    String segment = segment("Navy");
    String topic = topic("Compilers");
    String email = address("grace");
    String id = id(call("contacts.create", () -> resend.contacts().create(CreateContactOptions.builder().email(email).firstName("Grace").build())));
    call("contacts.get", () -> resend.contacts().get(id), has("email", email).and(has("first_name", "Grace")));
    call("contacts.get", () -> resend.contacts().get(GetContactOptions.builder().email(email).build()), has("id", id));
    call("contacts.update", () -> resend.contacts().update(UpdateContactOptions.builder().id(id).lastName("Hopper").unsubscribed(true).build()), has("id", id));
    call("contacts.get", () -> resend.contacts().get(email), has("last_name", "Hopper").and(has("unsubscribed", true)));
    call("contacts.segments.add", () -> resend.contacts().segments().add(AddContactToSegmentOptions.builder().email(email).segmentId(segment).build()), has("id", segment));
    call("contacts.segments.list", () -> resend.contacts().segments().list(id), lists(segment));
    call("contacts.segments.list", () -> resend.contacts().segments().list(id, FEW), lists(segment));
    call("contacts.list", () -> resend.contacts().list(segment), lists(id));
    call("contacts.list", () -> resend.contacts().list(segment, FEW), lists(id));
    var ofSegment = ListContactsOptions.builder().segmentId(segment).build();
    call("contacts.list", () -> resend.contacts().list(ofSegment), lists(id));
    call("contacts.list", () -> resend.contacts().list(ofSegment, FEW), lists(id));
    call("contacts.list", () -> resend.contacts().list(), lists(id));
    call("contacts.list", () -> resend.contacts().list(FEW), lists(id));
    call("contacts.segments.remove",
        () -> resend.contacts().segments().remove(RemoveContactFromSegmentOptions.builder().id(id).segmentId(segment).build()), has("id", segment).and(has("deleted", true)));
    var out = UpdateContactTopicsOptions.builder().id(id).topics(ContactTopicOptions.builder().id(topic).subscription("opt_in").build()).build();
    call("contacts.topics.update", () -> resend.contacts().topics().update(out), has("id", id));
    call("contacts.topics.list", () -> resend.contacts().topics().list(id), lists(topic));
    call("contacts.topics.list", () -> resend.contacts().topics().list(id, FEW), lists(topic));
    call("contacts.updateTopics", () -> resend.contacts().updateTopics(out), has("id", id));
    call("contacts.getTopics", () -> resend.contacts().getTopics(id), lists(topic));
    call("contacts.getTopics", () -> resend.contacts().getTopics(id, FEW), lists(topic));
    byte[] csv = ("email,first_name\n" + address("csv") + ",Ada\n").getBytes();
    String made = id(call("contacts.imports.create", () -> resend.contacts().imports().create(CreateContactImportOptions.builder().file(csv, "a.csv").build())));
    var once = RequestOptions.builder().setIdempotencyKey(fresh("import")).build();
    call("contacts.imports.create", () -> resend.contacts().imports().create(CreateContactImportOptions.builder().file(csv, "a.csv").onConflict("skip").build(), once));
    until(() -> "completed".equals(resend.contacts().imports().get(made).getStatus()));
    call("contacts.imports.get", () -> resend.contacts().imports().get(made), has("status", "completed").and(reply -> reply.path("counts").path("created").asInt() == 1));
    call("contacts.imports.list", () -> resend.contacts().imports().list(), lists(made));
    call("contacts.imports.list", () -> resend.contacts().imports().list(ListContactImportsParams.builder().limit(5).build()), lists(made));
    call("contacts.remove", () -> resend.contacts().remove(id), has("deleted", true));
    String other = id(call("contacts.create", () -> resend.contacts().create(CreateContactOptions.builder().email(email).segmentId(segment).build())));
    call("contacts.list", () -> resend.contacts().list(segment), lists(other));
    call("contacts.remove", () -> resend.contacts().remove(RemoveContactOptions.builder().email(email).build()), has("deleted", true));
    refuse("contacts.get", 404, "not_found", () -> resend.contacts().get(other));
  }

  static void properties() {
    String key = fresh("rank").replace("-", "_");
    var made = CreateContactPropertyOptions.builder().key(key).type("string").fallbackValue("none").build();
    String id = id(call("contactProperties.create", () -> resend.contactProperties().create(made)));
    call("contactProperties.get", () -> resend.contactProperties().get(id), has("key", key).and(has("fallback_value", "none")));
    call("contactProperties.list", () -> resend.contactProperties().list(), lists(id));
    call("contactProperties.update",
        () -> resend.contactProperties().update(UpdateContactPropertyOptions.builder().id(id).fallbackValue("sailor").build()), has("id", id));
    call("contactProperties.remove", () -> resend.contactProperties().remove(id), has("id", id).and(has("deleted", true)));
  }

  static String topic(String name) {
    var made = CreateTopicOptions.builder().name(name).defaultSubscription("opt_out").description("Each Monday").build();
    return id(call("topics.create", () -> resend.topics().create(made)));
  }

  static void topics() {
    String id = topic("Weekly");
    call("topics.get", () -> resend.topics().get(id), has("name", "Weekly").and(has("default_subscription", "opt_out")));
    call("topics.update", () -> resend.topics().update(id, UpdateTopicOptions.builder().name("Monthly").build()), has("id", id));
    call("topics.list", () -> resend.topics().list(), lists(id));
    call("topics.list", () -> resend.topics().list(FEW), lists(id));
    call("topics.remove", () -> resend.topics().remove(id), has("id", id).and(has("deleted", true)));
  }

  static void suppressions() {
    String email = address("stop");
    String id = id(call("suppressions.add", () -> resend.suppressions().add(AddSuppressionOptions.builder().email(email).build())));
    call("suppressions.get", () -> resend.suppressions().get(email), has("id", id).and(has("email", email)));
    call("suppressions.list", () -> resend.suppressions().list(), lists(id));
    call("suppressions.list", () -> resend.suppressions().list(ListSuppressionsParams.builder().origin(SuppressionOrigin.MANUAL).limit(100).build()), lists(id));
    call("suppressions.remove", () -> resend.suppressions().remove(id), has("id", id).and(has("deleted", true)));
    var both = List.of(address("stop"), address("stop"));
    call("suppressions.batch.add", () -> resend.suppressions().batch().add(AddSuppressionsOptions.builder().emails(both).build()), counts(2));
    call("suppressions.batch.remove", () -> resend.suppressions().batch().remove(RemoveSuppressionsOptions.builder().emails(both).build()), counts(2));
  }

  static void domains() {
    String name = fresh("java") + ".example";
    String id = id(call("domains.create", () -> resend.domains().create(CreateDomainOptions.builder().name(name).build()),
        has("name", name).and(reply -> reply.path("records").size() > 0)));
    call("domains.get", () -> resend.domains().get(id), has("id", id).and(has("name", name)));
    call("domains.list", () -> resend.domains().list(), lists(id));
    call("domains.list", () -> resend.domains().list(FEW), lists(id));
    call("domains.update", () -> resend.domains().update(UpdateDomainOptions.builder().id(id).openTracking(true).tls(Tls.ENFORCED).build()), has("id", id));
    call("domains.verify", () -> resend.domains().verify(id), has("id", id));
    call("domains.remove", () -> resend.domains().remove(id), has("id", id).and(has("deleted", true)));
    JsonNode claim = call("domains.claims.create", () -> resend.domains().claims().create(ClaimDomainOptions.builder().name(System.getenv("CLAIM")).build()),
        has("object", "domain_claim"));
    String domain = claim.path("domain_id").asText();
    call("domains.claims.get", () -> resend.domains().claims().get(domain), has("id", id(claim)));
    call("domains.claims.verify", () -> resend.domains().claims().verify(domain), has("id", id(claim)));
  }

  static void keys() {
    var made = CreateApiKeyOptions.builder().name("Server").permission("sending_access").build();
    String id = id(call("apiKeys.create", () -> resend.apiKeys().create(made), reply -> reply.path("token").asText().startsWith("re_")));
    call("apiKeys.list", () -> resend.apiKeys().list(), lists(id));
    call("apiKeys.list", () -> resend.apiKeys().list(FEW), lists(id));
    call("apiKeys.update", () -> resend.apiKeys().update(id, UpdateApiKeyOptions.builder().name("Other").build()), has("id", id));
    call("apiKeys.remove", () -> resend.apiKeys().remove(id), JsonNode::asBoolean);
    refuse("apiKeys.remove", 404, "not_found", () -> resend.apiKeys().remove(NOBODY));
    String grant = System.getenv("GRANT");
    call("oauthGrants.list", () -> resend.oauthGrants().list(), lists(grant));
    call("oauthGrants.list", () -> resend.oauthGrants().list(FEW), lists(grant));
    call("oauthGrants.revoke", () -> resend.oauthGrants().revoke(grant), has("id", grant));
  }

  static void templates() {
    String alias = fresh("order");
    var variable = Variable.builder().key("NUMBER").type(VariableType.NUMBER).fallbackValue(1).build();
    var made = CreateTemplateOptions.builder().name("Order").alias(alias).from("shop@acme.example").subject("Order {{{NUMBER}}}")
        .html("<p>{{{NUMBER}}}</p>").variables(variable).build();
    String id = id(call("templates.create", () -> resend.templates().create(made), has("object", "template")));
    call("templates.update", () -> resend.templates().update(id, UpdateTemplateOptions.builder().text("Order {{{NUMBER}}}").build()), has("id", id));
    call("templates.publish", () -> resend.templates().publish(id), has("id", id));
    call("templates.get", () -> resend.templates().get(alias), has("id", id).and(has("status", "published")));
    call("templates.list", () -> resend.templates().list(), lists(id));
    call("templates.list", () -> resend.templates().list(FEW), lists(id));
    var template = Template.builder().id(alias).addVariable("NUMBER", 7).build();
    String sent = id(call("emails.send", () -> resend.emails().send(CreateEmailOptions.builder().to(address("reader")).template(template).build())));
    call("emails.get", () -> resend.emails().get(sent), has("subject", "Order 7").and(has("html", "<p>7</p>")));
    String copy = id(call("templates.duplicate", () -> resend.templates().duplicate(id)));
    call("templates.remove", () -> resend.templates().remove(copy), has("id", copy).and(has("deleted", true)));
  }

  static void broadcasts() throws Exception {
    String segment = segment("Readers");
    call("contacts.create", () -> resend.contacts().create(CreateContactOptions.builder().email(address("reader")).segmentId(segment).build()));
    var letter = CreateBroadcastOptions.builder().segmentId(segment).from("news@acme.example").subject("News").html("<p>News</p>").name("May").build();
    String id = id(call("broadcasts.create", () -> resend.broadcasts().create(letter)));
    call("broadcasts.get", () -> resend.broadcasts().get(id), has("id", id).and(has("name", "May")).and(has("status", "draft")));
    call("broadcasts.update", () -> resend.broadcasts().update(UpdateBroadcastOptions.builder().id(id).name("June").build()), has("id", id));
    call("broadcasts.list", () -> resend.broadcasts().list(), lists(id));
    call("broadcasts.list", () -> resend.broadcasts().list(FEW), lists(id));
    String spare = id(call("broadcasts.create", () -> resend.broadcasts().create(letter)));
    call("broadcasts.send", () -> resend.broadcasts().send(SendBroadcastOptions.builder().scheduledAt("in 1 hour").build(), spare), has("id", spare));
    call("broadcasts.cancel", () -> resend.broadcasts().cancel(spare), has("id", spare));
    call("broadcasts.remove", () -> resend.broadcasts().remove(spare), has("id", spare).and(has("deleted", true)));
    call("broadcasts.send", () -> resend.broadcasts().send(SendBroadcastOptions.builder().build(), id), has("id", id));
    until(() -> "sent".equals(resend.broadcasts().get(id).getStatus()));
    var sent = ListBroadcastRecipientsParams.builder().type(BroadcastRecipientEventType.SENT).build();
    call("broadcasts.recipients", () -> resend.broadcasts().recipients(id, sent), counts(1));
    call("broadcasts.clickedLinks", () -> resend.broadcasts().clickedLinks(id), has("object", "list"));
    call("broadcasts.clickedLinks", () -> resend.broadcasts().clickedLinks(id, FEW), has("object", "list"));
  }

  static void webhooks() throws Exception {
    String endpoint = System.getenv("HOOK_URL");
    var made = CreateWebhookOptions.builder().endpoint(endpoint).events(WebhookEvent.EMAIL_SENT).build();
    JsonNode hook = call("webhooks.create", () -> resend.webhooks().create(made), reply -> reply.path("signing_secret").asText().startsWith("whsec_"));
    String id = id(hook);
    call("webhooks.get", () -> resend.webhooks().get(id), has("id", id).and(has("endpoint", endpoint)));
    call("webhooks.list", () -> resend.webhooks().list(), lists(id));
    call("webhooks.list", () -> resend.webhooks().list(FEW), lists(id));
    call("emails.send", () -> resend.emails().send(hello(address("hook")).build()));
    until(() -> resend.webhooks().listEvents(id).getData().stream().anyMatch(one -> "success".equals(String.valueOf(one.getStatus()).toLowerCase())));
    String event = firstId(call("webhooks.listEvents", () -> resend.webhooks().listEvents(id), counts(1)));
    call("webhooks.listEvents", () -> resend.webhooks().listEvents(id, ListWebhookEventsParams.builder().limit(5).build()), lists(event));
    call("webhooks.getEvent", () -> resend.webhooks().getEvent(id, event), has("id", event).and(has("type", "email.sent")));
    call("webhooks.listEventAttempts", () -> resend.webhooks().listEventAttempts(id, event), counts(1));
    var few = ListWebhookEventAttemptsParams.builder().limit(5).build();
    call("webhooks.listEventAttempts", () -> resend.webhooks().listEventAttempts(id, event, few),
        reply -> reply.path("data").path(0).path("http_status_code").asInt() == 200);
    var last = HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(endpoint)).build(), HttpResponse.BodyHandlers.ofString());
    JsonNode delivery = read(last.body());
    String body = delivery.path("body").asText();
    call("webhooks.verify", () -> {
      resend.webhooks().verify(signed(delivery, body, hook));
      return true;
    });
    call("webhooks.verify", () -> {
      try {
        resend.webhooks().verify(signed(delivery, body + " ", hook));
        return false;
      } catch (com.resend.core.exception.ResendException error) {
        return error.getMessage().contains("verification failed");
      }
    }, JsonNode::asBoolean);
    call("webhooks.replayEvent", () -> resend.webhooks().replayEvent(id, event), has("id", event));
    call("webhooks.update", () -> resend.webhooks().update(id, UpdateWebhookOptions.builder().status(WebhookStatus.DISABLED).build()), has("id", id));
    call("webhooks.remove", () -> resend.webhooks().remove(id), has("id", id).and(has("deleted", true)));
  }

  static VerifyWebhookOptions signed(JsonNode delivery, String body, JsonNode hook) {
    var options = VerifyWebhookOptions.builder().payload(body).secret(hook.path("signing_secret").asText());
    for (String name : List.of("svix-id", "svix-timestamp", "svix-signature")) options.addHeader(name, delivery.path("headers").path(name).asText());
    return options.build();
  }

  static void automations() throws Exception {
    String name = fresh("user.created");
    String event = id(call("events.create", () -> resend.events().create(CreateEventOptions.builder().name(name).addSchema("plan", "string").build())));
    call("events.get", () -> resend.events().get(name), has("id", event).and(has("name", name)));
    call("events.update", () -> resend.events().update(UpdateEventOptions.builder().identifier(name).addSchema("at", "date").build()), has("id", event));
    call("events.list", () -> resend.events().list(), lists(event));
    call("events.list", () -> resend.events().list(FEW), lists(event));
    var made = CreateAutomationOptions.builder().name("Welcome").status(AutomationStatus.ENABLED)
        .steps(AutomationStep.trigger("start").eventName(name).build(), AutomationStep.delay("pause").duration("1 hour").build())
        .connections(AutomationConnection.builder().from("start").to("pause").build()).build();
    String id = id(call("automations.create", () -> resend.automations().create(made)));
    call("automations.get", () -> resend.automations().get(id), has("id", id).and(reply -> reply.path("steps").size() == 2));
    call("automations.list", () -> resend.automations().list(), lists(id));
    call("automations.list", () -> resend.automations().list(ListAutomationsParams.builder().status(AutomationStatus.ENABLED).build()), lists(id));
    call("events.send", () -> resend.events().send(SendEventOptions.builder().event(name).email(address("ada")).build()), has("event", name));
    until(() -> !resend.automations().listRuns(id).getData().isEmpty());
    String run = firstId(call("automations.listRuns", () -> resend.automations().listRuns(id), counts(1)));
    call("automations.listRuns", () -> resend.automations().listRuns(id, ListAutomationRunsParams.builder().status(RunStatus.RUNNING).build()), lists(run));
    call("automations.getRun", () -> resend.automations().getRun(GetAutomationRunOptions.builder().automationId(id).runId(run).build()), has("id", run));
    call("automations.update", () -> resend.automations().update(UpdateAutomationOptions.builder().id(id).name("Farewell").build()), has("id", id));
    String copy = id(call("automations.duplicate", () -> resend.automations().duplicate(id)));
    call("automations.stop", () -> resend.automations().stop(id), has("id", id));
    call("automations.remove", () -> resend.automations().remove(copy), has("id", copy).and(has("deleted", true)));
    call("events.remove", () -> resend.events().remove(name), has("id", event).and(has("deleted", true)));
  }

  static void logs() throws Exception {
    until(() -> !resend.logs().list().getData().isEmpty());
    String id = firstId(call("logs.list", () -> resend.logs().list(), reply -> reply.path("data").size() > 0));
    call("logs.list", () -> resend.logs().list(FEW), lists(id));
    call("logs.get", () -> resend.logs().get(id), has("id", id));
    refuse("logs.get", 404, "not_found", () -> resend.logs().get(NOBODY));
  }

  public static void main(String[] words) throws Exception {
    open(SdkVersion.getVersion());
    emails();
    receiving();
    groups();
    contacts();
    properties();
    topics();
    suppressions();
    domains();
    keys();
    templates();
    broadcasts();
    webhooks();
    automations();
    logs();
    System.exit(0);
  }
}
