interface Lane<Row> {
  readonly team: string
  readonly waiting: Row[]
  underWay: number
  /** How many attempts may be under way at a time. */
  window: number
  /** How much the claim that is under way may bring. */
  asked: number
  /** It brought all that: there may be more that is due. */
  hasMore: boolean
}

/** What an endpoint without a lane gets: little, should it be dead. */
export const FIRST_WINDOW = 5
export const LARGEST_WINDOW = 50
/**
 * Rows in hand of all endpoints of one team that have a lane: half of what a process takes in hand. Endpoints without one come on
 * top, 5 rows each; a team has no more than 100.
 */
export const TEAM_ROWS = 1_000

/**
 * How much of this process each endpoint may take. Every good answer makes its lane one wider; silence, or a request to slow down,
 * narrows it to a single attempt at a time. So a dead endpoint costs one slot, whatever waits for it, and the first answer after
 * its return opens the lane again. A wide lane holds more than is under way, so that the next attempts begin while more is claimed.
 */
export class Lanes<Row extends { readonly webhookId: string; readonly team: string }> {
  readonly #lanes = new Map<string, Lane<Row>>()
  readonly #rowsOfTeam = new Map<string, number>()
  readonly #begin: (row: Row) => void

  constructor(begin: (row: Row) => void) {
    this.#begin = begin
  }

  /** What the next claim may bring to each endpoint that is not like an unknown one. */
  ask(): { webhookId: string; room: number }[] {
    const rooms = new Map<string, number>()
    return [...this.#lanes].map(([webhookId, lane]) => {
      const ofTeam = rooms.get(lane.team) ?? Math.max(0, TEAM_ROWS - (this.#rowsOfTeam.get(lane.team) ?? 0))
      const room = roomIn(lane)
      lane.asked = Math.min(room, ofTeam)
      // What it does not get for its team's sake may be there all the same.
      if (lane.asked < room) lane.hasMore = true
      rooms.set(lane.team, ofTeam - lane.asked)
      return { webhookId, room: lane.asked }
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
    for (const [webhookId, lane] of this.#lanes)
      if (lane.asked > 0) lane.hasMore = (brought.get(webhookId)?.length ?? 0) >= lane.asked
    for (const [webhookId, own] of brought) {
      const lane = this.#lanes.get(webhookId) ?? this.#open(own[0]!, own.length >= FIRST_WINDOW)
      this.#count(lane, own.length)
      lane.waiting.push(...own)
      this.#beginNext(lane)
    }
  }

  /** An attempt is over. Tells whether it is worth claiming more: one by one that would cost more than sending. */
  leave(webhookId: string, isOverwhelmed: boolean): boolean {
    const lane = this.#lanes.get(webhookId)!
    lane.window = isOverwhelmed ? 1 : Math.min(lane.window + 1, LARGEST_WINDOW)
    lane.underWay--
    this.#count(lane, -1)
    this.#beginNext(lane)
    const left = lane.underWay + lane.waiting.length
    if (left === 0 && lane.window >= FIRST_WINDOW && !lane.hasMore) this.#lanes.delete(webhookId)
    return lane.hasMore && left <= lane.window
  }

  /** Begins with nothing more. */
  clear() {
    for (const lane of this.#lanes.values()) {
      this.#count(lane, -lane.waiting.length)
      lane.waiting.length = 0
    }
  }

  #count({ team }: Lane<Row>, change: number) {
    const rows = (this.#rowsOfTeam.get(team) ?? 0) + change
    if (rows > 0) this.#rowsOfTeam.set(team, rows)
    else this.#rowsOfTeam.delete(team)
  }

  #open({ webhookId, team }: Row, hasMore: boolean): Lane<Row> {
    const lane: Lane<Row> = { team, waiting: [], underWay: 0, window: FIRST_WINDOW, asked: 0, hasMore }
    this.#lanes.set(webhookId, lane)
    return lane
  }

  #beginNext(lane: Lane<Row>) {
    while (lane.underWay < lane.window && lane.waiting.length > 0) {
      lane.underWay++
      this.#begin(lane.waiting.shift()!)
    }
  }
}

function roomIn({ waiting, underWay, window }: Lane<unknown>): number {
  return Math.max(0, window + Math.max(0, window - FIRST_WINDOW) - underWay - waiting.length)
}
