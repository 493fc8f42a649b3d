import { findTeamOf } from '../../../features/emails/delivery/queue/queue-changes.ts'
import { countHeld } from '../../../features/emails/delivery/queue/queue-holds.ts'
import {
  emailOf,
  findHold,
  type Hold,
  type HoldScope,
  listHolds,
  MAX_HOLDS,
  scopeOfEmail,
} from '../../../features/limits/holds.ts'
import { holdMailIn, releaseMailIn } from '../../../features/operator/holds.ts'
import { findTeamNames } from '../../../features/teams/reads.ts'
import { MAX_COUNTED } from '../../../kernel/db/bounded-read.ts'
import type { Database, Queryable } from '../../../kernel/db/database.ts'
import { type CommandFlags, type CommandInput, listOf, OperatorError, oneLine, tableOf } from '../command.ts'
import { withDatabase } from '../database.ts'
import { reasonOf } from '../team-operations.ts'
import { OPERATOR, quoted, requireTeam } from '../teams.ts'
import { destinationOf, domainFlag, isoOf, requireEmailId, tagOf, textOfTag } from './filter.ts'
import { SCOPE_USAGE } from './hold.ts'
import { countWaiting, recipientsIn, shownCount, type WaitingCount } from './waiting-count.ts'

export async function runHold({ config, flags, print }: CommandInput) {
  const scopeFor = readScope(flags)
  const reason = reasonOf(flags)
  const isDryRun = Boolean(flags['dry-run'])
  if (!reason && !isDryRun)
    throw new OperatorError('Missing --reason. Example: --reason "The relay rejects everything."')
  await withDatabase(config, async (db) => {
    const scope = await scopeFor(db)
    if (isDryRun) {
      const waiting = await countWaiting(db, filterOf(scope))
      return print(
        flags.json
          ? JSON.stringify({ object: 'hold', ...shownScope(scope), ...shownCount(waiting), dry_run: true })
          : `Would hold ${whatOf(flags)} (${recipientsIn(waiting)} waiting).`,
      )
    }
    const made = await db.transaction((trx) => holdMailIn(trx, OPERATOR, { scope, reason }))
    const hold = made ?? (await findHold(db, scope))
    if (!hold)
      throw new OperatorError(
        `There are ${MAX_HOLDS} holds, and there can be no more. Release some: postwren queue holds`,
      )
    if (flags.json) return print(JSON.stringify(shownHold(hold)))
    print(
      made
        ? `Holding ${whatOf(flags)}. Release with: postwren queue release ${flagsOf(flags)}`
        : `Already holding ${whatOf(flags)} since ${isoOf(hold.createdAt)}: ${oneLine(hold.reason)}`,
    )
  })
}

export async function runRelease({ config, flags, print }: CommandInput) {
  const scopeFor = readScope(flags)
  await withDatabase(config, async (db) => {
    const scope = await scopeFor(db)
    const found = await findHold(db, scope)
    const held = countOf((found && (await countHeld(db, [found]))?.get(found.id)) ?? 0)
    const hold = flags['dry-run'] ? found : await db.transaction((trx) => releaseMailIn(trx, OPERATOR, scope))
    if (!hold) throw new OperatorError(`There is no hold on ${whatOf(flags)}. List holds: postwren queue holds`)
    if (flags.json)
      return print(JSON.stringify({ ...shownHold(hold), ...shownCount(held), dry_run: Boolean(flags['dry-run']) }))
    print(`${flags['dry-run'] ? 'Would release' : 'Released'} ${whatOf(flags)} (${recipientsIn(held)} held).`)
  })
}

export async function runHolds({ config, flags, print }: CommandInput) {
  await withDatabase(config, async (db) => {
    const holds = await listHolds(db)
    const counts = await countHeld(db, holds)
    const names = await findTeamNames(
      db,
      holds.flatMap(({ team }) => team ?? []),
    )
    const shown = holds.map((hold) => ({
      hold,
      held: countOf(counts.get(hold.id) ?? 0),
      team: hold.team && (names.get(hold.team) ?? hold.team),
    }))
    if (flags.json)
      return print(listOf(shown.map(({ hold, held, team }) => ({ ...shownHold(hold), team, ...shownCount(held) }))))
    if (holds.length === 0) return print('Nothing is on hold.')
    const rows = shown.map(({ hold, held, team }) => ({
      HOLD: flagsOf(scopeFlags(hold, team)),
      SINCE: isoOf(hold.createdAt),
      HELD: `${held.isComplete ? '' : 'at least '}${held.recipients}`,
      REASON: hold.reason,
    }))
    for (const line of tableOf(rows)) print(line)
  })
}

/** Arguments are checked before there is a database. */
function readScope(flags: CommandFlags): (db: Database) => Promise<HoldScope> {
  const recipientDomain = domainFlag(flags, 'domain') ?? null
  const senderDomain = domainFlag(flags, 'from') ?? null
  const destination = destinationOf(flags) ?? null
  const tag = flags.tag === undefined ? null : textOfTag(tagOf(String(flags.tag)))
  const isNarrow =
    [recipientDomain, senderDomain, destination, tag].some((one) => one !== null) || flags.team !== undefined
  if (flags.email !== undefined) return readEmailScope(String(flags.email), isNarrow || flags.all === true)
  if (flags.all ? isNarrow : !isNarrow)
    throw new OperatorError(
      flags.all ? '--all goes with no other filter.' : `Say what: ${SCOPE_USAGE.replaceAll(' |', ',')}.`,
    )
  return async (db: Queryable) => ({
    team: flags.team === undefined ? null : await requireTeam(db, flags.team),
    recipientDomain,
    senderDomain,
    destination,
    tag,
  })
}

function readEmailScope(email: string, isMoreGiven: boolean): (db: Database) => Promise<HoldScope> {
  requireEmailId(email)
  if (isMoreGiven) throw new OperatorError('--email goes with no other filter.')
  return async (db) => {
    const known = (await listHolds(db)).find((hold) => emailOf(hold) === email)
    const team = known?.team ?? (await findTeamOf(db, email))
    if (!team) throw new OperatorError(`Nothing of the email ${email} waits.`)
    return scopeOfEmail(team, email)
  }
}

const filterOf = (scope: HoldScope) => {
  const { email, domain, from, destination, tag } = namedBy(scope)
  return {
    ...(scope.team !== null && { team: scope.team }),
    ...(email !== null && { email }),
    ...(domain !== null && { domain }),
    ...(from !== null && { from }),
    ...(destination !== null && { destination }),
    ...(tag !== null && { tag: tagOf(tag) }),
  }
}

const namedBy = (scope: HoldScope) => {
  const email = emailOf(scope)
  const { senderDomain: from, destination, tag } = scope
  return { email, domain: email === null ? scope.recipientDomain : null, from, destination, tag }
}

/** In words: `mail of Acme to example.com`. */
function whatOf(flags: CommandFlags): string {
  const { team, domain, from, all, email, tag } = flags
  if (all) return 'all mail'
  if (email !== undefined) return `the email ${oneLine(String(email))}`
  const destination = destinationOf(flags)
  return [
    'mail',
    ...(tag === undefined ? [] : [`with tag ${oneLine(String(tag))}`]),
    ...(team === undefined ? [] : [`of team ${oneLine(String(team))}`]),
    ...(domain === undefined ? [] : [`to ${oneLine(String(domain))}`]),
    ...(destination === undefined ? [] : [`to destination ${oneLine(destination)}`]),
    ...(from === undefined ? [] : [`from ${oneLine(String(from))}`]),
  ].join(' ')
}

const SCOPE_FLAGS = ['email', 'team', 'domain', 'from', 'provider', 'destination', 'tag'] as const

/** As the command line says it. */
function flagsOf(flags: CommandFlags): string {
  const given = SCOPE_FLAGS.filter((name) => flags[name] !== undefined)
  if (given.length === 0) return '--all'
  return given.map((name) => `--${name} ${quoted(oneLine(String(flags[name])))}`).join(' ')
}

const scopeFlags = (scope: HoldScope, team: string | null): CommandFlags => {
  const { email, domain, from, destination, tag } = namedBy(scope)
  if (email !== null) return { email }
  return {
    ...(team !== null && { team }),
    ...(domain !== null && { domain }),
    ...(from !== null && { from }),
    ...(destination !== null && { destination }),
    ...(tag !== null && { tag }),
  }
}

const shownScope = (scope: HoldScope) => ({ team_id: scope.team, ...namedBy(scope) })

const shownHold = ({ id, reason, createdAt, ...scope }: Hold) => ({
  object: 'hold',
  id,
  ...shownScope(scope),
  reason,
  created_at: createdAt,
})

const countOf = (recipients: number): WaitingCount => ({ recipients, isComplete: recipients < MAX_COUNTED })
