import { useState } from 'react'
import type { Email } from '../compose/answer.ts'

/** Which emails are open: the last one, those that were not read, the one that was found, and whatever somebody opens. */
export function useUnfolded(emails: readonly Email[], matchedEmailId: string | undefined) {
  // What was open once stays so: it is not folded under the eyes of its reader because another one arrives.
  const [opened] = useState(() => new Set<string>())
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  for (const { id, read } of emails) if (!read || id === matchedEmailId) opened.add(id)
  const last = emails.at(-1)
  if (last) opened.add(last.id)
  const toggle = (id: string) =>
    setToggled((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]))
  return { has: (id: string) => opened.has(id) !== toggled.has(id), toggle }
}
