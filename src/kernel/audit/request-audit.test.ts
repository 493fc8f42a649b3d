import { expect, test } from 'vitest'
import { type App, type Client, startApp } from '../../../test/harness/app.ts'
import { newId } from '../../../test/harness/ids.ts'
import { actorDirectory } from '../../features/audit/actor-directory.ts'
import { teamsOfUser } from '../../features/people/reads.ts'
import { addMember, ensureUser } from '../../features/people/users.ts'
import { sql } from '../db/sql.ts'
import { annotateAudit } from './annotations.ts'
import { recordAuditOfPerson } from './record.ts'
import type { AuditedRequest } from './record-request.ts'
import { RequestAudit } from './request-audit.ts'

const requestOf = (team: string, more: Partial<AuditedRequest> = {}): AuditedRequest => ({
  ...{ id: newId(), team, actor: { kind: 'api_key', id: newId() }, toldTo: 'team', action: 'segments.create' },
  ...{ directory: actorDirectory, params: {}, name: null, ipAddress: '192.0.2.1', userAgent: null },
  ...more,
})

const told = (app: App, { id }: { id: string }) =>
  app.db.query<{ team: string; object: string | null; details: unknown }>(sql`
    select team_id as team, object_id as object, details from audit_events where id = ${id} order by team_id`)

const addSegment = ({ team }: Client, id = newId()) => sql.write`
  insert into segments (team_id, id, name, created_at) values (${team}, ${id}, 'x', now()) returning id`

const audited = ({ db }: App, request: AuditedRequest) =>
  db.forTeam(request.team, { recorder: new RequestAudit(() => request) })

async function start(more?: Partial<AuditedRequest>) {
  const app = await startApp()
  const acme = await app.as('acme')
  const request = requestOf(acme.team, more)
  return { app, acme, request, db: await audited(app, request) }
}

test.each(['query', 'queryPooled', 'queryWriting'] as const)(
  'a statement that writes is told, with the row that it wrote: %s',
  async (way) => {
    const { app, acme, request, db } = await start()
    const id = newId()

    await db[way](addSegment(acme, id))

    expect(await told(app, request)).toEqual([{ team: acme.team, object: id, details: null }])
  },
)

test('what fails after it has written is not told, and what is tried again is told once', async () => {
  const { app, acme, request, db } = await start()
  const failing = db.transaction(async (trx) => {
    await trx.query(addSegment(acme))
    throw new Error('too late')
  })

  await expect(failing).rejects.toThrow('too late')
  expect(await told(app, request)).toEqual([])

  await db.transaction((trx) => trx.query(addSegment(acme)))
  await db.transaction((trx) => trx.query(addSegment(acme)))
  await db.query(addSegment(acme))
  expect(await told(app, request)).toHaveLength(1)
})

test('transactions at the same time are told once', async () => {
  const { app, acme, request, db } = await start()

  await Promise.all([1, 2, 3].map(() => db.transaction((trx) => trx.query(addSegment(acme)))))

  expect(await told(app, request)).toHaveLength(1)
})

test('what reads, locks, or finds nothing to change is not told', async () => {
  const { app, acme, request, db } = await start()
  await app.db.query(addSegment(acme))

  await db.query(sql`select from segments where team_id = ${acme.team}`)
  await db.query(sql.write`delete from segments where team_id = ${acme.team} and id = ${newId()}`)
  await db.queryPooled(sql.write`update segments set name = 'y' where team_id = ${acme.team} and id = ${newId()}`)
  await db.transaction((trx) => trx.query(sql`select from segments where team_id = ${acme.team} for update`))

  expect(await told(app, request)).toEqual([])
})

test('an act says what only it knows', async () => {
  const params = { idOrEmail: 'ada@example.com', segmentId: newId() }
  const { app, acme, request, db } = await start({ params })
  const globex = await app.as('globex')

  await db.transaction(async (trx) => {
    annotateAudit(trx, { team: globex.team, objectId: 'x', details: { role: 'viewer' } })
    annotateAudit(trx, { details: { before: 'owner' } })
  })

  expect(await told(app, request)).toEqual([
    { team: globex.team, object: 'x', details: { ...params, role: 'viewer', before: 'owner' } },
  ])
  expect(acme.team).not.toBe(globex.team)
})

test('what people do to their account is told in each of their teams', async () => {
  const app = await startApp()
  const teams = [await app.as('acme'), await app.as('globex')].map(({ team }) => team).sort()
  const { id: user } = await ensureUser(app.db, `${newId()}@example.com`)
  for (const team of teams) await addMember(app.db, team, user, 'viewer')
  const request = requestOf(user, { actor: { kind: 'user', id: user }, toldTo: 'teams of the person' })

  await (await audited(app, request)).query(sql.write`update users set name = 'Ada' where id = ${user}`)
  await recordAuditOfPerson(app.db, teamsOfUser(user), { actor: { id: user, name: 'ada' }, action: 'account.sign_in' })

  expect((await told(app, request)).map(({ team }) => team)).toEqual(teams)
  expect(
    await app.db.query(sql`
      select team_id as team from audit_events where actor_id = ${user} and action = 'account.sign_in' order by team_id`),
  ).toEqual(teams.map((team) => ({ team })))
})

test('what an operator does is told in the team that it is done to', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const request = requestOf(acme.team, { toldTo: 'team in the path', params: { id: globex.team } })

  await (await audited(app, request)).query(addSegment(globex))

  expect(await told(app, request)).toMatchObject([{ team: globex.team, details: { id: globex.team } }])
})
