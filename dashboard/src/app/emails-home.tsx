import { lazy, Suspense } from 'react'
import { EmailsPage } from '../features/emails/emails-page.tsx'
import { Empty } from '../ui/states.tsx'
import { OnboardingStrip } from './onboarding/onboarding-strip.tsx'
import { useOnboarding } from './onboarding/use-onboarding.ts'
import { usePermissions } from './permissions.ts'
import { useSession } from './session.ts'
import { texts } from './texts.ts'

/** Fetched for those who begin. */
const Onboarding = lazy(() => import('./onboarding/onboarding.tsx').then((module) => ({ default: module.Onboarding })))

/** What was sent, below what is left to do. Whoever only looks is not told how to send. */
export function EmailsHome() {
  const maySend = usePermissions()('emails.send')
  const { isRead, steps, isDone, isDismissed, dismiss } = useOnboarding()
  const isShown = maySend && isRead && !isDone && !isDismissed
  const hasSent = steps.some(({ name, isDone: isSent }) => name === 'email' && isSent)
  return (
    <>
      {isShown && hasSent && <OnboardingStrip steps={steps} onDismiss={dismiss} />}
      {isShown && !hasSent && (
        <Suspense>
          <Onboarding steps={steps} onDismiss={dismiss} />
        </Suspense>
      )}
      <EmailsPage
        firstRun={<Empty icon="send" title={texts.firstMail.noEmails} />}
        canDelete={useSession().data?.installation.delivery === 'inbox'}
      />
    </>
  )
}
