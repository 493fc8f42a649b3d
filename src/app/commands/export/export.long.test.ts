import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { guardedKey } from '../../../../test/harness/approvals.ts'
import { runCommand, teamNameOf } from '../../../../test/harness/commands.ts'
import {
  change,
  elsewhere,
  exported,
  type Installation,
  LETTER,
  linesOf,
  manifestOf,
  rewrite,
  teamsOf,
} from '../../../../test/harness/exports.ts'
import { run, temporaryFolder } from '../../../../test/harness/installation.ts'
import { APPROVAL_HOLD_ID } from '../../../features/emails/delivery/ledger/approval-hold.ts'
import { resumeHeld } from '../../../features/emails/delivery/ledger/set-aside.ts'
import { PRODUCT } from '../../../features/index.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { exportCommand, importPostwren } from '../export.ts'
import { CATALOGUE, readKinds } from './catalogue.ts'
import { EXPORTED_JOBS, LEFT_JOBS, NOT_EXPORTED, OMITTED_COLUMNS } from './exceptions.ts'
import { blobPath } from './folder.ts'
import { Scope } from './scope.ts'

test('every table is exported or says why not, and so is every kind of job', async () => {
  const { db } = await startApp()
  const tables = (await db.query<{ name: string }>(raw(CATALOGUE))).map(({ name }) => name)
  const kinds = await readKinds((text) => db.query(raw(text)))
  const scope = new Scope(null, kinds)
  const once = PRODUCT.jobs.filter(({ everySeconds }) => everySeconds === undefined).map(({ name }) => name)

  expect([...kinds.map(({ name }) => name), ...Object.keys(NOT_EXPORTED)].sort()).toEqual([...tables].sort())
  expect(kinds.filter(({ primaryKey }) => primaryKey.length === 0)).toEqual([])
  for (const kind of kinds) expect(scope.conditionOf(kind)).not.toBe('')
  expect([...EXPORTED_JOBS, ...Object.keys(LEFT_JOBS)].sort()).toEqual([...new Set(once)].sort())
  // What is omitted has a default, or a value that the import gives it.
  const columns = await db.query<{ name: string }>(sql`
    select table_name || '.' || column_name as name from information_schema.columns where table_schema = current_schema()`)
  const omitted = Object.entries(OMITTED_COLUMNS).flatMap(([table, names]) =>
    Object.keys(names).map((name) => `${table}.${name}`),
  )
  expect(omitted.filter((name) => !columns.some((column) => column.name === name))).toEqual([])
  // Rows whose blobs a trigger notes when they are deleted are those whose blobs are exported.
  const noting = await db.query<{ name: string }>(sql`
    select tgrelid::regclass::text as name from pg_trigger where tgfoid = 'note_unnamed_blob'::regproc and tgparentid = 0 order by 1`)
  expect(
    kinds
      .filter(({ blobs }) => blobs.length > 0)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(noting.map(({ name }) => name))
})

test('an export of a team has its rows, its blobs and a manifest, for its owner only', async () => {
  const { acme, folder, told } = await exported()
  const manifest = manifestOf(folder)
  const [blob] = linesOf(folder, 'blobs')

  expect(told).toMatch(/^Exported to .*: 1 team, \d+ rows, 1 blob\. Sandboxes are not included\.$/m)
  expect(told).toContain('secrets.jsonl has DKIM keys and webhook signing secrets in the clear')
  expect(manifest).toMatchObject({
    object: 'export',
    format: 1,
    scope: 'team',
    teams: 1,
    blobs: { rows: 1, missing: 0 },
  })
  expect(linesOf(folder, 'contacts').map(({ team_id, email }) => [team_id, email])).toEqual([
    [acme.team, 'ada@example.com'],
    [acme.team, 'bob@example.com'],
  ])
  const [{ email_id: _email, ...bodies }] = linesOf(folder, 'email_bodies')
  expect(bodies).toEqual({ team_id: acme.team, html: LETTER, text: null })
  expect(manifest.kinds.email_bodies.fields).toEqual(['team_id', 'email_id', 'html', 'text'])
  expect(linesOf(folder, 'contacts')[0].created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?\+00:00$/)
  expect(linesOf(folder, 'api_keys')[0].token_sha256).toBe(createHash('sha256').update(acme.token).digest('base64'))
  expect(readFileSync(join(folder, blobPath(blob.key)), 'utf8')).toBe('hello')
  for (const [kind, { rows, sha256, bytes }] of Object.entries<Record<string, unknown>>(manifest.kinds)) {
    const content = readFileSync(join(folder, `${kind}.jsonl`))
    expect([kind, rows, bytes, sha256]).toEqual([
      ...[kind, linesOf(folder, kind).length, content.length],
      createHash('sha256').update(content).digest('hex'),
    ])
  }
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(folder).filter((one) => one !== 'blobs'))
    expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600])
})

test('secrets are left out, or sealed with the passphrase, unless they are wanted in the clear', async () => {
  const without = await exported({})
  const sealed = await exported({}, { POSTWREN_BACKUP_PASSPHRASE: 'correct horse' })
  const plain = await exported()
  const everything = (folder: string) =>
    execFileSync('grep', ['-rhoE', 'whsec_[A-Za-z0-9+/]+|BEGIN PRIVATE KEY', folder, '-s']).toString()

  expect(without.told).toContain('DKIM keys and webhook signing secrets are left out')
  expect(linesOf(without.folder, 'secrets')).toEqual([])
  expect(linesOf(plain.folder, 'secrets').map(({ kind, value }) => [kind, value.slice(0, 10)])).toEqual([
    ['domain_keys', '-----BEGIN'],
    ['webhook_secrets', expect.stringMatching(/^whsec_/)],
  ])
  expect(sealed.told).toContain('are sealed with POSTWREN_BACKUP_PASSPHRASE')
  expect(linesOf(sealed.folder, 'secrets')).toHaveLength(2)
  expect(() => everything(sealed.folder)).toThrow()
  expect(everything(plain.folder)).toContain('whsec_')

  const target = await elsewhere(sealed.app)
  const importing = (folder: string, more = {}) =>
    run(importPostwren, { ...target.settings, ...more }, { from: folder })
  await expect(importing(without.folder)).rejects.toThrow('written without its secrets')
  await expect(importing(sealed.folder)).rejects.toThrow('set POSTWREN_BACKUP_PASSPHRASE')
  await expect(importing(sealed.folder, { POSTWREN_BACKUP_PASSPHRASE: 'wrong' })).rejects.toThrow(
    'POSTWREN_BACKUP_PASSPHRASE is not the one',
  )
  expect(await teamsOf(target)).toEqual([])
  await importing(sealed.folder, { POSTWREN_BACKUP_PASSPHRASE: 'correct horse' })
  const there = await target.start()
  await target.db.query(sql.write`update teams set suspended_at = null`)
  await there.services.teamStates.refresh()
  const [here] = (await sealed.acme.get('/webhooks')).body.data
  const own = await sealed.acme.get(`/webhooks/${here.id}`)
  expect((await there.asKey(sealed.acme.token)(`/webhooks/${here.id}`)).body).toBe(own.text)
}, 120_000)

test('an imported team is suspended, and its mail is held until it is released', async () => {
  const { app, acme, folder } = await exported()
  const target = await elsewhere(app)

  const told = await run(importPostwren, target.settings, { from: folder })
  const [team] = await teamsOf(target)
  const there = await target.start()
  const refused = await there.asKey(acme.token)('/contacts')
  const [row] = await target.db.query<{ waits: boolean; notes: number }>(sql`
    select suspended_at is not null as waits, (select count(*) from webhook_fan_outs)::int as notes from deliveries`)
  const json = JSON.parse(await runCommandOn(target, 'team unsuspend', team!.name))
  await resumeHeld(target.db)
  const released = await target.db.query(sql`
    select suspended_at, (select count(*) from jobs where name = 'deliveries.take-up')::int as jobs from deliveries`)

  expect(told).toContain('Held: 1 email, 0 broadcasts, 0 webhook deliveries.')
  expect(team).toMatchObject({
    id: acme.team,
    suspended_reason: expect.stringContaining('Imported from another installation'),
  })
  expect(refused.statusCode).toBe(403)
  expect(row).toEqual({ waits: true, notes: 0 })
  expect(json).toMatchObject({ suspended: false })
  expect(released).toEqual([{ suspended_at: null, jobs: 1 }])
})

test('mail that waits for approval does so in the other installation, too', async () => {
  const { app, acme, settings } = await exported()
  const id = await (await guardedKey(app, acme)).send()
  const folder = join(temporaryFolder(), 'export')
  const target = await elsewhere(app)

  await run(exportCommand, settings, { to: folder, team: await teamNameOf(app, acme), 'with-secrets': true })
  await run(importPostwren, target.settings, { from: folder })
  const [team] = await teamsOf(target)
  await runCommandOn(target, 'team unsuspend', team!.name)
  await resumeHeld(target.db)

  const rows = await target.db.query<{ hold: string | null }>(
    sql`select hold_id as hold from deliveries where email_id = ${id}`,
  )
  expect(rows).toEqual([{ hold: APPROVAL_HOLD_ID }])
  expect(await target.db.query(sql`select email_id as id, status from approvals`)).toEqual([{ id, status: 'waiting' }])
}, 120_000)

async function runCommandOn({ settings }: Installation, name: 'team unsuspend', team: string) {
  const { unsuspendTeamCommand } = await import('../team-operations.ts')
  expect(unsuspendTeamCommand.name).toBe(name)
  return run(unsuspendTeamCommand, settings, { json: true }, [team])
}

test('what a webhook was being told comes due again', async () => {
  const { app, acme, settings } = await exported()
  const [hook] = await app.db.query<{ id: string }>(sql`select id from webhooks where team_id = ${acme.team}`)
  const [event] = await app.db.query<{ id: string }>(sql`select id from outbox where team_id = ${acme.team} limit 1`)
  await app.db.query(sql`
    insert into webhook_batches (team_id, webhook_id, id, holder, claimed_at, event_ids)
    values (${acme.team}, ${hook!.id}, ${event!.id}, ${app.db.presence.node}, now(), ${[event!.id]}::uuid[])`)
  const folder = join(temporaryFolder(), 'export')
  const target = await elsewhere(app)

  await run(exportCommand, settings, { to: folder, team: await teamNameOf(app, acme), 'with-secrets': true })
  await app.db.query(sql`delete from webhook_batches`)
  const told = await run(importPostwren, target.settings, { from: folder })

  expect(told).toContain('1 webhook delivery.')
  expect(await target.db.query(sql`select event_id, holder, state from webhook_deliveries`)).toEqual([
    { event_id: event!.id, holder: null, state: 'pending' },
  ])
  expect(await target.db.query(sql`select from webhook_batches`)).toEqual([])
})

test('a team that is there already, or a name that is taken, is refused; another name is taken', async () => {
  const { app, acme, settings, folder } = await exported()
  const target = await elsewhere(app)
  const name = await teamNameOf(app, acme)
  await target.db.query(sql`
    insert into teams (id, name, created_at) values ('01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f', ${name}, now())`)

  await expect(run(importPostwren, settings, { from: folder })).rejects.toThrow('is in this installation already')
  await expect(run(importPostwren, target.settings, { from: folder })).rejects.toThrow(`another team named ${name}`)
  await run(importPostwren, target.settings, { from: folder, 'team-name': 'acme moved' })

  expect((await teamsOf(target)).map((team) => team.name).sort()).toEqual(['acme moved', name].sort())
})

test('people who have an account keep it, and get nobody else to sign in as them', async () => {
  const { app, acme, folder } = await exported()
  const owner = await app.ownerOf(acme)
  const target = await elsewhere(app)
  const known = '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f'
  await target.db.query(sql`
    insert into users (id, email, is_operator, created_at) values (${known}, ${owner.email.toUpperCase()}, false, now())`)
  rewrite(folder, 'passkeys', [
    {
      user_id: owner.userId,
      id: known,
      credential_id: 'c',
      public_key: '',
      counter: 0,
      transports: [],
      name: 'Not mine',
      created_at: '2026-01-01T00:00:00+00:00',
    },
  ])

  await run(importPostwren, target.settings, { from: folder })

  expect(await target.db.query(sql`select user_id, role from memberships`)).toEqual([{ user_id: known, role: 'owner' }])
  expect(await target.db.query(sql`select from passkeys`)).toEqual([])
  expect(await target.db.query(sql`select id, is_operator from users`)).toEqual([{ id: known, is_operator: false }])
})

test('fields and kinds that this version does not know are ignored, and those that are missing take their defaults', async () => {
  const { app, acme, folder } = await exported()
  const target = await elsewhere(app)
  rewrite(
    folder,
    'contacts',
    linesOf(folder, 'contacts').map(({ unsubscribed: _unsubscribed, ...row }) => ({ ...row, mood: 'new' })),
  )
  writeFileSync(join(folder, 'wishes.jsonl'), '{}\n')
  change(folder, ({ kinds }) => {
    kinds.wishes = { ...kinds.contacts, fields: ['mood'] }
    kinds.contacts.fields = [...kinds.contacts.fields.filter((name: string) => name !== 'unsubscribed'), 'mood']
    delete kinds.relayed_message_ids
  })

  const told = JSON.parse(await run(importPostwren, target.settings, { from: folder, json: true }))

  expect(told).toMatchObject({
    object: 'import',
    teams: [{ id: acme.team }],
    ignored_kinds: ['wishes'],
    rows: { contacts: 2 },
  })
  expect(await target.db.query(sql`select distinct unsubscribed from contacts`)).toEqual([{ unsubscribed: false }])
})

test('of two imports at once one is refused', async () => {
  const { app, folder } = await exported()
  const target = await elsewhere(app)

  const ends = await Promise.allSettled([1, 2].map(() => run(importPostwren, target.settings, { from: folder })))

  const failed = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason.message] : []))
  expect(failed).toEqual([expect.stringMatching(/Another import is under way|is in this installation already/)])
  expect(await teamsOf(target)).toHaveLength(1)
})

test('a folder that has an export or anything else is left alone; one that a cut export has left is written again', async () => {
  const { app, acme, settings, folder } = await exported()
  const again = async (to: string) =>
    run(exportCommand, settings, { to, team: await teamNameOf(app, acme), 'with-secrets': true })
  const other = temporaryFolder()
  writeFileSync(join(other, 'notes.txt'), '')
  const cut = join(temporaryFolder(), 'cut')
  execFileSync('cp', ['-a', folder, cut])
  rmSync(join(cut, 'manifest.json'))
  writeFileSync(join(cut, 'contacts.jsonl'), '{"half')
  writeFileSync(join(cut, 'unfinished.json'), '{"pid":2147483646}\n')

  await expect(again(folder)).rejects.toThrow('already has an export')
  await expect(again(other)).rejects.toThrow('is not empty')
  await expect(again(join(other, 'notes.txt'))).rejects.toThrow(/^E(?:EXIST|NOTDIR): .*notes\.txt/)
  await expect(run(importPostwren, settings, { from: cut })).rejects.toThrow('has no complete export')
  await again(cut)

  expect(existsSync(join(cut, 'unfinished.json'))).toBe(false)
  expect(linesOf(cut, 'contacts')).toEqual(linesOf(folder, 'contacts'))
  writeFileSync(join(cut, 'unfinished.json'), `{"pid":${process.ppid}}\n`)
  await expect(again(cut)).rejects.toThrow(`by process ${process.ppid}`)
})

test('words that are missing are told in one line', async () => {
  await expect(runCommand(exportCommand)).rejects.toThrow('Missing --to DIR')
  await expect(runCommand(importPostwren)).rejects.toThrow('Missing --from DIR')
})
