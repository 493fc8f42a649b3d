import type { Reply } from '../../api.ts'
import { Copyable, CopyButton } from '../../ui/copy.tsx'
import { Card, Code, Facts } from '../../ui/page.tsx'
import { type NewSandbox, secretsOf } from './secrets.ts'
import { texts } from './texts.ts'

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
      <Card title={texts.connect.title}>
        <Facts
          facts={[
            [texts.connect.id, <Copyable key="id" text={id} what={texts.copied.id} />],
            [texts.connect.domain, <Copyable key="domain" text={domain} what={texts.copied.domain} />],
            [
              texts.connect.baseUrl,
              <Copyable key="path" text={`${location.origin}/sandboxes/${id}`} what={texts.copied.baseUrl} />,
            ],
            [texts.connect.seed, <Copyable key="seed" text={seed} what={texts.copied.seed} />],
          ]}
        />
        <p className="muted">{texts.connect.note(smtpPort)}</p>
      </Card>
      <Snippet title={texts.connect.waitSnippet} text={curlOf(id)} />
      <Snippet title={texts.connect.testSnippet} text={TEST} />
    </>
  )
}

function Secrets({ made }: { made: NewSandbox }) {
  const { api_key, smtp } = made
  return (
    <Card title={texts.credentials.title}>
      <p className="muted">{texts.credentials.copyNow}</p>
      <Facts
        facts={[
          [texts.credentials.apiKey, <Copyable key="key" text={api_key} what={texts.copied.apiKey} />],
          [
            texts.credentials.smtpServer,
            <Copyable key="server" text={`${smtp.host}:${smtp.port}`} what={texts.copied.smtpServer} />,
          ],
          [texts.credentials.smtpUser, <Copyable key="user" text={smtp.user} what={texts.copied.smtpUser} />],
          [
            texts.credentials.smtpPassword,
            <Copyable key="password" text={smtp.password} what={texts.copied.smtpPassword} />,
          ],
        ]}
      />
      <Code text={environmentOf(made)} label={texts.credentials.environment} />
      <div className="actions end">
        <CopyButton text={environmentOf(made)}>{texts.credentials.copyEnvironment}</CopyButton>
      </div>
    </Card>
  )
}

const WithoutSecrets = () => (
  <Card title={texts.credentials.title}>
    <p className="muted">{texts.credentials.shownOnce}</p>
  </Card>
)

const Snippet = ({ title, text }: { title: string; text: string }) => (
  <Card title={title} actions={<CopyButton text={text}>{texts.connect.copy}</CopyButton>}>
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
