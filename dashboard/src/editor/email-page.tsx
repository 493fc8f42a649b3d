import type { ComponentProps, ReactNode } from 'react'
import { Page } from '../ui/page.tsx'
import type { SaveState } from './use-autosave.ts'
import './email-page.css'
import { texts } from './texts.ts'

/** A page with an email editor: it takes the whole width. */
export const EmailPage = (props: ComponentProps<typeof Page>) => (
  <div className="email-page">
    <Page {...props} />
  </div>
)

interface SaveStatusProps {
  readonly states: readonly SaveState[]
  readonly problem: string | null
}

const WORDS = {
  failed: texts.saving.failed,
  saving: texts.saving.saving,
  changed: texts.saving.changed,
  saved: texts.saving.saved,
} as const

/** Of all that is saved by itself on this page, the least settled state. */
export function SaveStatus({ states, problem }: SaveStatusProps) {
  const state = (['failed', 'saving', 'changed'] as const).find((one) => states.includes(one)) ?? 'saved'
  return (
    <span className={`save-state ${state}`} role="status" aria-label={texts.saving.label} title={texts.saving.hint}>
      {state === 'failed' && problem ? texts.saving.failedBecause(problem) : WORDS[state]}
    </span>
  )
}

/** Fields that are needed less often than the email. */
export const MoreSettings = ({ children }: { children: ReactNode }) => (
  <details className="email-settings">
    <summary>{texts.moreSettings}</summary>
    {children}
  </details>
)
