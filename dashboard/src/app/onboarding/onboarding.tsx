import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { sendEmail, TEST_EMAIL } from '../../features/emails/api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Code } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useSession } from '../session.ts'
import { snippetsFor } from './snippets.ts'
import type { OnboardingStep, StepName } from './use-onboarding.ts'
import './onboarding.css'
import { texts } from '../texts.ts'

interface OnboardingProps {
  readonly steps: readonly OnboardingStep[]
  /** Left out on the page that somebody has opened to see it. */
  readonly onDismiss?: () => void
}

/** The steps from an empty team to one that works, each with what it takes. */
export const Onboarding = ({ steps, onDismiss }: OnboardingProps) => (
  <section className="onboarding" aria-label={texts.onboarding.title}>
    <header>
      <h2>{texts.onboarding.title}</h2>
      <span className="muted">
        {texts.onboarding.progress(steps.filter(({ isDone }) => isDone).length, steps.length)}
      </span>
      {onDismiss && (
        <Button look="quiet" onClick={onDismiss}>
          {texts.onboarding.dismiss}
        </Button>
      )}
    </header>
    <ol>
      {steps.map(({ name, title, isDone }) => (
        <li key={name} className={isDone ? 'done' : ''}>
          <h3 {...(isDone && { 'aria-label': texts.onboarding.doneStep(title) })}>{title}</h3>
          {isDone && <Icon name="check" />}
          {(!isDone || name === 'email') && <div className="onboarding-body">{BODIES[name]}</div>}
        </li>
      ))}
    </ol>
  </section>
)

const BODIES: Readonly<Record<StepName, ReactNode>> = {
  email: <FirstEmail />,
  domain: (
    <>
      <p className="muted">{texts.onboarding.verifyDomainNote}</p>
      <Link className="button plain" to="/domains">
        {texts.actions.addDomain}
      </Link>
    </>
  ),
  key: (
    <>
      <p className="muted">{texts.onboarding.createApiKeyNote}</p>
      <Link className="button plain" to="/api-keys">
        {texts.actions.createApiKey}
      </Link>
    </>
  ),
  webhook: (
    <>
      <p className="muted">{texts.onboarding.addWebhookNote}</p>
      <Link className="button plain" to="/webhooks">
        {texts.actions.addWebhook}
      </Link>
    </>
  ),
}

function FirstEmail() {
  const navigate = useNavigate()
  const { data: session } = useSession()
  const send = useAct({ run: () => sendEmail(TEST_EMAIL), refresh: ['emails'] })
  // By the promise, not by a callback of the mutation: the list may show the email first, and this component is then unmounted.
  const tryIt = () =>
    send.mutateAsync().then(
      ({ id }) => navigate({ to: '/emails/$id', params: { id } }),
      () => {},
    )
  if (!session) return null
  const { delivery, smtp_port, api_key_file, public_url } = session.installation
  const isInbox = delivery === 'inbox'
  const url = public_url ?? location.origin
  const snippets = snippetsFor({
    url,
    host: new URL(url).hostname,
    smtpPort: smtp_port,
    shellKey: keyIn(api_key_file),
  })
  return (
    <>
      <p className="muted">{isInbox ? texts.onboarding.anySender : texts.onboarding.verifiedSender}</p>
      {isInbox && (
        <Button look="primary" icon="send" needs="emails.send" isBusy={send.isPending} onClick={tryIt}>
          {texts.onboarding.sendTestEmail}
        </Button>
      )}
      <Tabs
        label={texts.onboarding.snippets}
        tabs={snippets.map(({ name, text }) => ({
          name,
          content: (
            <div className="snippet">
              <Code text={text} label={texts.onboarding.snippetLabel(name)} />
              <CopyButton text={text}>{texts.onboarding.copySnippet}</CopyButton>
            </div>
          ),
        }))}
      />
    </>
  )
}

/** On a laptop the first key is in a file; elsewhere whoever asks has one of their own. */
const keyIn = (file: string | null) =>
  file && isThisMachine(location.hostname) ? `$(cat '${file.replaceAll("'", String.raw`'\''`)}')` : '$RESEND_API_KEY'

const isThisMachine = (host: string) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)
