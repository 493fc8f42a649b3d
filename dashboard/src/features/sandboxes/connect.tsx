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
      <Card title="Where it is">
        <Facts
          facts={[
            ['Id', <Copyable key="id" text={id} what="the id" />],
            ['Domain', <Copyable key="domain" text={domain} what="the domain" />],
            ['Below the path', <Copyable key="path" text={`${location.origin}/sandboxes/${id}`} what="the path" />],
            ['Seed', <Copyable key="seed" text={seed} what="the seed" />],
          ]}
        />
        <p className="muted">
          Any sender will do in it. Mail that is sent to an address of its domain arrives in it, over SMTP on port{' '}
          {smtpPort} as well. Below its path every endpoint works with the key of your team.
        </p>
      </Card>
      <Snippet title="The next message, from a terminal" text={curlOf(id)} />
      <Snippet title="In a test, which makes its own" text={TEST} />
    </>
  )
}

function Secrets({ made }: { made: NewSandbox }) {
  const { api_key, smtp } = made
  return (
    <Card title="Its key and its mail account">
      <p className="muted">Copy them now: they are shown until this page is reloaded or closed, and never again.</p>
      <Facts
        facts={[
          ['API key', <Copyable key="key" text={api_key} what="the key" />],
          ['SMTP server', <Copyable key="server" text={`${smtp.host}:${smtp.port}`} what="the server" />],
          ['SMTP user', <Copyable key="user" text={smtp.user} what="the user" />],
          ['SMTP password', <Copyable key="password" text={smtp.password} what="the password" />],
        ]}
      />
      <Code text={environmentOf(made)} label="For a program with the SDK, or with SMTP" />
      <div className="actions end">
        <CopyButton text={environmentOf(made)}>Copy for the environment</CopyButton>
      </div>
    </Card>
  )
}

const WithoutSecrets = () => (
  <Card title="Its key">
    <p className="muted">
      The key and the password of a sandbox are shown once, when it is made. With a key of your team everything in it
      can be reached below its path.
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
