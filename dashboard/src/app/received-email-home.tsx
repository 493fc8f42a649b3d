import { MessageChecks } from '../features/messages/checks.tsx'
import { ReceivedEmailPage } from '../features/received-emails/received-email-page.tsx'

export const ReceivedEmailHome = () => <ReceivedEmailPage checksOf={(id) => <MessageChecks id={id} />} />
