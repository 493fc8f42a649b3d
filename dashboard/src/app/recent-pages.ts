import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { sessionDrafts } from '../ui/draft-storage.ts'

/** Like what is being written in forms: kept for as long as the tab is open and somebody is signed in. */
const STORED_AS = 'recent-pages'
const MAX_RECENT = 6

/** Addresses and titles, the last one first. */
export const recentPages = () => Object.entries(sessionDrafts.read(STORED_AS) ?? {}).reverse()

/** Remembers each page when it is left: by then it has its title. */
export function useRecentPages() {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onBeforeLoad', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return
        const address = fromLocation.publicHref.split('?')[0]!
        const title = document.title.replace(/ · Postwren$/, '')
        const others = recentPages().filter(([one]) => one !== address)
        const kept = [[address, title] as const, ...others].slice(0, MAX_RECENT)
        sessionDrafts.write(STORED_AS, Object.fromEntries(kept.reverse()))
      }),
    [router],
  )
}
