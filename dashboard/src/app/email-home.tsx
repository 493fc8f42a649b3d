import { EmailPage } from '../features/emails/email-page.tsx'
import { MessageChecks } from '../features/messages/checks.tsx'

export const EmailHome = () => <EmailPage checksOf={(id) => <MessageChecks id={id} />} />
