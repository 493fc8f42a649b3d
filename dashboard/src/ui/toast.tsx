import { useSyncExternalStore } from 'react'
import './toast.css'

interface Toast {
  readonly id: number
  readonly text: string
  readonly isError: boolean
}

const SHOWN_MS = 4_000
let toasts: readonly Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()

function change(next: readonly Toast[]) {
  toasts = next
  for (const listener of listeners) listener()
}

/** A short word about what was done, at the edge of the page. */
export function toast(text: string, { isError = false } = {}) {
  const id = nextId++
  change([...toasts.slice(-2), { id, text, isError }])
  setTimeout(() => change(toasts.filter((one) => one.id !== id)), isError ? 2 * SHOWN_MS : SHOWN_MS)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <section className="toasts" aria-live="polite" aria-label="Messages">
      {shown.map(({ id, text, isError }) => (
        <p key={id} className={isError ? 'toast error' : 'toast'}>
          {text}
        </p>
      ))}
    </section>
  )
}
