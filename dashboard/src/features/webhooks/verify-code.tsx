import { CopyIcon } from '../../ui/copy.tsx'
import { Card, Code } from '../../ui/page.tsx'
import { rich } from '../../ui/rich.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { texts } from './texts.ts'
import './verify-code.css'

/** The secret comes from the environment: code gets copied to where secrets must not be. */
const SNIPPETS = {
  'Node.js': `import express from 'express'
import { Webhook } from 'svix'

const webhook = new Webhook(process.env.WEBHOOK_SECRET)

// The raw body: JSON that was parsed and written again has another signature.
app.post('/hooks/mail', express.raw({ type: 'application/json' }), (request, response) => {
  const event = webhook.verify(request.body, request.headers) // throws if the signature is wrong
  response.sendStatus(204)
})`,
  Python: `import os
from flask import Flask, request
from svix.webhooks import Webhook

app = Flask(__name__)
webhook = Webhook(os.environ["WEBHOOK_SECRET"])

@app.post("/hooks/mail")
def mail():
    event = webhook.verify(request.get_data(), request.headers)  # raises if the signature is wrong
    return "", 204`,
  Go: `import svix "github.com/svix/svix-webhooks/go"

webhook, _ := svix.NewWebhook(os.Getenv("WEBHOOK_SECRET"))

http.HandleFunc("/hooks/mail", func(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if err := webhook.Verify(body, r.Header); err != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.WriteHeader(http.StatusNoContent)
})`,
  PHP: `use Svix\\Webhook;

$webhook = new Webhook(getenv('WEBHOOK_SECRET'));

// Throws if the signature is wrong.
$event = $webhook->verify(file_get_contents('php://input'), getallheaders());
http_response_code(204);`,
} as const

/** How a receiver knows that an event comes from here. */
export const VerifyCode = () => (
  <Card title={texts.verify.title}>
    <p className="muted">{rich(texts.verify.note, { variable: <code>WEBHOOK_SECRET</code> })}</p>
    <Tabs
      label={texts.verify.languages}
      tabs={Object.entries(SNIPPETS).map(([name, text]) => ({
        name,
        content: (
          <div className="verify-code">
            <Code text={text} label={texts.verify.codeLabel(name)} />
            <CopyIcon text={text} what={texts.copied.code} />
          </div>
        ),
      }))}
    />
  </Card>
)
