import { randomFillSync } from 'node:crypto'

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const bytes = new Uint8Array(16)
const randomness = new Uint8Array(4_096)
let spent = randomness.length

/** A clock that ids are made by. */
export interface IdClock {
  now(): Date
  /** Its ids are those of a sandbox. */
  readonly isSandbox?: boolean
}

/** Where the ids of a clock have got to. */
interface Last {
  ms: number
  sequence: number
}

const lasts = new WeakMap<object, Last>()

/**
 * A new UUIDv7. Ids of one clock only ever grow, also within a millisecond and when the clock is set back: the id is the
 * sort key and the cursor of every list, so two items must never change places. Each clock counts for itself: a team whose time is
 * ahead does not take the ids of others with it.
 *
 * The ids of a sandbox are in a time that people move. They have the first bit set, so that they are behind those of all others, in the order of
 * that time: a range of ids is a range of real time up to there.
 */
export function newId(clock: IdClock, moment = clock.now()): string {
  takeRandomBytes()
  let last = lasts.get(clock)
  if (!last) {
    last = { ms: 0, sequence: 0 }
    lasts.set(clock, last)
  }
  const nowMs = moment.getTime()
  if (nowMs > last.ms) {
    last.ms = nowMs
    last.sequence = ((bytes[6]! << 8) | bytes[7]!) & 0x7ff // the upper half is room to count within this millisecond
  } else if (++last.sequence > 0xfff) {
    last.ms += 1
    last.sequence = 0
  }
  const { ms: lastMs, sequence } = last
  const high = Math.floor(lastMs / 2 ** 32)
  bytes[0] = clock.isSandbox ? 0x80 | (high >>> 8) : high >>> 8
  bytes[1] = high
  bytes[2] = lastMs >>> 24
  bytes[3] = lastMs >>> 16
  bytes[4] = lastMs >>> 8
  bytes[5] = lastMs
  bytes[6] = 0x70 | (sequence >>> 8)
  bytes[7] = sequence
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return (
    `${HEX[bytes[0]!]}${HEX[bytes[1]!]}${HEX[bytes[2]!]}${HEX[bytes[3]!]}-${HEX[bytes[4]!]}${HEX[bytes[5]!]}-` +
    `${HEX[bytes[6]!]}${HEX[bytes[7]!]}-${HEX[bytes[8]!]}${HEX[bytes[9]!]}-` +
    `${HEX[bytes[10]!]}${HEX[bytes[11]!]}${HEX[bytes[12]!]}${HEX[bytes[13]!]}${HEX[bytes[14]!]}${HEX[bytes[15]!]}`
  )
}

/**
 * A new id for a sandbox itself, in real time: the same but for its version, 8 in the place of 7. So whoever has the id of a team knows what it is,
 * without asking anybody.
 */
export function newSandboxId(clock: IdClock): string {
  const id = newId(clock)
  return `${id.slice(0, VERSION)}8${id.slice(VERSION + 1)}`
}

/** Whether a team is a sandbox. */
export const isSandbox = (team: string) => team[VERSION] === '8'

/** Where the version of a UUID stands. */
const VERSION = 14

/** Bought in bulk: 16 bytes take 6 µs to get, and 4,096 take 9. */
function takeRandomBytes() {
  if (spent === randomness.length) {
    randomFillSync(randomness)
    spent = 0
  }
  bytes.set(randomness.subarray(spent, spent + bytes.length))
  spent += bytes.length
}

/** Ids behind this one, also when it was made by another node whose clock is ahead. They grow. */
export function idsBehind(clock: IdClock, last: string | null): () => string {
  const nextMs = last === null ? 0 : momentOf(last).getTime() + 1
  if (nextMs <= clock.now().getTime()) return () => newId(clock)
  // A clock for these alone: all other ids go on by their own time.
  const ahead = { now: () => new Date(nextMs), isSandbox: clock.isSandbox ?? false }
  return () => newId(ahead)
}

/** The first bit of an id, as part of its time. */
const SANDBOX_MS = 2 ** 47

/** Before any id that is made at this moment, and behind all that were made before it; by the clock of this team, if it is a sandbox. */
export const firstIdAt = (moment: Date, team?: string): string =>
  team !== undefined && isSandbox(team) ? firstSandboxIdAt(moment) : firstIdWith(Math.max(0, moment.getTime()))

/** The same of any sandbox. */
export const firstSandboxIdAt = (moment: Date): string =>
  firstIdWith(SANDBOX_MS + Math.min(Math.max(0, moment.getTime()), SANDBOX_MS - 1))

/** Behind the ids of all teams that are no sandboxes. */
export const FIRST_SANDBOX_ID = firstSandboxIdAt(new Date(0))

/** The first id so long after this one was made, or before, by the same clock. */
export function firstIdFrom(id: string, ms: number): string {
  const moment = new Date(momentOf(id).getTime() + ms)
  return timeIn(id) < SANDBOX_MS ? firstIdAt(moment) : firstSandboxIdAt(moment)
}

function firstIdWith(time: number): string {
  const digits = time.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`
}

/** When an id was made, by the clock that it is of. */
export const momentOf = (id: string): Date => new Date(timeIn(id) % SANDBOX_MS)

const timeIn = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Any well-formed UUID is a valid id and a valid cursor, whatever its version. */
export const isId = (text: string) => UUID.test(text)
