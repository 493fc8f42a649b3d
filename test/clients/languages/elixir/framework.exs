# One mail through Swoosh, which Phoenix sends with, by the adapter of the SDK.
Code.require_file("checker.exs", __DIR__)
Checker.start()

defmodule Mailer do
  use Swoosh.Mailer, otp_app: :trial, adapter: Resend.Swoosh.Adapter
end

import Swoosh.Email

mail =
  new()
  |> from({"Acme", "me@acme.example"})
  |> to("you@example.com")
  |> cc("copy@example.com")
  |> bcc("hidden@example.com")
  |> reply_to("help@acme.example")
  |> subject(Checker.env("SUBJECT"))
  |> header("X-Order", "7")
  |> text_body("Hi from Swoosh")
  |> html_body("<p>Hi from Swoosh</p>")
  |> attachment(Swoosh.Attachment.new({:data, "hello"}, filename: "notes.txt", content_type: "text/plain"))

Mailer.deliver!(mail, api_key: Checker.env("RESEND_API_KEY"), base_url: Checker.env("BASE_URL"))
Checker.print(%{version: to_string(Application.spec(:swoosh, :vsn))})
