import { useSyncExternalStore } from 'react'
import './toast.css'
import { texts } from './texts.ts'

interface Toast {
  readonly id: number
  readonly text: string
  readonly isError: boolean
  readonly act: ToastAct | undefined
}

/** What can still be done about it: Undo. */
export interface ToastAct {
  readonly label: string
  readonly run: () => void
}

interface ToastOptions {
  readonly isError?: boolean
  readonly act?: ToastAct
  /** How long it stays, where that is not as usual. */
  readonly shownMs?: number
}

const SHOWN_MS = 4_000
let toasts: readonly Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()

function change(next: readonly Toast[]) {
  toasts = next
  for (const listener of listeners) listener()
}

const dismiss = (id: number) => change(toasts.filter((one) => one.id !== id))

/** A short word about what was done, at the edge of the page. What it returns takes it away before its time. */
export function toast(text: string, { isError = false, act, shownMs }: ToastOptions = {}): () => void {
  const id = nextId++
  change([...toasts.slice(-2), { id, text, isError, act }])
  // Who is to decide something needs longer than who is told something.
  setTimeout(() => dismiss(id), shownMs ?? (isError || act ? 2 * SHOWN_MS : SHOWN_MS))
  return () => dismiss(id)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <section className="toasts" aria-live="polite" aria-label={texts.notifications}>
      {shown.map(({ id, text, isError, act }) => (
        <p key={id} className={isError ? 'toast error' : 'toast'}>
          {text}
          {act && (
            <button
              type="button"
              onClick={() => {
                dismiss(id)
                act.run()
              }}
            >
              {act.label}
            </button>
          )}
        </p>
      ))}
    </section>
  )
}
