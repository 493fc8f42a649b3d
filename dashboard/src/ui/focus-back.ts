import { useRef } from 'react'

/**
 * Gives the focus back to what had it before a dialog: Radix does so for a button that it knows, and here dialogs are opened by a state, from
 * a menu for instance.
 */
export function useFocusBack() {
  const before = useRef<HTMLElement | null>(null)
  return {
    remember() {
      before.current = document.activeElement as HTMLElement | null
    },
    giveBack(event: Event) {
      event.preventDefault()
      if (before.current?.isConnected) before.current.focus()
    },
  }
}
