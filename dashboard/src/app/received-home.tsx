import { ReceivedEmailsPage } from '../features/received-emails/received-emails-page.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Code } from '../ui/page.tsx'
import { useSession } from './session.ts'
import { texts } from './texts.ts'

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
      <p className="muted">{delivery === 'inbox' ? texts.firstMail.anyAddress : texts.firstMail.turnOnReceiving}</p>
      <Code text={command} label={texts.firstMail.receivedCommand} />
      <CopyButton text={command}>{texts.firstMail.copyCommand}</CopyButton>
    </>
  )
}
