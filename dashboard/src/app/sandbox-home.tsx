import { useParams } from '@tanstack/react-router'
import { DeliveryDetails } from '../features/emails/delivery-details.tsx'
import { Messages } from '../features/messages/messages.tsx'
import { SandboxPage } from '../features/sandboxes/sandbox-page.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Code } from '../ui/page.tsx'
import { useLive } from './live.ts'
import { useSession } from './session.ts'
import { texts } from './texts.ts'

/** A sandbox, whose mail appears as it comes. */
export function SandboxHome() {
  const { id } = useParams({ from: '/sandboxes/$id' })
  const { data: session } = useSession()
  useLive(id)
  if (!session) return null
  const { smtp_port } = session.installation
  return (
    <SandboxPage
      smtpPort={smtp_port}
      mail={({ domain }) => (
        <Messages
          scope={{ sandbox: id, canDelete: true }}
          firstMail={<FirstMail domain={domain} smtpPort={smtp_port} />}
          timelineOf={(email) => <DeliveryDetails id={email} sandbox={id} />}
        />
      )}
    />
  )
}

function FirstMail({ domain, smtpPort }: { domain: string; smtpPort: number }) {
  const message = String.raw`From: me@example.com\nTo: ada@${domain}\nSubject: Hello\n\nYour code is 482913.\n`
  const command = `printf '${message}' |
  curl smtp://${location.hostname}:${smtpPort} --crlf -T - --mail-from me@example.com --mail-rcpt ada@${domain}`
  return (
    <>
      <p className="muted">{texts.firstMail.sandbox}</p>
      <Code text={command} label={texts.firstMail.sandboxCommand} />
      <CopyButton text={command}>{texts.firstMail.copyCommand}</CopyButton>
    </>
  )
}
