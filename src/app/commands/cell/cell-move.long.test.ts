import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type App, type Client, startApp } from '../../../../test/harness/app.ts'
import { PEER } from '../../../../test/harness/arriving.ts'
import { teamNameOf } from '../../../../test/harness/commands.ts'
import { readEmail, sendEmail } from '../../../../test/harness/emails.ts'
import { happen } from '../../../../test/harness/eventful-team.ts'
import { LETTER } from '../../../../test/harness/exports.ts'
import {
  emptyInstallation,
  run as runCommand,
  settingsOf,
  temporaryFolder,
} from '../../../../test/harness/installation.ts'
import { startReceiver } from '../../../../test/harness/receiver.ts'
import { addWebhook } from '../../../../test/harness/webhooks.ts'
import { makeWorld } from '../../../../test/harness/world.ts'
import { FileBlobStore } from '../../../adapters/blobs/file-blob-store.ts'
import { begin, perform } from '../../../features/personal-data/perform.ts'
import { SYSTEM } from '../../../kernel/audit/record.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { readKinds } from '../export/catalogue.ts'
import { NOT_EXPORTED } from '../export/exceptions.ts'
import { unpackedLine } from '../export/packed-lines.ts'
import { Scope } from '../export/scope.ts'
import { personErase } from '../person/person.ts'
import { cellMove } from './commands.ts'

const EU1 = { POSTWREN_CELL: 'eu1', POSTWREN_PUBLIC_URL: 'https://eu1.example.com' }
const US1 = { POSTWREN_CELL: 'us1', POSTWREN_PUBLIC_URL: 'https://us1.example.com' }

/** Two cells, and a command that moves a team from the first to the second. */
async function cells(app: App, acme: Client) {
  const other = await emptyInstallation(app.clock)
  const here = { ...(await settingsOf(app)), ...EU1 }
  const there = { ...other.settings, ...US1 }
  const fileOf = (settings: Record<string, string>) => {
    const file = join(temporaryFolder(), 'cell.env')
    writeFileSync(
      file,
      Object.entries(settings)
        .map((setting) => `${setting.join('=')}\n`)
        .join(''),
    )
    return file
  }
  const name = await teamNameOf(app, acme)
  const run =
    (from: Record<string, string>, to: Record<string, string>) =>
    (flags: Record<string, string | boolean> = {}) =>
      runCommand(cellMove, from, { 'to-settings': fileOf(to), ...flags }, [name])
  return { other, move: run(here, there), moveBack: run(there, here) }
}

test('every row of a team is in the other cell, and nothing but where it lives is left here', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const world = await makeWorld(acme, app)
  await happen(app, acme, world)
  const packed = await sendEmail(acme, { html: LETTER })
  await app.flush()
  const { other, move } = await cells(app, acme)
  const before = await rowsOf(app.db, acme.team)

  const report = JSON.parse(await move({ json: true }))
  const after = await rowsOf(other.db, acme.team)
  const blobs = [...JSON.stringify(before).matchAll(/blob\\":\\"([^"\\]+)/g)].map(([, key]) => key!)
  const own = new FileBlobStore(app.folder)
  const contents = (store: FileBlobStore) => Promise.all(blobs.map(async (key) => (await store.get(key))?.length))
  const left = await rowsOf(app.db, acme.team)
  const [pointer] = await app.db.query(sql`
    select cell, url, phase, cleaned_at is not null as clean from team_moves where team = ${acme.team}`)

  expect(report).toMatchObject({ object: 'cell_move', team: acme.team, state: 'moved', cell: 'us1' })
  expect(after).toEqual(before)
  expect(blobs.length).toBeGreaterThan(2)
  expect(await contents(other.blobs)).toEqual(await contents(own))
  expect(Object.values(left).flat()).toEqual([])
  expect(pointer).toEqual({ cell: 'us1', url: 'https://us1.example.com', phase: 'moved', clean: true })
  const [waiting] = await other.db.query(sql`
    select (select count(*) from jobs where name = 'deliveries.take-up')::int as "takeUps", (select count(*) from arriving_rows)::int as parked`)
  expect(waiting).toEqual({ takeUps: 1, parked: 0 })
  const there = await other.start()
  const answer = await there.asKey(acme.token)('/contacts')
  expect([answer.statusCode, JSON.parse(answer.body).data.length > 0]).toEqual([200, true])
  expect(JSON.parse((await there.asKey(acme.token)(`/emails/${packed}`)).body).html).toBe(LETTER)
}, 300_000)

test('whoever comes to the old cell is told where the team lives, and links lead there', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/domains', { name: 'moved.example', dkim: 'ed25519' })
  const { move } = await cells(app, acme)
  const link = app.services.links.sign(
    'unsubscribe',
    { team: acme.team, email: acme.team, to: 'ada@example.com' },
    null,
  )
  const before = await app.server.inject({ url: `/unsubscribe/${link}` })
  await move()
  await app.services.teamStates.refresh()
  app.services.authenticator.forget()

  const answer = await acme.get('/contacts')
  const followed = await app.server.inject({ url: `/unsubscribe/${link}` })
  const login = await app.handler.authenticate({ username: 'resend', password: acme.token }, PEER)
  const session = { peer: PEER, user: null, from: 'ada@example.net' }
  const [mail, bounce] = [
    await app.handler.checkRecipient('desk@moved.example', session),
    await app.handler.checkRecipient('b+eu1-x@send.moved.example', session),
  ]

  expect(before.statusCode).toBe(200)
  expect([answer.status, answer.body]).toEqual([
    421,
    {
      statusCode: 421,
      message: 'The team of this API key lives in the cell us1: https://us1.example.com',
      name: 'wrong_cell',
    },
  ])
  expect(login).toEqual({ code: 535, enhanced: '5.7.8', message: answer.body.message })
  expect([mail, bounce]).toEqual(
    ['moved.example', 'send.moved.example'].map((domain) => ({
      ...{ code: 451, enhanced: '4.3.0' },
      message: `${domain} has moved to the cell us1: https://us1.example.com`,
    })),
  )
  expect([followed.statusCode, followed.headers.location]).toEqual([308, `https://us1.example.com/unsubscribe/${link}`])
}, 120_000)

test('a team that has moved can come back, and then lives here again', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/contacts', { email: 'ada@example.com' })
  const { other, move, moveBack } = await cells(app, acme)
  await move()
  await other.db.query(sql`update contacts set first_name = 'Ada' where team_id = ${acme.team}`)

  await moveBack()
  await app.services.teamStates.refresh()
  app.services.authenticator.forget()

  expect((await acme.get('/contacts')).body.data).toMatchObject([{ email: 'ada@example.com', first_name: 'Ada' }])
  expect(await app.db.query(sql`select direction, phase from team_moves where team = ${acme.team}`)).toEqual([
    { direction: 'in', phase: 'moved' },
  ])
  expect(await other.db.query(sql`select direction, phase, cell from team_moves`)).toEqual([
    { direction: 'out', phase: 'moved', cell: 'eu1' },
  ])
  expect(await app.db.query(sql`select team from moved_keys where team = ${acme.team}`)).toEqual([])
}, 120_000)

test('a person who was erased stays suppressed in the new cell', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const address = 'ada@gone.example'
  await acme.post('/contacts', { email: address })
  const { other, move, moveBack } = await cells(app, acme)
  await move()
  await runCommand(personErase, other.settings, { yes: true }, [address])

  await moveBack()
  await app.services.teamStates.refresh()
  app.services.authenticator.forget()
  const id = await sendEmail(acme, { to: [address, 'bob@others.example'] })
  await app.deliverDue()

  expect((await readEmail(acme, id)).states).toEqual({ [address]: 'suppressed', 'bob@others.example': 'delivered' })
}, 120_000)

test('a team waits for the erasure of a person, which would stay behind', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { other, move } = await cells(app, acme)
  const address = 'ada@erased.example'
  const asked = { team: acme.team, action: 'erase', address } as const
  const request = await begin(app.services, asked)

  await expect(move()).rejects.toThrow('The data of a person is being searched or erased')
  await perform(app.services, request, { address, actor: SYSTEM })
  // The log is searched once more.
  await expect(move()).rejects.toThrow('The data of a person is being searched or erased')
  app.clock.advance(601)
  await app.runDueJobs()
  // One that an owner asked for after the move has begun.
  await app.db.query(sql`
    create function ask_meanwhile() returns trigger language plpgsql as $$
    begin
      if new.phase = 'held' then
        insert into personal_data_requests (id, team_id, action, digest, sealed_address, created_at, updated_at)
        values (new.team, new.team, 'erase', 'x', '', now(), now());
      end if;
      return new;
    end $$`)
  await app.db.query(
    sql`create trigger meanwhile before update on team_moves for each row execute function ask_meanwhile()`,
  )
  await expect(move()).rejects.toThrow('The data of a person is being searched or erased')
  await app.db.query(sql`drop trigger meanwhile on team_moves`)
  await app.db.query(sql`drop function ask_meanwhile`)
  expect(await other.db.query(sql`select phase from team_moves where phase = 'moved'`)).toEqual([])
  await app.db.query(sql`delete from personal_data_requests where team_id = ${acme.team}`)
  await move()

  expect(await other.db.query(sql`select id from teams where id = ${acme.team}`)).toHaveLength(1)
}, 180_000)

test('what waits for a webhook is due in the new cell when it was here', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const receiver = await startReceiver((response) => response.writeHead(503).end())
  await addWebhook(acme, receiver.url, ['contact.created'])
  await acme.post('/contacts', { email: 'ada@sink.dev' })
  await app.deliverWebhooks()
  const { other, move } = await cells(app, acme)
  const dueIn = (db: Database) =>
    db.query(sql`select webhook_id, due_at from webhook_next_due where team_id = ${acme.team}`)
  const before = await dueIn(app.db)
  await move()

  expect(before).toHaveLength(1)
  expect(await dueIn(other.db)).toEqual(before)
}, 120_000)

test('a move that is given up leaves nothing in the other cell, and the team works on', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/contacts', { email: 'ada@example.com' })
  const { other, move } = await cells(app, acme)
  // As a command that was killed while the team was held.
  await app.db.query(sql`
    insert into team_moves (team, direction, name, cell, url, phase, started_at)
    values (${acme.team}, 'out', 'acme', 'us1', 'https://us1.example.com', 'held', now())`)
  await app.db.query(sql`update teams set suspended_at = now(), suspended_reason = 'Moving.' where id = ${acme.team}`)
  await app.services.teamStates.refresh()
  const held = await acme.get('/contacts')

  const told = await move({ abort: true })
  await app.services.teamStates.refresh()

  expect([held.status, held.headers['retry-after'], held.body.name]).toEqual([503, '5', 'service_unavailable'])
  expect(told).toBe('The team stays in the cell eu1.')
  expect((await acme.get('/contacts')).status).toBe(200)
  expect(await other.db.query(sql`select id from teams`)).toEqual([])
  expect(await app.db.query(sql`select team from team_moves where team = ${acme.team}`)).toEqual([])
}, 120_000)

test('mistakes are one line, and no password is taken from the command line', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { move } = await cells(app, acme)
  const url = 'postgres://user:secret@db.example.com/postwren'

  await expect(move({ to: url })).rejects.toThrow(/^A password in --to can be read by everybody/)
  await expect(move({ to: 'postgres://db.example.com/postwren' })).rejects.toThrow('name different databases')
  await expect(move({ 'to-settings': '/nowhere.env' })).rejects.toThrow('/nowhere.env cannot be read')
  await expect(move({ 'to-settings': '' })).rejects.toThrow('Missing --to URL')
}, 120_000)

/** Mail is set aside while its team is held, and who operates one cell does not operate the other. */
const DIFFERENT = ['deliveries.suspended_at', 'users.is_operator']

/** All rows of a team, table by table; without what differs between the cells. */
async function rowsOf(db: Database, team: string): Promise<Record<string, string[]>> {
  const kinds = await readKinds((text) => db.query(raw(text)), { ...NOT_EXPORTED, search_changes: '' })
  const scope = new Scope(team, kinds)
  const rows: Record<string, string[]> = {}
  for (const kind of kinds) {
    const columns = kind.columns.filter(({ name }) => !DIFFERENT.includes(`${kind.name}.${name}`))
    const found = await db.queryPooled<{ line: string }>(
      raw(`select line from (${scope.linesOf({ ...kind, columns })}) r (line)`),
    )
    rows[kind.name] = found.map(({ line }) => unpackedLine(kind, line))
  }
  return rows
}
