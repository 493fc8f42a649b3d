import { usePending } from './pending.ts'

/** What was read, with what was just done. */
export function useUnread() {
  const pending = usePending()
  return (inbox: string, unread: number) =>
    Math.max(
      0,
      pending.reduce((sum, one) => (one.inbox === inbox ? sum + one.unread : sum), unread),
    )
}
