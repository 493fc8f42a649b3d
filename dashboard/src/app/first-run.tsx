import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { sendEmail, TEST_EMAIL } from '../features/emails/api.ts'
import { useCall } from '../queries.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Icon } from '../ui/icons.tsx'
import { Code } from '../ui/page.tsx'
import { useSession } from './session.ts'
import './first-run.css'

/** Three steps from an empty installation to one that works. */
export function FirstRun() {
  const navigate = useNavigate()
  const { data: session } = useSession()
  const domains = useCount('domains.list')
  const keys = useCount('api-keys.list')
  const send = useAct({ run: () => sendEmail(TEST_EMAIL), refresh: ['emails'] })
  // Not with its answer alone: the list may have heard of the email before, and shows it instead of this.
  const tryIt = () =>
    send.mutateAsync().then(
      ({ id }) => navigate({ to: '/emails/$id', params: { id } }),
      () => {},
    )
  const isInbox = session?.installation.delivery === 'inbox'
  const curl = curlWith(keyIn(session?.installation.api_key_file ?? null))
  return (
    <section className="first-run" aria-label="Get started">
      <h2>Get started</h2>
      <ol>
        <Step title="Send test email" isDone={false}>
          <p className="muted">
            {isInbox
              ? 'No email leaves this machine yet, so any sender and recipient will do.'
              : 'The sender must belong to a verified domain.'}
          </p>
          {isInbox && (
            <Button look="primary" icon="send" needs="emails.send" isBusy={send.isPending} onClick={tryIt}>
              Send test email
            </Button>
          )}
          <p className="muted">Or from a terminal:</p>
          <Code text={curl} label="Command that sends an email" />
          <CopyButton text={curl}>Copy command</CopyButton>
        </Step>
        <Step title="Add domain" isDone={domains > 0}>
          <p className="muted">Required to send real email from your own address. You get the DNS records to set.</p>
          <Link className="button plain" to="/domains">
            Add domain
          </Link>
        </Step>
        <Step title="Create an API key" isDone={keys > 1}>
          <p className="muted">One for each application, so you can revoke them individually.</p>
          <Link className="button plain" to="/api-keys">
            Create API key
          </Link>
        </Step>
      </ol>
    </section>
  )
}

function Step({ title, isDone, children }: { title: string; isDone: boolean; children: ReactNode }) {
  return (
    <li className={isDone ? 'done' : ''}>
      <h3>
        {title} {isDone && <Icon name="check" />}
      </h3>
      {children}
    </li>
  )
}

const useCount = (list: 'domains.list' | 'api-keys.list') => useCall(list, { limit: 2 }).data?.data.length ?? 0

/** On a laptop the first key is in a file; elsewhere whoever asks has one of their own. */
const keyIn = (file: string | null) =>
  file && isThisMachine(location.hostname) ? `$(cat '${file.replaceAll("'", String.raw`'\''`)}')` : '$RESEND_API_KEY'

const isThisMachine = (host: string) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)

const curlWith = (key: string) => `curl ${location.origin}/emails \\
  -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' \\
  -d '{"from": "me@example.com", "to": "you@example.com", "subject": "Hello", "html": "<p>It works.</p>"}'`
