// Every method of the SDK for Go: first as they are, then the ones that take a context.
package main

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/resend/resend-go/v3"
)

const nobody = "00000000-0000-4000-8000-000000000000"

func fresh(word string) string {
	bytes := make([]byte, 5)
	_, _ = rand.Read(bytes)
	return word + "-" + hex.EncodeToString(bytes)
}

func address(word string) string { return fresh(word) + "@example.com" }

func ptr[T any](value T) *T { return &value }

// until asks again until it is so, half a minute at most.
func until(ask func() bool) {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline) && !ask(); {
		time.Sleep(50 * time.Millisecond)
	}
}

func hello(to string) *resend.SendEmailRequest {
	return &resend.SendEmailRequest{From: "Acme <me@acme.example>", To: []string{to}, Subject: "Hello", Html: "<p>Hi</p>"}
}

func emails(sdk *checker) {
	to := address("you")
	whole := hello(to)
	whole.Cc, whole.Bcc, whole.ReplyTo, whole.Text = []string{address("cc")}, []string{address("bcc")}, "help@acme.example", "Hi"
	whole.Tags = []resend.Tag{{Name: "kind", Value: "greeting"}}
	whole.Headers = map[string]string{"X-Entity-Ref-ID": "1"}
	whole.Attachments = []*resend.Attachment{{Filename: "a.txt", Content: []byte("hello")}}
	id := sdk.call(func(r reply) bool { return r.text("id") != "" }, "Emails.Send", whole).text("id")
	sdk.call(has("to", []any{to}, "reply_to", []any{"help@acme.example"}, "text", "Hi"), "Emails.Get", id)
	sdk.call(lists(id), "Emails.List")
	sdk.call(lists(id), "Emails.ListWithOptions", &resend.ListOptions{Limit: ptr(5)})
	key := &resend.SendEmailOptions{IdempotencyKey: fresh("key")}
	first := sdk.call(nil, "Emails.SendWithOptions", hello(to), key).text("id")
	sdk.call(has("id", first), "Emails.SendWithOptions", hello(to), key)
	later := hello(to)
	later.ScheduledAt = "in 1 hour"
	planned := sdk.call(nil, "Emails.Send", later).text("id")
	sdk.call(has("id", planned), "Emails.Update", &resend.UpdateEmailRequest{Id: planned, ScheduledAt: "in 2 hours"})
	sdk.call(has("id", planned), "Emails.Cancel", planned)
	sdk.call(has("last_event", "canceled"), "Emails.Get", planned)
	file := sdk.call(count(1), "Emails.ListAttachments", id).first().text("id")
	sdk.call(lists(file), "Emails.ListAttachmentsWithOptions", id, &resend.ListOptions{Limit: ptr(5)})
	sdk.call(has("id", file, "filename", "a.txt"), "Emails.GetAttachment", id, file)
	sdk.call(count(2), "Batch.Send", []*resend.SendEmailRequest{hello(to), hello(to)})
	permissive := &resend.BatchSendEmailOptions{BatchValidation: resend.BatchValidationPermissive}
	sdk.call(func(r reply) bool { return len(r.data()) == 1 && len(r["errors"].([]any)) == 1 }, "Batch.SendWithOptions",
		[]*resend.SendEmailRequest{hello(to), hello("nobody")}, permissive)
	sdk.refuse("Invalid `to` field", "Emails.Send", hello("nobody"))
	sdk.refuse("not found", "Emails.Get", nobody)
	token := sdk.client.ApiKey
	sdk.client.ApiKey = "re_wrong"
	sdk.refuse("API key is invalid", "Emails.Send", hello(to))
	sdk.client.ApiKey = token
}

func receiving(sdk *checker) {
	id := os.Getenv("RECEIVED_ID")
	sdk.call(lists(id), "Emails.Receiving.List")
	sdk.call(lists(id), "Emails.Receiving.ListWithOptions", &resend.ListOptions{Limit: ptr(100)})
	sdk.call(func(r reply) bool { return r["id"] == id && strings.Contains(r.text("text"), "Hi") }, "Emails.Receiving.Get", id)
	file := sdk.call(count(2), "Emails.Receiving.ListAttachments", id).first().text("id")
	sdk.call(lists(file), "Emails.Receiving.ListAttachmentsWithOptions", id, &resend.ListOptions{Limit: ptr(5)})
	sdk.call(has("id", file), "Emails.Receiving.GetAttachment", id, file)
	sdk.refuse("not found", "Emails.Receiving.Get", nobody)
}

func groups(sdk *checker) {
	for part, params := range map[string]any{
		"Segments":  &resend.CreateSegmentRequest{Name: "Early birds"},
		"Audiences": &resend.CreateAudienceRequest{Name: "Early birds"},
	} {
		id := sdk.call(has("name", "Early birds"), part+".Create", params).text("id")
		sdk.call(has("id", id, "name", "Early birds"), part+".Get", id)
		sdk.call(lists(id), part+".List")
		sdk.call(lists(id), part+".ListWithOptions", &resend.ListOptions{Limit: ptr(5)})
		sdk.call(has("id", id, "deleted", true), part+".Remove", id)
		sdk.refuse("not found", part+".Get", id)
	}
}

func contacts(sdk *checker) {
	segment := sdk.call(nil, "Segments.Create", &resend.CreateSegmentRequest{Name: "Navy"}).text("id")
	topic := sdk.call(nil, "Topics.Create", &resend.CreateTopicRequest{Name: "Compilers", DefaultSubscription: resend.DefaultSubscriptionOptOut}).text("id")
	for _, part := range []string{"ContactProperties", "Contacts.Properties"} {
		key := strings.ReplaceAll(fresh("rank"), "-", "_")
		property := sdk.call(nil, part+".Create", &resend.CreateContactPropertyRequest{Key: key, Type: "string", FallbackValue: "none"}).text("id")
		sdk.call(has("key", key, "fallback_value", "none"), part+".Get", property)
		sdk.call(lists(property), part+".List")
		sdk.call(lists(property), part+".ListWithOptions", &resend.ListOptions{Limit: ptr(5)})
		sdk.call(has("id", property), part+".Update", &resend.UpdateContactPropertyRequest{Id: property, FallbackValue: "sailor"})
		sdk.call(has("id", property, "deleted", true), part+".Remove", property)
	}
	email := address("grace")
	id := sdk.call(nil, "Contacts.Create", &resend.CreateContactRequest{Email: email, FirstName: "Grace"}).text("id")
	sdk.call(has("id", id, "email", email, "first_name", "Grace"), "Contacts.Get", &resend.GetContactOptions{Id: email})
	sdk.call(lists(id), "Contacts.List", &resend.ListContactsOptions{Limit: ptr(5)})
	change := &resend.UpdateContactRequest{Id: id, LastName: "Hopper"}
	change.SetUnsubscribed(true)
	sdk.call(has("id", id), "Contacts.Update", change)
	sdk.call(has("last_name", "Hopper", "unsubscribed", true), "Contacts.Get", &resend.GetContactOptions{Id: id})
	sdk.call(has("id", segment), "Contacts.Segments.Add", &resend.AddContactSegmentRequest{SegmentId: segment, Email: email})
	sdk.call(lists(segment), "Contacts.Segments.List", &resend.ListContactSegmentsRequest{ContactId: id})
	sdk.call(lists(segment), "Contacts.Segments.ListWithOptions", &resend.ListContactSegmentsRequest{ContactId: id}, &resend.ListOptions{Limit: ptr(5)})
	sdk.call(lists(id), "Contacts.List", &resend.ListContactsOptions{AudienceId: segment})
	sdk.call(has("id", segment, "deleted", true), "Contacts.Segments.Remove", &resend.RemoveContactSegmentRequest{SegmentId: segment, ContactId: id})
	out := []resend.TopicSubscriptionUpdate{{Id: topic, Subscription: "opt_in"}}
	sdk.call(has("id", id), "Contacts.Topics.Update", &resend.UpdateContactTopicsRequest{Id: id, Topics: out})
	sdk.call(lists(topic), "Contacts.Topics.List", id)
	sdk.call(lists(topic), "Contacts.Topics.ListWithOptions", id, &resend.ListOptions{Limit: ptr(100)})
	sdk.call(has("deleted", true), "Contacts.Remove", &resend.RemoveContactOptions{Id: email})
	sdk.refuse("not found", "Contacts.Get", &resend.GetContactOptions{Id: id})
}

func topics(sdk *checker) {
	made := &resend.CreateTopicRequest{Name: "Weekly", DefaultSubscription: resend.DefaultSubscriptionOptIn, Description: "Each Monday"}
	id := sdk.call(nil, "Topics.Create", made).text("id")
	sdk.call(has("name", "Weekly", "description", "Each Monday", "default_subscription", "opt_in"), "Topics.Get", id)
	sdk.call(has("id", id), "Topics.Update", id, &resend.UpdateTopicRequest{Name: "Monthly"})
	sdk.call(lists(id), "Topics.List", &resend.ListOptions{Limit: ptr(100)})
	sdk.call(has("id", id, "deleted", true), "Topics.Remove", id)
}

func domains(sdk *checker) {
	name := fresh("go") + ".example"
	id := sdk.call(has("name", name), "Domains.Create", &resend.CreateDomainRequest{Name: name}).text("id")
	sdk.call(func(r reply) bool { return r["id"] == id && len(r["records"].([]any)) > 0 }, "Domains.Get", id)
	sdk.call(lists(id), "Domains.List")
	sdk.call(lists(id), "Domains.ListWithOptions", &resend.ListOptions{Limit: ptr(5)})
	sdk.call(has("id", id), "Domains.Update", id, &resend.UpdateDomainRequest{OpenTracking: true, Tls: resend.Enforced})
	sdk.call(has("value", true), "Domains.Verify", id)
	sdk.call(has("value", true), "Domains.Remove", id)
	sdk.refuse("not found", "Domains.Get", id)
}

func keys(sdk *checker) {
	made := sdk.call(func(r reply) bool { return strings.HasPrefix(r.text("token"), "re_") }, "ApiKeys.Create", &resend.CreateApiKeyRequest{Name: "Server"})
	id := made.text("id")
	sdk.call(lists(id), "ApiKeys.List")
	sdk.call(lists(id), "ApiKeys.ListWithOptions", &resend.ListOptions{Limit: ptr(5)})
	sdk.call(has("value", true), "ApiKeys.Remove", id)
	sdk.refuse("not found", "ApiKeys.Remove", nobody)
}

func templates(sdk *checker) {
	alias := fresh("order")
	made := &resend.CreateTemplateRequest{Name: "Order", Alias: alias, From: "shop@acme.example", Subject: "Order {{{NUMBER}}}", Html: "<p>{{{NUMBER}}}</p>",
		Variables: []*resend.TemplateVariable{{Key: "NUMBER", Type: resend.VariableTypeNumber, FallbackValue: 1}}}
	id := sdk.call(has("object", "template"), "Templates.Create", made).text("id")
	change := &resend.UpdateTemplateRequest{Name: "Order", Html: "<p>{{{NUMBER}}}</p>", Text: "Order {{{NUMBER}}}"}
	sdk.call(has("id", id), "Templates.Update", id, change)
	sdk.call(has("id", id), "Templates.Publish", id)
	sdk.call(has("id", id, "status", "published"), "Templates.Get", alias)
	sdk.call(lists(id), "Templates.List", &resend.ListOptions{Limit: ptr(100)})
	letter := &resend.SendEmailRequest{To: []string{address("reader")}, Template: &resend.EmailTemplate{Id: alias, Variables: map[string]any{"NUMBER": 7}}}
	sent := sdk.call(nil, "Emails.Send", letter).text("id")
	sdk.call(has("subject", "Order 7", "html", "<p>7</p>"), "Emails.Get", sent)
	copied := sdk.call(nil, "Templates.Duplicate", id).text("id")
	sdk.call(has("id", copied, "deleted", true), "Templates.Remove", copied)
}

func broadcasts(sdk *checker) {
	segment := sdk.call(nil, "Segments.Create", &resend.CreateSegmentRequest{Name: "Readers"}).text("id")
	sdk.call(nil, "Contacts.Create", &resend.CreateContactRequest{Email: address("reader"), AudienceId: segment})
	letter := &resend.CreateBroadcastRequest{SegmentId: segment, From: "news@acme.example", Subject: "News", Html: "<p>News</p>", Name: "May"}
	id := sdk.call(nil, "Broadcasts.Create", letter).text("id")
	sdk.call(has("id", id, "name", "May", "status", "draft"), "Broadcasts.Get", id)
	sdk.call(has("id", id), "Broadcasts.Update", &resend.UpdateBroadcastRequest{BroadcastId: id, Name: "June"})
	sdk.call(lists(id), "Broadcasts.List")
	sdk.call(lists(id), "Broadcasts.ListWithOptions", &resend.ListOptions{Limit: ptr(5)})
	sdk.call(has("id", id), "Broadcasts.Send", &resend.SendBroadcastRequest{BroadcastId: id})
	spare := sdk.call(nil, "Broadcasts.Create", letter).text("id")
	sdk.call(has("id", spare, "deleted", true), "Broadcasts.Remove", spare)
}

func webhooks(sdk *checker) {
	endpoint := os.Getenv("HOOK_URL") + sdk.suffix
	made := sdk.call(func(r reply) bool { return strings.HasPrefix(r.text("signing_secret"), "whsec_") }, "Webhooks.Create",
		&resend.CreateWebhookRequest{Endpoint: endpoint, Events: []string{resend.EventEmailSent}})
	id := made.text("id")
	sdk.call(has("id", id, "endpoint", endpoint), "Webhooks.Get", id)
	sdk.call(lists(id), "Webhooks.List")
	sdk.call(lists(id), "Webhooks.ListWithOptions", &resend.ListOptions{Limit: ptr(5)})
	sdk.call(nil, "Emails.Send", hello(address("hook")))
	var delivery *struct {
		Headers map[string]string
		Body    string
	}
	until(func() bool {
		last, err := http.Get(endpoint)
		if err != nil {
			return false
		}
		defer last.Body.Close()
		text, _ := io.ReadAll(last.Body)
		return json.Unmarshal(text, &delivery) == nil && delivery != nil
	})
	if delivery == nil {
		sdk.say("Webhooks.Verify", "no webhook arrived")
	} else {
		headers := resend.WebhookHeaders{Id: delivery.Headers["svix-id"], Timestamp: delivery.Headers["svix-timestamp"], Signature: delivery.Headers["svix-signature"]}
		signed := resend.VerifyWebhookOptions{Payload: delivery.Body, Headers: headers, WebhookSecret: made.text("signing_secret")}
		sdk.call(nil, "Webhooks.Verify", &signed)
		forged := signed
		forged.Payload += " "
		sdk.refuse("no matching signature", "Webhooks.Verify", &forged)
	}
	sdk.call(has("id", id), "Webhooks.Update", id, &resend.UpdateWebhookRequest{Status: ptr("disabled")})
	sdk.call(has("id", id, "deleted", true), "Webhooks.Remove", id)
}

func main() {
	client := resend.NewClient(os.Getenv("RESEND_API_KEY"))
	client.BaseURL, _ = url.Parse(os.Getenv("BASE_URL"))
	opening, _ := json.Marshal(map[string]any{"version": strings.TrimPrefix(client.UserAgent, "resend-go/"), "methods": (&checker{client: client}).methods()})
	fmt.Println(string(opening))
	for _, suffix := range []string{"", contextSuffix} {
		sdk := &checker{client: client, suffix: suffix}
		for _, part := range []func(*checker){emails, receiving, groups, contacts, topics, domains, keys, templates, broadcasts, webhooks} {
			part(sdk)
		}
	}
}
