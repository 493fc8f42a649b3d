import { MailPage } from '../features/inboxes/mail-page.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Code } from '../ui/page.tsx'
import { useSession } from './session.ts'
import { texts } from './texts.ts'

export function MailHome() {
  const { data: session } = useSession()
  return <MailPage me={session?.user?.email ?? null} firstMail={(address) => <FirstMail to={address} />} />
}

/** How the first mail gets into an inbox, from a terminal beside the service. */
function FirstMail({ to }: { to: string }) {
  const { data: session } = useSession()
  if (!session) return null
  const command = `swaks --server ${location.hostname}:${session.installation.smtp_port} --from me@example.com \\
  --to ${to} --header 'Subject: Hello' --body 'It works.'`
  return (
    <>
      <p className="muted">{texts.firstMail.fromTerminal}</p>
      <Code text={command} label={texts.firstMail.inboxCommand} />
      <CopyButton text={command}>{texts.firstMail.copyCommand}</CopyButton>
    </>
  )
}
