import { EmailsPage } from '../features/emails/emails-page.tsx'
import { Empty } from '../ui/states.tsx'
import { FirstRun } from './first-run.tsx'
import { usePermissions } from './permissions.ts'

/** Whoever only looks is not told how to send. */
export const EmailsHome = () => (
  <EmailsPage firstRun={usePermissions()('emails.send') ? <FirstRun /> : <Empty icon="send" title="No emails yet" />} />
)
