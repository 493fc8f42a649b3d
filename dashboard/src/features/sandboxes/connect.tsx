import type { Reply } from '../../api.ts'
import { Copyable, CopyButton } from '../../ui/copy.tsx'
import { Card, Code, Facts } from '../../ui/page.tsx'
import { type NewSandbox, secretsOf } from './secrets.ts'

interface ConnectProps {
  readonly sandbox: Reply<'sandboxes.get'>
  readonly smtpPort: number
}

/** How a program uses the sandbox. */
export function Connect({ sandbox, smtpPort }: ConnectProps) {
  const { id, domain, seed } = sandbox
  const made = secretsOf(id)
  return (
    <>
      {made ? <Secrets made={made} /> : <WithoutSecrets />}
      <Card title="Connection">
        <Facts
          facts={[
            ['ID', <Copyable key="id" text={id} what="ID" />],
            ['Domain', <Copyable key="domain" text={domain} what="domain" />],
            ['Base URL', <Copyable key="path" text={`${location.origin}/sandboxes/${id}`} what="base URL" />],
            ['Seed', <Copyable key="seed" text={seed} what="seed" />],
          ]}
        />
        <p className="muted">
          Any sender is accepted. Email to an address of its domain arrives here, also over SMTP on port {smtpPort}.
          With the base URL, every endpoint works with an API key of your team.
        </p>
      </Card>
      <Snippet title="Wait for the next message from a terminal" text={curlOf(id)} />
      <Snippet title="Create a sandbox in a test" text={TEST} />
    </>
  )
}

function Secrets({ made }: { made: NewSandbox }) {
  const { api_key, smtp } = made
  return (
    <Card title="Credentials">
      <p className="muted">Copy them now. They are not shown again after this page is reloaded or closed.</p>
      <Facts
        facts={[
          ['API key', <Copyable key="key" text={api_key} what="key" />],
          ['SMTP server', <Copyable key="server" text={`${smtp.host}:${smtp.port}`} what="server" />],
          ['SMTP user', <Copyable key="user" text={smtp.user} what="user" />],
          ['SMTP password', <Copyable key="password" text={smtp.password} what="password" />],
        ]}
      />
      <Code text={environmentOf(made)} label="Environment variables" />
      <div className="actions end">
        <CopyButton text={environmentOf(made)}>Copy environment variables</CopyButton>
      </div>
    </Card>
  )
}

const WithoutSecrets = () => (
  <Card title="Credentials">
    <p className="muted">
      The API key and SMTP password are shown once, when a sandbox is created. With an API key of your team, use the
      base URL below.
    </p>
  </Card>
)

const Snippet = ({ title, text }: { title: string; text: string }) => (
  <Card title={title} actions={<CopyButton text={text}>Copy</CopyButton>}>
    <Code text={text} label={title} />
  </Card>
)

const environmentOf = ({ api_key, smtp }: NewSandbox) => {
  const [user, password] = [smtp.user, smtp.password].map(encodeURIComponent)
  return `RESEND_API_KEY=${api_key}
RESEND_BASE_URL=${location.origin}
SMTP_URL=smtp://${user}:${password}@${smtp.host}:${smtp.port}${isHere(smtp.host) ? '/?ignoreTLS=true' : ''}`
}

/** On loopback nothing needs to be encrypted, and nodemailer refuses certificates that nobody else has signed. */
const isHere = (host: string) => ['localhost', '127.0.0.1', '::1'].includes(host)

const curlOf = (id: string) => `curl '${location.origin}/sandboxes/${id}/messages/wait?timeout=30' \\
  -H "Authorization: Bearer $RESEND_API_KEY"`

const TEST = `import { sandbox } from 'postwren/testing'

const box = await sandbox({ name: 'sign-up' })
// Your application sends with box.env.
const mail = await box.inbox.waitFor({ to: 'ada@example.com' })
mail.codes[0]
await box.clock.advance('3 days')
const reminder = await box.inbox.waitFor({ to: 'ada@example.com', after: mail })`
