import type { Item } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { formatNumber } from '../../ui/locale.ts'

type State = Pick<Item<'operator.teams.list'>, 'suspended_at' | 'delete_at'>

/** What a team can do, in a word. */
export function TeamState({ suspended_at, delete_at }: State) {
  if (delete_at !== null) return <Badge word="pending deletion" tone="bad" />
  return suspended_at === null ? <Badge word="active" tone="good" /> : <Badge word="suspended" tone="warn" />
}

/** `12 of 100`, or `12` where there is no limit. */
export const ofLimit = (used: number, limit: number | null) =>
  limit === null ? formatNumber(used) : `${formatNumber(used)} of ${formatNumber(limit)}`
