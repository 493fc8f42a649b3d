import { useEffect, useState } from 'react'
import { useCall } from '../../queries.ts'
import { usePermissions } from '../permissions.ts'
import { useSession } from '../session.ts'
import { texts } from '../texts.ts'

export type StepName = 'email' | 'domain' | 'key' | 'webhook'

export interface OnboardingStep {
  readonly name: StepName
  readonly title: string
  readonly isDone: boolean
}

interface Onboarding {
  /** Whether it is known what is done. */
  readonly isRead: boolean
  readonly steps: readonly OnboardingStep[]
  readonly isDone: boolean
  readonly isDismissed: boolean
  dismiss(): void
}

/** Of this team, in this browser: somebody has put the steps aside, or they are all done and need not be asked for again. */
const storageKey = (team: string) => `onboarding:${team}`

/** What a new team still has to do. Nothing is ticked off by hand: a step is done when the thing that it makes exists. */
export function useOnboarding({ isAsked = false } = {}): Onboarding {
  const { data: session } = useSession()
  const may = usePermissions()
  const team = session?.team?.id ?? ''
  const [stored, setStored] = useState(() => localStorage.getItem(storageKey(team)))
  const isOff = stored !== null && !isAsked
  const isInbox = session?.installation.delivery === 'inbox'
  const needsDomain = !isInbox && may('domains.list')
  const emails = useCall('emails.list', { limit: 1 }, { enabled: !isOff })
  const domains = useCall('domains.list', { limit: 100 }, { enabled: !isOff && needsDomain })
  const keys = useCall('api-keys.list', { limit: 2 }, { enabled: !isOff && may('api-keys.list') })
  const webhooks = useCall('webhooks.list', { limit: 1 }, { enabled: !isOff && may('webhooks.list') })
  const all: readonly (OnboardingStep & { isOffered: boolean })[] = [
    {
      name: 'domain',
      title: texts.onboarding.verifyDomain,
      isOffered: needsDomain,
      isDone: domains.data?.data.some(({ status }) => status === 'verified') ?? false,
    },
    {
      name: 'email',
      title: texts.onboarding.sendEmail,
      isOffered: may('emails.send'),
      isDone: (emails.data?.data.length ?? 0) > 0,
    },
    {
      name: 'key',
      title: texts.onboarding.createApiKey,
      isOffered: may('api-keys.create'),
      // The first one came with the installation.
      isDone: (keys.data?.data.length ?? 0) > 1,
    },
    {
      name: 'webhook',
      title: texts.onboarding.addWebhook,
      isOffered: may('webhooks.create'),
      isDone: (webhooks.data?.data.length ?? 0) > 0,
    },
  ]
  const steps = all.filter(({ isOffered }) => isOffered)
  const isRead = !isOff && [emails, domains, keys, webhooks].every(({ isLoading }) => !isLoading) && emails.isSuccess
  const isDone = isRead && steps.every((step) => step.isDone)
  useEffect(() => {
    if (isDone) localStorage.setItem(storageKey(team), 'done')
  }, [isDone, team])
  const dismiss = () => {
    localStorage.setItem(storageKey(team), 'dismissed')
    setStored('dismissed')
  }
  return { isRead, steps, isDone, isDismissed: stored !== null, dismiss }
}
