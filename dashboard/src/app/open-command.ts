import { useSyncExternalStore } from 'react'

/** What is open above every page: the command menu, or the help about keys. */
export type OpenCommand = 'menu' | 'keys' | null

let open: OpenCommand = null
const listeners = new Set<() => void>()

export function openCommand(next: OpenCommand) {
  open = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useOpenCommand = () => useSyncExternalStore(subscribe, () => open)
