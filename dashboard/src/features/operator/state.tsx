import type { Item } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { formatNumber } from '../../ui/locale.ts'
import { texts } from './texts.ts'

type State = Pick<Item<'operator.teams.list'>, 'suspended_at' | 'delete_at'>

/** What a team can do, in a word. */
export function TeamState({ suspended_at, delete_at }: State) {
  if (delete_at !== null) return <Badge word={texts.pendingDeletion} tone="bad" />
  return suspended_at === null ? <Badge word="active" tone="good" /> : <Badge word="suspended" tone="warn" />
}

/** `12 of 100`, or `12` where there is no limit. */
export const ofLimit = (used: number, limit: number | null) =>
  limit === null ? formatNumber(used) : texts.usage.ofLimit(formatNumber(used), formatNumber(limit))
