import type { Transaction } from '../../kernel/db/database.ts'
import { lockLimits, NO_LIMITS, type TeamLimits } from './team-limits.ts'
import { dayOf, readUsed, type Used } from './usage.ts'

/** A team has used up what it may send in a day or a month. */
export class OverQuota extends Error {
  readonly period: 'day' | 'month'
  readonly limit: number

  constructor(period: 'day' | 'month', limit: number) {
    const word = { day: 'daily', month: 'monthly' }[period]
    const recipients = `${limit} ${limit === 1 ? 'recipient' : 'recipients'}`
    super(
      `You have reached your ${word} email quota of ${recipients}. It begins anew at midnight UTC${period === 'day' ? '' : ' on the first of the month'}.`,
    )
    this.period = period
    this.limit = limit
  }
}

/** How much a team may still send. Whoever has it has locked the team's limits, so nobody else takes from it meanwhile. */
export class Room {
  readonly #limits: TeamLimits
  #today: number
  #month: number
  #received: number

  constructor(limits: TeamLimits, { daily, monthly }: Pick<Used, 'daily' | 'monthly'>) {
    this.#limits = limits
    this.#today = daily.sent + daily.received
    this.#month = monthly.sent + monthly.received
    this.#received = daily.received
  }

  /** Infinite without a limit. */
  get recipients(): number {
    const { emailsPerDay, emailsPerMonth } = this.#limits
    return Math.max(0, Math.min(left(emailsPerDay, this.#today), left(emailsPerMonth, this.#month)))
  }

  /** Takes room for so many recipients, all or none. Null: it is taken. */
  take(recipients: number): OverQuota | null {
    const { emailsPerDay, emailsPerMonth } = this.#limits
    if (left(emailsPerMonth, this.#month) < recipients) return new OverQuota('month', emailsPerMonth!)
    if (left(emailsPerDay, this.#today) < recipients) return new OverQuota('day', emailsPerDay!)
    this.#today += recipients
    this.#month += recipients
    return null
  }

  /** Takes room for a message that is received. It counts as mail, too, but mail that was sent does not keep it out. */
  takeReceived(): boolean {
    if (left(this.#limits.receivedPerDay, this.#received) < 1) return false
    this.#received++
    this.#today++
    this.#month++
    return true
  }
}

const left = (limit: number | null, used: number) => (limit === null ? Number.POSITIVE_INFINITY : limit - used)

/**
 * The room that teams have on these days. Locked first and counted in a statement of its own, which sees what those before it have
 * committed: so no two of them give away the same room, in whatever processes they are.
 */
export async function lockRooms(trx: Transaction, days: ReadonlyMap<string, string>): Promise<Map<string, Room>> {
  const limits = await lockLimits(trx, [...days.keys()])
  const limited = [...days].filter(([team]) => limits.has(team)).map(([team, day]) => ({ team, day }))
  const used = limited.length > 0 ? await readUsed(trx, limited) : []
  const rooms = new Map(used.map((one) => [one.team, new Room(limits.get(one.team)!, one)]))
  for (const team of days.keys()) if (!rooms.has(team)) rooms.set(team, new Room(NO_LIMITS, UNUSED))
  return rooms
}

const UNUSED = { daily: { sent: 0, received: 0 }, monthly: { sent: 0, received: 0 } }

/** The room of one team at a moment of its time. */
export async function lockRoom(trx: Transaction, team: string, now: Date): Promise<Room> {
  return (await lockRooms(trx, new Map([[team, dayOf(now)]]))).get(team)!
}
