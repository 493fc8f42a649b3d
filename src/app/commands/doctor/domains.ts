import type pg from 'pg'
import { listProblems } from '../../../features/domains/health/queries.ts'
import { asked } from './asked.ts'
import { type Finding, warning } from './finding.ts'

const MAX_NAMED = 3

/** Domains in whose DNS something is wrong, as their last examination has found it. */
export async function checkDomains(client: pg.Client): Promise<Finding[]> {
  // An older database has none of it.
  const there = await client.query<{ isThere: boolean }>(`select to_regclass('domain_health') is not null as "isThere"`)
  if (!there.rows[0]!.isThere) return []
  const problems = await listProblems(asked(client), MAX_NAMED + 1)
  return problems.slice(0, MAX_NAMED).map(({ name, message }, index) => {
    const more = index === MAX_NAMED - 1 && problems.length > MAX_NAMED ? ' Other domains have problems, too.' : ''
    return warning('domains', `Domain ${name}: ${message}${more}`)
  })
}
