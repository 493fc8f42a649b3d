import type { Presence } from '../../../../kernel/db/presence.ts'
import { DELIVERIES_CHANNEL } from '../ledger/queries.ts'

/** The nodes that deliver, as of the last heartbeat: how many, and how many of them stand before this one. */
export interface Nodes {
  readonly count: number
  readonly rank: number
}

const ALONE: Nodes = { count: 1, rank: 0 }

/** With `has` only those among them, and this one. */
export function nodesOf(
  { others, node }: Pick<Presence, 'others' | 'node'>,
  has?: (other: Presence['others'][number]) => boolean,
): Nodes {
  if (others.length === 0) return ALONE
  let [count, rank] = [1, 0]
  for (const other of others)
    if (other.works.includes(DELIVERIES_CHANNEL) && (!has || has(other))) {
      count++
      if (other.id < node) rank++
    }
  return { count, rank }
}

/** What of a number is one node's: the parts of all nodes make up the whole. */
export const shareOf = (total: number, { count, rank }: Nodes) =>
  Math.floor(total / count) + (rank < total % count ? 1 : 0)
