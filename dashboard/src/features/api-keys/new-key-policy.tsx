import { useEffect, useRef } from 'react'
import { useChoices } from '../../ui/choices.ts'
import { PolicyFields } from '../../ui/policy/policy-fields.tsx'
import type { PolicyForm } from '../../ui/policy/use-policy-draft.ts'
import { texts } from './texts.ts'

interface NewKeyPolicyProps {
  readonly isGuarded: boolean
  readonly onGuard: (isGuarded: boolean) => void
  readonly form: PolicyForm
}

/** The policy of a key that is being made. Its form begins anew with the dialog that it is in. */
export function NewKeyPolicy({ isGuarded, onGuard, form }: NewKeyPolicyProps) {
  const segments = useChoices('segments.list')
  const startOver = useRef(() => {})
  startOver.current = () => {
    onGuard(false)
    form.reset()
  }
  useEffect(() => () => startOver.current(), [])
  return (
    <>
      <label className="check">
        <input type="checkbox" checked={isGuarded} onChange={({ currentTarget }) => onGuard(currentTarget.checked)} />
        <span>
          {texts.fields.policy.label}
          <small className="muted">{texts.fields.policy.hint}</small>
        </span>
      </label>
      {isGuarded && <PolicyFields form={form} segments={segments} />}
    </>
  )
}
