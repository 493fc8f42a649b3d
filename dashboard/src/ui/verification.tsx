import { lazy, Suspense, useSyncExternalStore } from 'react'
import { ApiProblem } from '../api.ts'

// Dangerous acts ask for a proof that is fresh: see `requireFresh` of the server. Whoever acts need not know which ones.

interface Waiting {
  readonly resolve: () => void
  readonly reject: () => void
}

let waiting: readonly Waiting[] = []
const listeners = new Set<() => void>()

function change(next: readonly Waiting[]) {
  waiting = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Does something; if that needs a fresh proof of who is signed in, asks for it and does it again. `useAct` does so by itself. */
export async function verified<Answer>(act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act()
  } catch (error) {
    if (!isUnproven(error)) throw error
    await new Promise<void>((resolve, reject) => change([...waiting, { resolve, reject: () => reject(error) }]))
    return act().catch((again) => {
      if (!isUnproven(again)) throw again
      // Another process of the service may trust for a moment what it knew before.
      return new Promise((resolve) => setTimeout(resolve, NOTICED_MS)).then(act)
    })
  }
}

const NOTICED_MS = 1_000

const isUnproven = (error: unknown) => error instanceof ApiProblem && error.name === 'verification_required'

/** Tells the other tabs of this browser that somebody has proven who they are: one of them may be waiting for it. */
export const verification = new BroadcastChannel('postwren-verification')

export function settle(how: 'resolve' | 'reject') {
  const settled = waiting
  change([])
  for (const one of settled) one[how]()
}

/** Fetched when it is needed: few people ever are asked. */
const VerificationDialog = lazy(() =>
  import('./verification-dialog.tsx').then((module) => ({ default: module.VerificationDialog })),
)

/** Asks for the proof while somebody waits for it. There is one dialog, for all who wait. */
export function Verification() {
  const isAsked = useSyncExternalStore(subscribe, () => waiting.length > 0)
  return (
    isAsked && (
      <Suspense>
        <VerificationDialog />
      </Suspense>
    )
  )
}
