import type { Static } from 'typebox'
import { annotateAudit } from '../../../kernel/audit/annotations.ts'
import { recordAuditOfTeams } from '../../../kernel/audit/record.ts'
import type { Transaction } from '../../../kernel/db/database.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { type Actor, loggedActor } from '../../../kernel/http/actor.ts'
import { columnsOf } from '../../../kernel/http/columns.ts'
import { found, Problem } from '../../../kernel/http/problem.ts'
import type { BoundCeilings, CeilingKey, CeilingScope } from '../../../mail/providers/ceilings.ts'
import { readRule } from '../../../mail/providers/read-ceilings.ts'
import { sourceTrouble } from '../../../mail/sources/sources.ts'
import {
  type CeilingRow,
  ceilingRows,
  deleteCeiling,
  hasAllCeilings,
  hasOtherCeiling,
  insertCeiling,
  lockCeiling,
  updateCeiling,
  type WrittenCeilings,
  type WrittenScope,
} from '../../emails/delivery/pace/ceiling-store.ts'
import { type CeilingTable, ceilingTableOf } from '../../emails/delivery/pace/ceiling-table.ts'
import { TEAMS_OF_PEOPLE } from '../../teams/reads.ts'
import { logTeamOf } from '../own-team.ts'
import type { OperatorServices } from '../services.ts'
import { CEILING_KEYS, CeilingItem, type GivenCeiling, SCOPE_KEYS, type UpdateCeiling } from './schema.ts'

const NUMBERS: readonly string[] = ['connections', 'messages_per_connection']

const ceilingValue = (key: string) =>
  raw(NUMBERS.includes(key) ? `(c.ceilings ->> '${key}')::int` : `c.ceilings ->> '${key}'`)

/** The rules of the database, each value a field of its own. */
export const listedCeilings = () =>
  ceilingRows(columnsOf(CeilingItem, 'c', Object.fromEntries(CEILING_KEYS.map((key) => [key, ceilingValue(key)]))))

/** All rules, as the processes that deliver have them within seconds. */
export async function loadCeilings({ db, config, log }: OperatorServices): Promise<CeilingTable> {
  const table = ceilingTableOf(db, { log, config })
  await table.load()
  return table
}

/** What binds, key by key, as rules write it. */
export const boundCeilings = (table: CeilingTable, scope: CeilingScope) => {
  const bound = table.for(scope)
  return (Object.keys(bound) as CeilingKey[]).map((name) => {
    const { origin, layer, where } = bound[name]
    return { name, value: written(bound, name), origin, layer, where }
  })
}

function written(bound: BoundCeilings, name: CeilingKey): string {
  if (name === 'rate') return bound.rate.value === null ? 'none' : rateText(bound.rate.value)
  return name.endsWith('_timeout') ? `${bound[name].value}s` : String(bound[name].value)
}

const UNITS = [
  [1, 's'],
  [60, 'm'],
  [3_600, 'h'],
  [86_400, 'd'],
] as const

/** `0.5556` a second is `2000/h`. */
export function rateText(perSecond: number): string {
  const isWhole = (count: number) => count >= 1 && Math.abs(count - Math.round(count)) < 1e-6 * count
  const [seconds, unit] = UNITS.find(([length]) => isWhole(perSecond * length)) ?? UNITS[0]
  return `${Math.round(perSecond * seconds * 1_000) / 1_000}/${unit}`
}

const TAKEN = new Problem('validation_error', 'There is a rule about the same already. Change that one.')

export async function addCeiling(services: OperatorServices, actor: Actor, body: GivenCeiling): Promise<string> {
  const rule = ruleOf({}, body, services)
  return services.db.transaction(async (trx) => {
    if (await hasAllCeilings(trx))
      throw new Problem('validation_error', 'There are too many rules. Delete some of them first.')
    const id = await insertCeiling(trx, { ...rule, reason: body.reason })
    if (id === undefined) throw TAKEN
    await tellAll(trx, actor, {
      services,
      action: 'operator.delivery.ceilings.create',
      id,
      details: { ...changed(rule), reason: body.reason },
    })
    return id
  })
}

/** What is omitted stays; null takes it away. */
export async function changeCeiling(
  services: OperatorServices,
  actor: Actor,
  id: string,
  body: Static<typeof UpdateCeiling>,
) {
  await services.db.transaction(async (trx) => {
    const before = found(await lockCeiling(trx, id), 'Ceiling')
    const rule = ruleOf(before, body, services)
    if (await hasOtherCeiling(trx, id, rule.scope)) throw TAKEN
    await updateCeiling(trx, id, { ...rule, reason: body.reason })
    await tellAll(trx, actor, {
      services,
      action: 'operator.delivery.ceilings.update',
      id,
      details: { ...changed(rule), reason: body.reason },
    })
  })
}

export async function removeCeiling(services: OperatorServices, actor: Actor, id: string, reason: string) {
  await services.db.transaction(async (trx) => {
    const { ceilings, id: _id, ...scope } = found(await lockCeiling(trx, id), 'Ceiling')
    await deleteCeiling(trx, id)
    await tellAll(trx, actor, {
      services,
      action: 'operator.delivery.ceilings.remove',
      id,
      details: { ...changed({ scope, ceilings }), reason },
    })
  })
}

interface Rule {
  readonly scope: WrittenScope
  readonly ceilings: WrittenCeilings
}

/** The rule that this makes of the one before, as the file would have it: with the same mistakes refused, in the same words. */
function ruleOf(before: Partial<CeilingRow>, body: Partial<GivenCeiling>, { config }: OperatorServices): Rule {
  const scope = Object.fromEntries(
    SCOPE_KEYS.map((key) => [key, body[key] === undefined ? (before[key] ?? null) : body[key]]),
  )
  const values = CEILING_KEYS.map((key) => [key, body[key] === undefined ? before.ceilings?.[key] : body[key]] as const)
  const ceilings = Object.fromEntries(values.filter(([, value]) => value != null)) as WrittenCeilings
  if (Object.keys(ceilings).length === 0)
    throw new Problem('validation_error', 'Nothing is limited. Set at least one ceiling.')
  try {
    const read = readRule(scope, ceilings)
    const trouble = sourceTrouble(read.scope.source, config.SOURCES)
    if (trouble) throw new Error(trouble)
    const { provider = null, site = null, domain = null, source = null } = read.scope
    return { scope: { provider, site, domain, source }, ceilings }
  } catch (error) {
    const [, key, trouble] = /^`(\w+)` ([\s\S]*)$/.exec((error as Error).message) ?? []
    throw new Problem('validation_error', `Invalid \`${key}\` field. It ${trouble}.`)
  }
}

const changed = ({ scope, ceilings }: Rule) => ({
  ...Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== null)),
  ...ceilings,
})

interface AuditedChange {
  readonly services: OperatorServices
  readonly action: string
  readonly id: string
  readonly details: object
}

/** It concerns every team. In the log of the operator's own it is the event of the request, and an operator may have none. */
async function tellAll(trx: Transaction, actor: Actor, { services, action, id, details }: AuditedChange) {
  annotateAudit(trx, { team: await logTeamOf(trx, services, actor), objectId: id, details })
  await recordAuditOfTeams(trx, sql`select id as team_id from ${TEAMS_OF_PEOPLE} t where id <> ${actor.team}`, {
    actor: { ...loggedActor(actor), name: actor.name ?? null },
    action,
    objectId: id,
    details,
  })
}
