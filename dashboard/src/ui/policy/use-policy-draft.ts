import { useState } from 'react'
import type { Policy } from '../../../../src/features/policies/schema.ts'
import { showHere } from '../../problems.ts'
import { draftOf, type PolicyDraft, type PolicyProblems, readDraft, refusedField } from './policy-draft.ts'
import { texts } from './texts.ts'

/** A policy in a form: what is written, and what is wrong with it once somebody wanted to save it. */
export function usePolicyDraft(initial: Policy | null) {
  const [draft, setDraft] = useState(() => draftOf(initial))
  const [isAsked, setAsked] = useState(false)
  const [refused, setRefused] = useState<PolicyProblems>({})
  const read = readDraft(draft)
  const problems: PolicyProblems = isAsked ? { ...refused, ...read.problems } : refused
  return {
    draft,
    problems,
    /** Null: as it stands it is none. */
    policy: Object.keys(read.problems).length === 0 ? read.policy : null,
    change(part: Partial<PolicyDraft>) {
      setDraft((before) => ({ ...before, ...part }))
      setRefused({})
    },
    reset() {
      setDraft(draftOf(initial))
      setAsked(false)
      setRefused({})
    },
    /** Saves what is written. What is wrong with it is shown at its field, whoever says so. */
    async submit<Saved>(save: (policy: Policy) => Promise<Saved>): Promise<Saved> {
      setAsked(true)
      if (Object.keys(read.problems).length > 0) throw new Error(texts.problems.check)
      try {
        return await save(read.policy)
      } catch (error) {
        const field = refusedField(error as Error)
        if (field === undefined) throw error
        setRefused({ [field]: showHere(error as Error) })
        throw new Error(texts.problems.check)
      }
    },
  }
}

export type PolicyForm = ReturnType<typeof usePolicyDraft>
