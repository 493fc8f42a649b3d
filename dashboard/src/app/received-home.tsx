import { ReceivedEmailsPage } from '../features/received-emails/received-emails-page.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Code } from '../ui/page.tsx'
import { useSession } from './session.ts'

export const ReceivedHome = () => <ReceivedEmailsPage firstMail={<FirstMail />} />

/** How the first mail gets here. Where nothing leaves the machine, mail for every domain is taken in. */
export function FirstMail() {
  const { data: session } = useSession()
  if (!session) return null
  const { delivery, smtp_port } = session.installation
  const message = String.raw`From: me@example.com\nTo: desk@example.com\nSubject: Hello\n\nIt works.\n`
  const command = `printf '${message}' |
  curl smtp://${location.hostname}:${smtp_port} --crlf -T - --mail-from me@example.com --mail-rcpt desk@example.com`
  return (
    <>
      <p className="muted">
        {delivery === 'inbox'
          ? 'Email to any address is accepted here. From a terminal:'
          : 'Turn on receiving for a domain and set its MX record. To test it from a terminal, with an address of that domain:'}
      </p>
      <Code text={command} label="Command that sends a test email" />
      <CopyButton text={command}>Copy command</CopyButton>
    </>
  )
}
