import { EmailsPage } from '../features/emails/emails-page.tsx'
import { Empty } from '../ui/states.tsx'
import { FirstRun } from './first-run.tsx'
import { useMay } from './may.ts'

/** Whoever only looks is not told how to send. */
export const EmailsHome = () => (
  <EmailsPage firstRun={useMay()('emails.send') ? <FirstRun /> : <Empty icon="send" title="No emails yet" />} />
)
