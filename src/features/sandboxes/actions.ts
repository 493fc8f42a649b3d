import { randomBytes } from 'node:crypto'
import type { Static } from 'typebox'
import type { Database } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { OF_PEOPLE } from '../../kernel/http/access.ts'
import { type Actor, refuseGuarded } from '../../kernel/http/actor.ts'
import { forgetKeys } from '../../kernel/http/auth.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { parseDuration } from '../../platform/duration.ts'
import { isSandbox, newSandboxId } from '../../platform/ids.ts'
import { sandboxDomain } from '../../platform/sandbox-domain.ts'
import { hasSandboxes } from '../../platform/settings/config.ts'
import { insertKey, newToken } from '../api-keys/index.ts'
import { insertSandboxDomain } from '../domains/index.ts'
import { endTeams, insertSandboxTeam } from '../teams/index.ts'
import { type CreateSandbox, MAX_LIFETIME_SECONDS, type NewSandbox } from './schema.ts'
import type { SandboxesServices } from './services.ts'
import { closeSandbox, insertSandbox, isOpenSandbox } from './simulation/sandboxes.ts'

/** That a team may have at a time. */
export const MAX_OPEN_SANDBOXES = 2_000
const USUAL_SECONDS = 3_600

/**
 * Makes a team with an end: a key that may do everything in it, and a domain that is verified. One statement, since a test waits for it.
 * There is no event: there is nobody yet who could listen.
 */
export async function addSandbox(
  services: SandboxesServices,
  actor: Actor,
  { name, seed, expires_in }: Static<typeof CreateSandbox>,
): Promise<Static<typeof NewSandbox>> {
  const { db, clock, config } = services
  if (!hasSandboxes(config)) throw new Problem('not_found', 'Sandboxes are disabled (POSTWREN_SANDBOXES).')
  if (isSandbox(actor.team))
    throw new Problem(
      'invalid_permission',
      'A sandbox cannot create sandboxes. Use an API key of the team that created it.',
    )
  const createdAt = clock.now()
  const id = newSandboxId(clock)
  const sandbox = {
    id,
    name: name ?? null,
    seed: String(seed ?? randomBytes(8).toString('hex')),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + secondsOf(expires_in) * 1_000),
  }
  const token = newToken(services.config)
  const isMade = sql`exists (select from new_team)`
  const domain = insertSandboxDomain(services, id, isMade)
  const made = await db.query(sql`
    with new_team as (${insertSandbox({ ...sandbox, owner: actor.team }, MAX_OPEN_SANDBOXES)}),
    team as (${insertSandboxTeam(actor.team, id, createdAt, isMade)}),
    key as (${insertKey(db, id, { name: 'sandbox', permission: 'full_access', token }, isMade)}),
    domain as (${domain.domain}),
    domain_key as (${domain.key})
    select id from new_team`)
  if (made.length === 0)
    throw new Problem(
      'quota_exceeded',
      `A team can have at most ${MAX_OPEN_SANDBOXES} sandboxes at a time. Delete unused ones, or set a shorter \`expires_in\`.`,
    )
  return {
    object: 'sandbox',
    id,
    name: sandbox.name,
    seed: sandbox.seed,
    domain: sandboxDomain(id),
    now: clock.of(id).now().toISOString(),
    created_at: createdAt.toISOString(),
    expires_at: sandbox.expiresAt.toISOString(),
    api_key: token,
    smtp: { ...services.smtpAddress(), user: 'resend', password: token },
  }
}

function secondsOf(given: string | number | undefined): number {
  if (given === undefined) return USUAL_SECONDS
  const seconds = typeof given === 'number' ? given : parseDuration(given)
  if (seconds === null) throw refusedEnd('It must be a number of seconds, or words like `30 minutes` or `2 days`.')
  if (seconds < 1 || seconds > MAX_LIFETIME_SECONDS) throw refusedEnd('It must be between 1 second and 7 days.')
  return seconds
}

const refusedEnd = (reason: string) => new Problem('validation_error', `Invalid \`expires_in\` field. ${reason}`)

/** Ends a sandbox: its key opens nothing from now on. What was in it is deleted in the background. */
export async function removeSandbox(services: SandboxesServices, { team }: Actor, id: string): Promise<void> {
  await services.db.transaction(async (trx) => {
    found(await closeSandbox(trx, team, id), 'Sandbox')
    await endTeams(trx, [id])
  })
  forgetKeys(services)
}

/**
 * Lets whoever is of the team that made a sandbox act in it, with what they may do at home. What is about people is not of a sandbox: it
 * has no members and no owner, so nobody can be invited to it or delete it as a team.
 */
export async function enterSandbox(db: Database, actor: Actor, sandbox: string): Promise<Actor> {
  if (!isSandbox(sandbox)) throw new Problem('not_found', 'Sandbox not found')
  if (actor.team === sandbox) return actor
  // What it may is bound to a domain that no sandbox has.
  if (actor.domainId !== null)
    throw new Problem('restricted_api_key', 'This API key is bound to a domain and cannot use sandboxes.')
  // Its policy is one of its own team, and would judge nothing there.
  refuseGuarded(actor)
  found(await isOpenSandbox(db, actor.team, sandbox), 'Sandbox')
  const permissions = new Set([...actor.permissions].filter((access) => !OF_PEOPLE.has(access)))
  return { ...actor, team: sandbox, permissions, home: actor.team }
}

/** For what only a sandbox has. */
export function requireSandbox({ team }: Actor): string {
  if (!isSandbox(team))
    throw new Problem(
      'not_found',
      'Only available in a sandbox. Create one with POST /sandboxes, and use its key or its path.',
    )
  return team
}
