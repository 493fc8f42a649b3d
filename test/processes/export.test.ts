import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Database } from '../../src/kernel/db/database.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { POSTWREN, Program, postwren } from '../harness/program.ts'
import { eventually, Service, temporaryFolder } from '../harness/service.ts'
import { databaseOf } from '../harness/service-database.ts'

const CONTACTS = 50_000

const idOf = sql`(lpad(to_hex(1790000000000 + n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`

const fill = (db: Database) =>
  db.queryPooled(sql`
    insert into contacts (team_id, id, email, created_at, updated_at)
    select t.id, ${idOf}, 'person' || n || '@example.com', now(), now()
    from teams t, generate_series(1, ${CONTACTS}::int) n where not t.is_system and not t.is_sandbox`)

test('kill -9 in the middle of an export and of an import: neither leaves a half, and both begin again', async () => {
  const [source, target] = [await Service.start(), await Service.start()]
  const [from, to] = [{ POSTWREN_DATA_DIR: source.dataDir }, { POSTWREN_DATA_DIR: target.dataDir }]
  await fill(await databaseOf(source))
  await source.call('POST', '/emails', {
    ...{ from: 'a@example.com', to: 'b@example.com', subject: 'Later', text: 'Hi', scheduled_at: 'in 1 hour' },
    attachments: [{ filename: 'a.txt', content: 'aGVsbG8=' }],
  })
  const folder = join(temporaryFolder(), 'export')
  const exporting = ['export', '--to', folder, '--with-secrets']
  const importing = ['import', 'postwren', '--from', folder, '--team-name', 'moved']

  const cut = new Program([...POSTWREN, ...exporting], { environment: from })
  await eventually(() => existsSync(join(folder, 'unfinished.json')))
  await cut.kill()
  const refused = await postwren(importing, { environment: to })
  const exported = await postwren(exporting, { environment: from })

  expect(await cut.ended()).toBe('SIGKILL')
  expect([refused.code, refused.complaints]).toEqual([1, [expect.stringContaining('has no complete export')]])
  expect([exported.code, exported.complaints]).toEqual([0, []])
  expect(readdirSync(folder)).not.toContain('unfinished.json')
  expect(readFileSync(join(folder, 'contacts.jsonl'), 'utf8').split('\n')).toHaveLength(CONTACTS + 1)

  const db = await databaseOf(target)
  const counts = async () =>
    (
      await db.query<{ teams: number; contacts: number }>(sql`
        select (select count(*) from teams where name = 'moved')::int as teams, (select count(*) from contacts)::int as contacts`)
    )[0]
  const killed = new Program([...POSTWREN, ...importing], { environment: to })
  await eventually(async () => (await counts())!.teams === 1)
  await killed.kill()
  const half = await counts()
  // The server notices a client that is gone when it next writes to it.
  await eventually(
    async () =>
      (await db.query(sql`select from pg_locks where locktype = 'advisory' and objid = 7077013`)).length === 0,
  )
  const imported = await postwren([...importing, '--json'], { environment: to })
  const twice = await postwren(importing, { environment: to })

  expect(half).toEqual({ teams: 1, contacts: 0 })
  expect([imported.code, imported.complaints]).toEqual([0, []])
  expect(JSON.parse(imported.stdout)).toMatchObject({ rows: { contacts: CONTACTS }, blobs: 1, held: { emails: 1 } })
  expect(await counts()).toEqual({ teams: 1, contacts: CONTACTS })
  expect([twice.code, twice.complaints]).toEqual([1, [expect.stringContaining('is in this installation already')]])

  const list = () => target.call('GET', '/emails', undefined, source.token)
  const suspended = await list()
  const released = await postwren(['team', 'unsuspend', 'moved'], { environment: to })
  await target.stored(async () => (await list()).status === 200)

  expect(suspended.status).toBe(403)
  expect(released.code).toBe(0)
  expect((await list()).body).toEqual((await source.call('GET', '/emails')).body)
}, 240_000)

test('a stopped installation is exported, and imported into one that has never run', async () => {
  const source = await Service.start()
  await source.call('POST', '/contacts', { email: 'ada@example.com' })
  source.signal('SIGTERM')
  await source.ended()
  const folder = join(temporaryFolder(), 'export')
  const environment = { POSTWREN_DATA_DIR: join(temporaryFolder(), 'data') }

  const exported = await postwren(['export', '--to', folder], { environment: { POSTWREN_DATA_DIR: source.dataDir } })
  const imported = await postwren(['import', 'postwren', '--from', folder], { environment })
  const listed = await postwren(['team', 'list', '--json'], { environment })

  expect([exported.code, exported.complaints, imported.code, imported.complaints]).toEqual([0, [], 0, []])
  expect(JSON.parse(listed.stdout).data).toMatchObject([
    { name: 'default', suspended_reason: expect.stringMatching(/^Imported/) },
  ])
}, 240_000)
