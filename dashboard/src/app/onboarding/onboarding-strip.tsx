import { Link } from '@tanstack/react-router'
import { IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import type { OnboardingStep } from './use-onboarding.ts'
import './onboarding.css'
import { texts } from '../texts.ts'

/** What is left to do, in one line above what there is. */
export function OnboardingStrip({ steps, onDismiss }: { steps: readonly OnboardingStep[]; onDismiss: () => void }) {
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <aside className="onboarding-strip" aria-label={texts.onboarding.title}>
      <Link to="/get-started">
        {texts.onboarding.title}
        <span className="muted">
          {texts.onboarding.progress(steps.filter(({ isDone }) => isDone).length, steps.length)}
        </span>
        <span className="next-step">
          {next && texts.onboarding.next(next.title)} <Icon name="next" size={14} />
        </span>
      </Link>
      <IconButton icon="close" label={texts.onboarding.dismiss} onClick={onDismiss} />
    </aside>
  )
}
