import { keepCellKeys, moves } from '../../../features/cells/index.ts'
import { TEAM_STATES_CHANNEL } from '../../../features/limits/team-states.ts'
import { deleteWholeTeam } from '../../../features/teams/jobs.ts'
import { noteNextDue } from '../../../features/webhooks/delivery/next-due.ts'
import { WEBHOOKS_CHANNEL } from '../../../features/webhooks/delivery/queries.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { JOBS_CHANNEL } from '../../../kernel/jobs/queries.ts'
import { OUTBOX_CHANNEL } from '../../../kernel/outbox/record.ts'
import { OperatorError } from '../command.ts'
import { EXPORTED_JOBS } from '../export/exceptions.ts'
import type { Progress } from '../progress.ts'
import { parkedKey, TeamCopy, unparkRows } from './copy-team.ts'
import { hold, release, restoreSuspension, waitUntilQuiet } from './hold.ts'
import { type MovedKinds, readMovedKinds } from './moved-kinds.ts'
import { requireMovable, requireNoPersonalData } from './preflight.ts'
import { inTransaction, type Side, withoutTriggers } from './side.ts'
import { CONTEXT_TABLES } from './write-rows.ts'

// A team moves in four steps. It is copied while it works (again and again, each time what has changed). It is held, for seconds, and the rest is
// copied. The switch is one row of its old cell: from that commit on the team lives in the new one. Then it is released there, and deleted here.
//
// Whenever the command ends, the same command goes on: the phase is in the old cell (`team_moves`), and the new one does nothing for the team
// before the old one has written that it moved.

export interface Move {
  readonly from: Side
  readonly to: Side
  readonly team: string
  readonly progress: Progress
}

export interface MoveReport {
  readonly team: string
  /** Rows that were copied, of all passes. */
  readonly rows: number
  readonly heldMs: number
  /** How the keys of the team begin: for the exceptions of proxies. */
  readonly prefixes: readonly string[]
}

/** Whoever stops the command stops it: the next run goes on. */
const NEVER = new AbortController().signal

/** Another pass before the team is held is worth it above this many rows. */
const FEW_ROWS = 2_000
const MAX_PASSES = 5
const MAX_ROUNDS = 5

export async function moveTeam(move: Move): Promise<MoveReport> {
  const { from, to, team } = move
  const kinds = await readMovedKinds(async (text) => (await from.client.query(text)).rows)
  await to.client.query(CONTEXT_TABLES)
  await withoutTriggers(to)
  const begun = await moves.findMove(from.db, team, 'out')
  requireSameCell(begun, to)
  const copy = new TeamCopy({ ...move, kinds })
  let [rows, heldMs] = [0, 0]
  if (begun?.phase !== 'moved') {
    await begin(move)
    ;({ rows, heldMs } = await copyAndSwitch(move, copy))
  }
  await settleIn(move, kinds)
  const prefixes = (
    await from.db.query<{ prefix: string }>(
      sql`select token_prefix as prefix from moved_keys where team = ${team} order by token_prefix`,
    )
  ).map(({ prefix }) => prefix)
  if (!begun?.isClean) {
    rows += await copy.addLate()
    await deleteWholeTeam(from.db, team, NEVER)
    await moves.noteClean(from.db, team)
  }
  return { team, rows, heldMs, prefixes }
}

function requireSameCell(begun: { cell: string; phase: string } | undefined, to: Side) {
  if (begun && begun.cell !== to.cell)
    throw new OperatorError(
      begun.phase === 'moved'
        ? `This team lives in the cell ${begun.cell} already.`
        : `This team is on its way to the cell ${begun.cell}. Give that up first, with --abort.`,
    )
}

/** In the other cell first: as soon as it is noted here, the team is expected there. */
async function begin({ from, to, team }: Move) {
  const expected = await moves.findMove(to.db, team, 'in')
  const [row] = await from.db.query<{ name: string; createdAt: Date }>(sql`
    select name, created_at as "createdAt" from teams where id = ${team}`)
  const { name, createdAt } = row!
  if (!expected) {
    await requireMovable({ from, to, team })
    await inTransaction(to, async (trx) => {
      await moves.noteMove(trx, { team, direction: 'in', name, cell: from.cell, url: from.url })
      await trx.query(sql.write`
        insert into teams (id, name, created_at, suspended_at, suspended_reason)
        values (${team}, ${name}, ${createdAt}, ${trx.clock.now()}, 'This team is moving here from another cell.')
        on conflict (id) do nothing`)
    })
    to.db.signals.announce(TEAM_STATES_CHANNEL)
  }
  await keepCellKeys(to.db, from.cell, { theirs: from.sealer, sealer: to.sealer })
  await moves.noteMove(from.db, { team, direction: 'out', name, cell: to.cell, url: to.url })
}

async function copyAndSwitch(move: Move, copy: TeamCopy): Promise<{ rows: number; heldMs: number }> {
  const { from, team } = move
  let rows = 0
  const isHeld = (await moves.findMove(from.db, team, 'out'))!.phase === 'held'
  for (let pass = 0; pass < MAX_PASSES && !isHeld; pass++) {
    const copied = await copy.pass()
    rows += copied
    if (copied < FEW_ROWS) break
  }
  const heldAt = performance.now()
  await hold(from, team)
  try {
    await waitUntilQuiet(from, team)
    for (let round = 0; ; round++) {
      rows += await copy.pass()
      const parked = await copy.finish()
      const changed = await copy.changedSince()
      if (changed.length === 0 && (await switchOver(move, parked))) break
      if (round === MAX_ROUNDS)
        throw new OperatorError(
          `The team is still being written to${changed.length > 0 ? ` (${changed.join(', ')})` : ''}, so it works on in this cell. Run the same command again.`,
        )
      await waitUntilQuiet(from, team)
    }
  } catch (error) {
    await release(from, team)
    throw error
  }
  return { rows, heldMs: performance.now() - heldAt }
}

/**
 * The team lives in the other cell from this commit on. Its jobs and pending events go with it: they are parked there, and nobody here takes one
 * up any more. False: somebody has one in flight, or they are not those that are parked.
 */
const switchOver = ({ from, team }: Move, parked: ReadonlySet<string>): Promise<boolean> =>
  from.db
    .transaction(async (trx) => {
      await requireNoPersonalData(trx, team)
      const gone = new Set([''])
      const jobs = await trx.query<{ id: string; name: string; isHeld: boolean }>(sql.write`
        delete from jobs where payload ->> 'team' = ${team}
        returning id, name, holder is not null and holder in (select id from nodes) as "isHeld"`)
      for (const { id, name } of jobs) if (EXPORTED_JOBS.includes(name)) gone.add(parkedKey('jobs', { id }))
      for (const table of ['outbox_notes', 'outbox_batches']) {
        const events = await trx.query<{ kind: string; event_id: string }>(sql.write`
          delete from ${raw(table)} where team_id = ${team} returning tableoid::regclass::text as kind, event_id`)
        for (const event of events) gone.add(parkedKey(event.kind, event))
      }
      const isSame =
        [...parked].every((key) => gone.has(key)) && [...gone].every((key) => key === '' || parked.has(key))
      if (!isSame || jobs.some(({ isHeld }) => isHeld)) throw new Busy()
      const keys = await trx.query<{ digest: Buffer; prefix: string }>(sql`
      select token_sha256 as digest, token_prefix as prefix from api_keys where team_id = ${team}`)
      const domains = await trx.query<{ name: string; returnPath: string }>(sql`
      select name, return_path || '.' || name as "returnPath" from domains where team_id = ${team}`)
      const inboxes = await trx.query<{ address: string }>(sql`
        select receiving_address as address from inboxes where team_id = ${team} and receiving_address is not null`)
      await moves.keepPointers(trx, team, {
        keys,
        domains: [
          ...domains.flatMap(({ name, returnPath }) => [name, returnPath]),
          ...inboxes.map(({ address }) => address),
        ],
      })
      await moves.forgetMove(trx, team, 'in')
      if (!(await moves.noteMoved(trx, team, 'out'))) throw new OperatorError('The move was given up meanwhile.')
      return true
    })
    .catch((error) => {
      if (error instanceof Busy) return false
      throw error
    })

class Busy extends Error {}

/** The team is released in its new cell. Done before: nothing happens. */
async function settleIn({ from, to, team }: Move, kinds: MovedKinds) {
  from.db.signals.announce(TEAM_STATES_CHANNEL)
  const { suspendedAt, suspendedReason } = (await moves.findMove(from.db, team, 'out'))!
  await inTransaction(to, async (trx) => {
    if (!(await moves.noteMoved(trx, team, 'in'))) return
    await unparkRows(trx, team, kinds)
    await noteNextDue(trx, team)
    await moves.forgetMove(trx, team, 'out')
    await moves.deletePointers(trx, team)
    await restoreSuspension(trx, team, { suspendedAt, suspendedReason })
  })
  const channels = [TEAM_STATES_CHANNEL, JOBS_CHANNEL, OUTBOX_CHANNEL, WEBHOOKS_CHANNEL]
  for (const channel of channels) to.db.signals.announce(channel)
}

/** Before the switch: the team works on where it is, and nothing of it stays in the other cell. */
export async function abortMove({ from, to, team }: Move): Promise<void> {
  const begun = await moves.findMove(from.db, team, 'out')
  if (begun?.phase === 'moved')
    throw new OperatorError(`This team lives in the cell ${begun.cell}. Move it back with the same command there.`)
  requireSameCell(begun, to)
  await release(from, team)
  const expected = await moves.findMove(to.db, team, 'in')
  if (expected && expected.phase !== 'moved') {
    await deleteWholeTeam(to.db, team, NEVER)
    await moves.deleteParked(to.db, team)
    await moves.forgetMove(to.db, team, 'in')
  }
  await moves.forgetMove(from.db, team, 'out')
  for (const { db } of [from, to]) db.signals.announce(TEAM_STATES_CHANNEL)
}
