/** What a program needs to send from here. */
export interface SendingFacts {
  readonly url: string
  readonly host: string
  readonly smtpPort: number
  /** As the shell reads it: the file that has the first key, on the machine that has it. */
  readonly shellKey: string
}

interface Snippet {
  readonly name: string
  readonly text: string
}

const KEY = 're_xxxxxxxxx'

/** The same email in each of the ways that people send one. */
export const snippetsFor = ({ url, host, smtpPort, shellKey }: SendingFacts): readonly Snippet[] => [
  {
    name: 'cURL',
    text: `curl ${url}/emails \\
  -H "Authorization: Bearer ${shellKey}" -H 'Content-Type: application/json' \\
  -d '{"from": "me@example.com", "to": "you@example.com", "subject": "Hello", "html": "<p>It works.</p>"}'`,
  },
  {
    name: 'Node',
    text: `import { Resend } from 'resend'

const resend = new Resend('${KEY}', { baseUrl: '${url}' })
await resend.emails.send({
  from: 'me@example.com',
  to: 'you@example.com',
  subject: 'Hello',
  html: '<p>It works.</p>',
})`,
  },
  {
    name: 'Python',
    text: `import resend

resend.api_key = "${KEY}"
resend.api_url = "${url}"
resend.Emails.send({
    "from": "me@example.com",
    "to": "you@example.com",
    "subject": "Hello",
    "html": "<p>It works.</p>",
})`,
  },
  {
    name: 'Go',
    text: `client := resend.NewClient("${KEY}")
client.BaseURL, _ = url.Parse("${url}/")
sent, err := client.Emails.Send(&resend.SendEmailRequest{
    From:    "me@example.com",
    To:      []string{"you@example.com"},
    Subject: "Hello",
    Html:    "<p>It works.</p>",
})`,
  },
  {
    name: 'PHP',
    text: `putenv('RESEND_BASE_URL=${url}');
$resend = Resend::client('${KEY}');
$resend->emails->send([
    'from' => 'me@example.com',
    'to' => ['you@example.com'],
    'subject' => 'Hello',
    'html' => '<p>It works.</p>',
]);`,
  },
  {
    name: 'SMTP',
    text: `Host      ${host}
Port      ${smtpPort}
User      resend
Password  ${KEY}`,
  },
  {
    name: 'CLI',
    text: `export RESEND_BASE_URL=${url} RESEND_API_KEY="${shellKey}"
npx resend-cli emails send --from me@example.com --to you@example.com \\
  --subject Hello --text 'It works.'`,
  },
]
