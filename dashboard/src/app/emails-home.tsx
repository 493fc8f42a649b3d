import { EmailsPage } from '../features/emails/emails-page.tsx'
import { FirstRun } from './first-run.tsx'

export const EmailsHome = () => <EmailsPage firstRun={<FirstRun />} />
