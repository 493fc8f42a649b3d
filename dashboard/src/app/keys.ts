import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isForField } from '../ui/typing.ts'
import { NAVIGATION } from './navigation.ts'

const ROUTES = new Map(
  NAVIGATION.flatMap(({ pages }) => pages).flatMap(({ letter, to }) => (letter ? [[letter, to] as const] : [])),
)

/** `g` and a letter goes to a page, `/` to its filter, `j` and `k` walk through its rows. */
export function useKeys() {
  const navigate = useNavigate()
  useEffect(() => {
    let isGoing = false
    const press = (event: KeyboardEvent) => {
      // A page that knows better what a key means there has said so.
      if (isForField(event)) {
        isGoing = false
        return
      }
      const route = isGoing ? ROUTES.get(event.key) : undefined
      isGoing = event.key === 'g'
      if (route) navigate({ to: route })
      else if (event.key === '/') focusOn(event, document.querySelector<HTMLElement>('main [data-filter]'))
      else if (event.key === 'j') focusOn(event, neighbour(1))
      else if (event.key === 'k') focusOn(event, neighbour(-1))
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [navigate])
}

function neighbour(step: 1 | -1): HTMLElement | null {
  const rows = [...document.querySelectorAll<HTMLElement>('main .row-link')]
  const at = rows.indexOf(document.activeElement as HTMLElement)
  return rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))] ?? null
}

function focusOn(event: KeyboardEvent, element: HTMLElement | null) {
  if (!element) return
  event.preventDefault()
  element.focus()
}
