import { Page } from '../../ui/page.tsx'
import { Loading } from '../../ui/states.tsx'
import { texts } from '../texts.ts'
import { Onboarding } from './onboarding.tsx'
import { useOnboarding } from './use-onboarding.ts'

/** The steps for whoever asks for them, done or dismissed or not. */
export function GetStartedPage() {
  const { isRead, steps } = useOnboarding({ isAsked: true })
  return <Page title={texts.onboarding.title}>{isRead ? <Onboarding steps={steps} /> : <Loading />}</Page>
}
