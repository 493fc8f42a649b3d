import { useState } from 'react'

export type Theme = 'system' | 'light' | 'dark'

/** Kept in the browser; `public/theme.js` sets it before the first paint. */
export function useTheme() {
  const [theme, setState] = useState((document.documentElement.dataset.theme ?? 'system') as Theme)
  const setTheme = (next: Theme) => {
    document.documentElement.dataset.theme = next
    localStorage.setItem('theme', next)
    setState(next)
  }
  return { theme, setTheme }
}

export const isDark = (theme: Theme) =>
  theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
