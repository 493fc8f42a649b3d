import { type RegisteredRouter, type RouteIds, useNavigate, useRouterState } from '@tanstack/react-router'

/** Where one thing is shown: `/emails/$id`. */
export type PageOfOne = Extract<RouteIds<RegisteredRouter['routeTree']>, `${string}/$id`>

type Words = RegisteredRouter['latestLocation']['search']
export type Word = keyof Words

/** Whoever writes an address writes what they want: what the endpoint does not know, it refuses, and the page says so. */
export const asWritten = <Known extends string>(word: string | undefined) => word as Known | undefined

/** The words behind the question mark in the address, whatever the page: cursors and filters. */
export function useWords() {
  const words: Words = useRouterState({ select: ({ location }) => location.search })
  const navigate = useNavigate()
  /** Another choice begins at the first page of its list. */
  const choose = (changes: Words) =>
    navigate({ to: '.', search: (old: Words) => ({ ...old, after: undefined, before: undefined, ...changes }) })
  return { words, choose }
}
