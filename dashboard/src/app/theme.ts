import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const readTheme = () => (document.documentElement.dataset.theme ?? 'system') as Theme

function setTheme(next: Theme) {
  document.documentElement.dataset.theme = next
  localStorage.setItem('theme', next)
  for (const listener of listeners) listener()
}

/** Kept in the browser; `public/theme.js` sets it before the first paint. */
export const useTheme = () => ({ theme: useSyncExternalStore(subscribe, readTheme), setTheme })

export const isDark = (theme: Theme) =>
  theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
