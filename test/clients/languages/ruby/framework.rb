# One mail through Rails, by the delivery method that the SDK adds to Action Mailer.
require "json"
require "logger"
require "rails"
require "action_mailer/railtie"
require "resend"

Resend.api_key = ENV.fetch("RESEND_API_KEY")

class App < Rails::Application
  config.eager_load = false
  config.logger = Logger.new($stderr, level: :warn)
  config.action_mailer.delivery_method = :resend
end

class Greetings < ActionMailer::Base
  def hello
    attachments["notes.txt"] = "hello"
    headers["X-Order"] = "7"
    addresses = { from: "Acme <me@acme.example>", to: "you@example.com", cc: "copy@example.com", bcc: "hidden@example.com" }
    tags = [{ name: "kind", value: "greeting" }]
    mail(**addresses, reply_to: "help@acme.example", subject: ENV.fetch("SUBJECT"), tags: tags) do |format|
      format.text { render plain: "Hi from Rails" }
      format.html { render html: "<p>Hi from Rails</p>".html_safe }
    end
  end
end

App.initialize!
Greetings.hello.deliver_now
puts JSON.generate({ version: Rails.version })
