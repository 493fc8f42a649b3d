import { isSandbox } from '../../../platform/ids.ts'

interface EndpointQueue<Row> {
  readonly team: string
  readonly waiting: Row[]
  inFlight: number
  /** How many attempts may be under way at a time. */
  window: number
  /** How much the claim that is under way may bring. */
  asked: number
  /** It brought all that: there may be more that is due. */
  hasMore: boolean
}

/** What an endpoint without a queue gets: little, should it be dead. */
export const INITIAL_WINDOW = 5
export const MAX_WINDOW = 50
/**
 * Rows in flight of all endpoints of one team that have a queue: half of what a process takes in flight. Endpoints without one come on
 * top, 5 rows each; a team has no more than 100.
 */
export const MAX_TEAM_IN_FLIGHT = 1_000

/**
 * How much of this process each endpoint may take. Every good answer widens its window by one; silence, or a request to slow down,
 * narrows it to a single attempt at a time. So a dead endpoint costs one slot, whatever waits for it, and the first answer after
 * its return opens the window again. The queue of a wide one holds more than is under way, so that the next attempts begin while more is claimed.
 */
export class EndpointQueues<Row extends { readonly webhookId: string; readonly team: string }> {
  readonly #queues = new Map<string, EndpointQueue<Row>>()
  readonly #rowsOfTeam = new Map<string, number>()
  readonly #begin: (row: Row) => void

  constructor(begin: (row: Row) => void) {
    this.#begin = begin
  }

  /** What the next claim may bring to each endpoint that is not like an unknown one. */
  ask(): { webhookId: string; slots: number }[] {
    const slotsOfTeams = new Map<string, number>()
    return [...this.#queues].map(([webhookId, queue]) => {
      const ofTeam =
        slotsOfTeams.get(queue.team) ?? Math.max(0, MAX_TEAM_IN_FLIGHT - (this.#rowsOfTeam.get(queue.team) ?? 0))
      const slots = freeSlots(queue)
      queue.asked = Math.min(slots, ofTeam)
      // What it does not get for its team's sake may be there all the same.
      if (queue.asked < slots) queue.hasMore = true
      slotsOfTeams.set(queue.team, ofTeam - queue.asked)
      return { webhookId, slots: queue.asked }
    })
  }

  /** Takes what the claim has brought, and begins with it in its order. */
  enter(rows: readonly Row[]) {
    const brought = new Map<string, Row[]>()
    for (const row of rows) {
      const own = brought.get(row.webhookId)
      if (own) own.push(row)
      else brought.set(row.webhookId, [row])
    }
    for (const [webhookId, queue] of this.#queues)
      if (queue.asked > 0) queue.hasMore = (brought.get(webhookId)?.length ?? 0) >= queue.asked
    for (const [webhookId, own] of brought) {
      const queue = this.#queues.get(webhookId) ?? this.#open(own[0]!, own.length >= INITIAL_WINDOW)
      this.#count(queue, own.length)
      queue.waiting.push(...own)
      this.#beginNext(queue)
    }
  }

  /** An attempt is over. Tells whether it is worth claiming more: one by one that would cost more than sending. */
  leave(webhookId: string, isOverwhelmed: boolean): boolean {
    const queue = this.#queues.get(webhookId)!
    queue.window = isOverwhelmed ? 1 : Math.min(queue.window + 1, MAX_WINDOW)
    queue.inFlight--
    this.#count(queue, -1)
    this.#beginNext(queue)
    const left = queue.inFlight + queue.waiting.length
    // Sandboxes come and go by the thousand: how an endpoint of theirs has fared is not worth remembering.
    const isForgotten = queue.window >= INITIAL_WINDOW || isSandbox(queue.team)
    if (left === 0 && isForgotten && !queue.hasMore) this.#queues.delete(webhookId)
    return queue.hasMore && left <= queue.window
  }

  /** Begins with nothing more. */
  clear() {
    for (const queue of this.#queues.values()) {
      this.#count(queue, -queue.waiting.length)
      queue.waiting.length = 0
    }
  }

  #count({ team }: EndpointQueue<Row>, change: number) {
    const rows = (this.#rowsOfTeam.get(team) ?? 0) + change
    if (rows > 0) this.#rowsOfTeam.set(team, rows)
    else this.#rowsOfTeam.delete(team)
  }

  #open({ webhookId, team }: Row, hasMore: boolean): EndpointQueue<Row> {
    const queue: EndpointQueue<Row> = { team, waiting: [], inFlight: 0, window: INITIAL_WINDOW, asked: 0, hasMore }
    this.#queues.set(webhookId, queue)
    return queue
  }

  #beginNext(queue: EndpointQueue<Row>) {
    while (queue.inFlight < queue.window && queue.waiting.length > 0) {
      queue.inFlight++
      this.#begin(queue.waiting.shift()!)
    }
  }
}

function freeSlots({ waiting, inFlight, window }: EndpointQueue<unknown>): number {
  return Math.max(0, window + Math.max(0, window - INITIAL_WINDOW) - inFlight - waiting.length)
}
