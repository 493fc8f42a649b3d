# Every function of the SDK for Elixir.
Code.require_file("checker.exs", __DIR__)

defmodule Trial do
  import Checker
  alias Resend.Emails.{Attachment, Tag}

  @hello %{from: "Acme <me@acme.example>", subject: "Hello", html: "<p>Hi</p>"}
  @nobody "00000000-0000-4000-8000-000000000000"

  def emails do
    to = address("you")
    hello = Map.put(@hello, :to, to)

    whole =
      Map.merge(@hello, %{
        to: [to],
        cc: address("cc"),
        bcc: [address("bcc")],
        reply_to: "help@acme.example",
        text: "Hi",
        headers: %{"X-Entity-Ref-ID" => "1"},
        tags: [%Tag{name: "kind", value: "greeting"}],
        attachments: [
          %Attachment{filename: "a.txt", content: Base.encode64("hello"), content_type: "text/plain"},
          %{filename: "b.txt", content: Base.encode64("other")}
        ]
      })

    id = id(call("Emails.send", [whole], &is_binary(&1.id)))

    call("Emails.get", [id], fn reply ->
      reply.to == [to] and reply.reply_to == ["help@acme.example"] and reply.text == "Hi" and
        reply.tags == [%Tag{name: "kind", value: "greeting"}] and reply.created_at.time_zone == "Etc/UTC"
    end)

    call("Emails.list", [], lists(id))
    later = id(call("Emails.send", [Map.put(hello, :scheduled_at, "in 1 hour")]))
    call("Emails.update", [later, [scheduled_at: "in 2 hours"]], has(id: later))
    call("Emails.get", [later], &(DateTime.diff(&1.scheduled_at, DateTime.utc_now()) > 3600))
    call("Emails.cancel", [later], has(id: later))
    call("Emails.get", [later], has(last_event: "canceled"))
    call("Emails.list_attachments", [id], &(Enum.sort(for one <- &1.data, do: one.filename) == ["a.txt", "b.txt"]))
    file = hd(by_hand("/emails/#{id}/attachments")["data"])
    call("Emails.get_attachment", [id, file["id"]], has(filename: file["filename"], download_url: file["download_url"]))
    call("Emails.send_batch", [[hello, %{hello | to: [to]}]], &(length(&1.data) == 2))
    refuse("Emails.send", [%{hello | to: "nobody"}], "validation_error", 422)
    refuse("Emails.get", [@nobody], "not_found", 404)
    stranger = Resend.client(api_key: "re_wrong", base_url: env("BASE_URL"))
    refuse("Emails.send", [stranger, hello], "invalid_api_key", 403)
  end

  # What the attachments of the SDK do not have: an id.
  defp by_hand(path), do: Req.get!(env("BASE_URL") <> path, auth: {:bearer, env("RESEND_API_KEY")}).body

  def receiving do
    id = env("RECEIVED_ID")
    call("ReceivedEmails.list", [], lists(id))
    call("ReceivedEmails.get", [id], has(id: id))
    call("ReceivedEmails.list_attachments", [id], &(length(&1.data) == 2))
    file = hd(by_hand("/emails/receiving/#{id}/attachments")["data"])
    call("ReceivedEmails.get_attachment", [id, file["id"]], has(filename: file["filename"]))
  end

  # The second one is the first one under its old name.
  def segments do
    for part <- ["Segments", "Audiences"] do
      id = id(call("#{part}.create", [[name: "Early birds"]], has(name: "Early birds")))
      call("#{part}.get", [id], has(id: id, name: "Early birds"))
      call("#{part}.list", [], lists(id))
      call("#{part}.remove", [id])
      refuse("#{part}.get", [id], "not_found", 404)
    end

    id = id(call("Segments.create", [[name: "Night owls"]]))
    call("Segments.list", [[limit: 1]], &(Enum.map(&1.data, fn one -> one.id end) == [id]))
  end

  def contacts do
    segment = id(call("Segments.create", [[name: "Navy"]]))
    other = id(call("Segments.create", [[name: "Other"]]))
    topic = id(call("Topics.create", [[name: "Compilers", default_subscription: "opt_out"]]))
    key = String.replace(fresh("rank"), "-", "_")
    property = id(call("ContactProperties.create", [[key: key, type: "string", fallback_value: "none"]]))
    email = address("grace")

    whole = [
      email: email,
      first_name: "Grace",
      properties: %{key => "admiral"},
      segments: [%{id: segment}],
      topics: [%{id: topic, subscription: "opt_in"}]
    ]

    id = id(call("Contacts.create", [whole]))
    call("Contacts.get", [id], &(&1.email == email and &1.properties[key]["value"] == "admiral"))
    call("Contacts.get", [email], has(id: id))
    call("Contacts.list", [], lists(id))
    call("Contacts.list", [[segment_id: segment]], &(Enum.map(&1.data, fn one -> one.id end) == [id]))
    call("Contacts.update", [id, [last_name: "Hopper", unsubscribed: true]], has(id: id))
    call("Contacts.get", [id], has(first_name: "Grace", last_name: "Hopper", unsubscribed: true))
    call("Contacts.add_to_segment", [email, other])
    call("Contacts.list_segments", [id], lists(other))
    call("Contacts.remove_from_segment", [id, other])
    call("Contacts.list_segments", [id], &(not lists(other).(&1)))
    call("Contacts.list_topics", [id], fn reply -> Enum.any?(reply.data, &(&1.topic_id == topic and &1.subscribed)) end)
    call("Contacts.update_topics", [email, [%{id: topic, subscription: "opt_out"}]])
    call("ContactProperties.get", [property], has(key: key, fallback_value: "none"))
    call("ContactProperties.list", [], lists(property))
    call("ContactProperties.update", [property, [fallback_value: "sailor"]], has(id: property))
    call("ContactProperties.get", [property], has(fallback_value: "sailor"))
    call("ContactProperties.remove", [property])
    call("Contacts.remove", [email])
    refuse("Contacts.get", [id], "not_found", 404)
  end

  def topics do
    id = id(call("Topics.create", [[name: "Weekly", default_subscription: "opt_in", description: "Each Monday", visibility: "public"]]))
    call("Topics.get", [id], has(name: "Weekly", description: "Each Monday", default_subscription: "opt_in", visibility: "public"))
    call("Topics.update", [id, [name: "Monthly"]], has(id: id))
    call("Topics.list", [], lists(id))
    call("Topics.list", [[limit: 1]], &(length(&1.data) == 1))
    call("Topics.remove", [id])
    refuse("Topics.get", [id], "not_found", 404)
  end

  def domains do
    name = "#{fresh("elixir")}.example"
    id = id(call("Domains.create", [[name: name]], &(&1.name == name and length(&1.records) >= 3)))
    call("Domains.get", [id], has(id: id, name: name))
    call("Domains.list", [], lists(id))
    call("Domains.update", [id, [open_tracking: true, tls: "enforced", capabilities: %{receiving: "enabled"}]], has(id: id))
    call("Domains.verify", [id], has(id: id))
    call("Domains.remove", [id], has(id: id, deleted: true))
  end

  def keys do
    key = call("ApiKeys.create", [[name: "Server", permission: "sending_access"]], &String.starts_with?(&1.token, "re_"))
    call("ApiKeys.list", [], lists(id(key)))
    call("ApiKeys.remove", [id(key)])
    refuse("ApiKeys.remove", [@nobody], "not_found", 404)
  end

  def templates do
    whole = [name: "Order", from: "shop@acme.example", subject: "Order", html: "<p>Seven</p>"]
    id = id(call("Templates.create", [whole]))
    call("Templates.get", [id], has(id: id, name: "Order", subject: "Order", html: "<p>Seven</p>"))
    call("Templates.update", [id, [text: "Six"]], has(id: id))
    call("Templates.get", [id], has(subject: "Order", text: "Six"))
    call("Templates.update", [id, whole ++ [text: "Seven"]], has(id: id))
    call("Templates.get", [id], has(subject: "Order", html: "<p>Seven</p>", text: "Seven"))
    call("Templates.publish", [id], has(id: id))
    call("Templates.list", [], lists(id))
    sent = id(call("Emails.send", [%{to: "reader@example.com", template: %{id: id}}]))
    call("Emails.get", [sent], has(subject: "Order", html: "<p>Seven</p>"))
    copy = id(call("Templates.duplicate", [id], &(&1.id != id)))
    call("Templates.remove", [copy])
    refuse("Templates.get", [copy], "not_found", 404)
  end

  def broadcasts do
    segment = id(call("Segments.create", [[name: "Readers"]]))
    call("Contacts.create", [[email: address("reader"), segments: [%{id: segment}]]])

    content = [segment_id: segment, from: "news@acme.example", subject: "News", html: "<p>News</p>", name: "May", preview_text: "New"]
    id = id(call("Broadcasts.create", [content]))
    call("Broadcasts.get", [id], has(id: id, name: "May", status: "draft", preview_text: "New"))
    call("Broadcasts.update", [id, [name: "June"]], has(id: id))
    call("Broadcasts.list", [], lists(id))
    other = id(call("Broadcasts.create", [content]))
    call("Broadcasts.send", [other, [scheduled_at: "in 1 hour"]], has(id: other))
    call("Broadcasts.send", [Resend.client(), other, [scheduled_at: "in 1 hour"]], has(id: other))
    call("Broadcasts.get", [other], &(DateTime.compare(&1.scheduled_at, DateTime.utc_now()) == :gt))
    draft = id(call("Broadcasts.create", [content]))
    call("Broadcasts.remove", [draft])
    call("Broadcasts.send", [id], has(id: id))
  end

  def webhooks do
    endpoint = env("HOOK_URL")
    whole = [endpoint: endpoint, events: ["email.sent"], name: "Sent"]
    id = id(call("Webhooks.create", [whole], &String.starts_with?(&1.signing_secret, "whsec_")))
    call("Webhooks.get", [id], has(id: id, endpoint: endpoint, events: ["email.sent"]))
    call("Webhooks.list", [], lists(id))
    call("Webhooks.update", [id, [events: ["email.bounced"]]], has(id: id))
    call("Webhooks.get", [id], has(endpoint: endpoint, events: ["email.bounced"]))
    call("Webhooks.remove", [id])
    refuse("Webhooks.get", [id], "not_found", 404)
  end
end

Checker.start()
Checker.print(%{version: to_string(Application.spec(:resend, :vsn)), methods: Checker.functions()})

for part <- ~w[emails receiving segments contacts topics domains keys templates broadcasts webhooks]a do
  apply(Trial, part, [])
end
