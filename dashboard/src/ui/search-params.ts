import { type RegisteredRouter, type RouteIds, useNavigate, useRouterState } from '@tanstack/react-router'
import { useMemo } from 'react'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The filters of the list that a page of one was opened from. */
    readonly listInput?: object
  }
}

/** Where one thing is shown: `/emails/$id`. */
export type PageOfOne = Extract<RouteIds<RegisteredRouter['routeTree']>, `${string}/$id`>

export type Words = RegisteredRouter['latestLocation']['search']
export type Word = keyof Words

/** Whoever writes an address writes what they want: what the endpoint does not know, it refuses, and the page says so. */
export const asWritten = <Known extends string>(word: string | undefined) => word as Known | undefined

/** The router takes `2026` for a number and `false` for a truth; here they are words like any other. */
const asTexts = (search: object): Words =>
  Object.fromEntries(Object.entries(search).map(([name, value]) => [name, value === undefined ? value : String(value)]))

/** The words behind the question mark in the address, whatever the page: cursors and filters. */
export function useSearchParams() {
  const search = useRouterState({ select: ({ location }) => location.search })
  const words = useMemo(() => asTexts(search), [search])
  const navigate = useNavigate()
  /** Another choice begins at the first page of its list. */
  const choose = (changes: Words): Promise<void> =>
    navigate({ to: '.', search: (old: Words) => ({ ...old, after: undefined, before: undefined, ...changes }) })
  return { words, choose }
}
