import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type App, startApp } from '../../../../test/harness/app.ts'
import { commandSettings, runForJson as json, runCommand as told } from '../../../../test/harness/commands.ts'
import { PRODUCT } from '../../../features/index.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { needsRetiredKeys } from '../../../kernel/sealed-columns.ts'
import { markName, markOf, openSealer } from '../../../kernel/secrets.ts'
import { readReportAddress, returnPath } from '../../../mail/return-path.ts'
import { LinkSigner } from '../../../platform/links.ts'
import { forgetSecretKeys, listSecretKeys, prepareSecretKey, rotateSecretKey } from './secret-key.ts'

/** That of the apps of tests. */
const OLD = Buffer.alloc(32, 'secret').toString('hex')
const newKey = () => randomBytes(32).toString('hex')

/** As if every process had been restarted with both keys. */
async function rotate(app: App, settings: Record<string, string>) {
  const secretKeys = Object.values(settings).map((key) => markName(markOf(key)))
  // The next heartbeat says the same.
  app.db.presence.advertise({ secretKeys })
  await app.db.query(sql.write`update nodes set secret_keys = ${secretKeys}`)
  return json(rotateSecretKey, [], {}, settings)
}

async function start() {
  const app = await startApp()
  await app.db.query(sql`delete from secret_key_mark`)
  for (const table of ['retired_secret_keys', 'webhook_secrets', 'domain_keys', 'oauth_keys', 'digest_keys'])
    await app.db.query(raw(`delete from ${table}`))
  await openSealer(app.db, await commandSettings({ POSTWREN_SECRET_KEY: OLD }))
  const open = async (settings: Record<string, string>) => openSealer(app.db, await commandSettings(settings))
  return { app, acme: await app.as('acme'), open }
}

test('the next key takes over: everything is sealed with it, and the key before is not needed to start', async () => {
  const { app, acme, open } = await start()
  const { body: webhook } = await acme.post('/webhooks', {
    endpoint: 'https://example.com/hook',
    events: ['email.sent'],
  })
  await acme.post('/domains', { name: 'acme.example' })
  const next = newKey()
  const both = { POSTWREN_SECRET_KEY: OLD, POSTWREN_SECRET_KEY_NEXT: next }

  const digest = (await open(both)).digest('text')

  const rotated = await rotate(app, both)

  expect(rotated).toMatchObject({ object: 'secret_key', key: markName(markOf(next)), replaced: true })
  expect(rotated.resealed).toBeGreaterThanOrEqual(2)
  const sealer = await open({ POSTWREN_SECRET_KEY: next })
  expect(sealer.digest('text')).toEqual(digest)
  for (const column of PRODUCT.sealedColumns) expect(await needsRetiredKeys(app.db, sealer, column)).toBe(false)
  const [row] = await app.db.query<{ secret: Buffer }>(sql`
    select secret from webhook_secrets where team_id = ${acme.team} and webhook_id = ${webhook.id}`)
  expect(sealer.open(row!.secret, `webhook:${webhook.id}`)).toBe(webhook.signing_secret)
  // Settings that nobody has changed yet still do.
  expect((await open(both)).isCurrent(sealer.seal('text', 'a'), 'a')).toBe(true)
  await expect(open({ POSTWREN_SECRET_KEY: OLD })).rejects.toThrow('another secret key')
})

test('what a process seals with the key before, in the moment of the change, is found by another run', async () => {
  const { app, acme } = await start()
  const both = { POSTWREN_SECRET_KEY: OLD, POSTWREN_SECRET_KEY_NEXT: newKey() }
  await rotate(app, both)
  await acme.post('/webhooks', { endpoint: 'https://example.com/late', events: ['email.sent'] })

  await expect(told(forgetSecretKeys, [], { yes: true }, both)).rejects.toThrow('still sealed with a retired key')
  expect(await rotate(app, both)).toMatchObject({ replaced: false, resealed: 1 })
  expect(await rotate(app, both)).toMatchObject({ replaced: false, resealed: 0 })
})

test('links and return paths from before are read until the key is forgotten', async () => {
  const { app, open } = await start()
  const old = await open({ POSTWREN_SECRET_KEY: OLD })
  const link = new LinkSigner(old.deriveKeys('links')).sign('unsubscribe', { id: '1' }, null)
  const emailId = '0198a1b2-0000-7000-8000-000000000001'
  const [bounce = ''] = returnPath(
    { emailId, position: 0, domain: 'send.acme.example' },
    old.deriveKey('return-path'),
  ).split('@')
  const [second, third] = [newKey(), newKey()]
  await rotate(app, { POSTWREN_SECRET_KEY: OLD, POSTWREN_SECRET_KEY_NEXT: second })
  await rotate(app, { POSTWREN_SECRET_KEY: second, POSTWREN_SECRET_KEY_NEXT: third })

  const later = await open({ POSTWREN_SECRET_KEY: third })
  expect(new LinkSigner(later.deriveKeys('links')).read('unsubscribe', link, new Date())).toEqual({ id: '1' })
  expect(readReportAddress(bounce, later.deriveKeys('return-path'))).toEqual({
    by: 'return-path',
    emailId,
    position: 0,
  })
  // The name of the dashboard's cookie stays, and so do the people who are signed in.
  expect(later.deriveOldestKey('sessions')).toEqual(old.deriveKey('sessions'))
  const listed = await json(listSecretKeys, [], {}, { POSTWREN_SECRET_KEY: third })
  expect(listed.data.map(({ state }: { state: string }) => state)).toEqual(['current', 'retired', 'retired'])

  await expect(told(forgetSecretKeys, [], {}, { POSTWREN_SECRET_KEY: third })).rejects.toThrow('add --yes')
  await told(forgetSecretKeys, [], { yes: true }, { POSTWREN_SECRET_KEY: third })
  const last = await open({ POSTWREN_SECRET_KEY: third })
  expect(new LinkSigner(last.deriveKeys('links')).read('unsubscribe', link, new Date())).toBeNull()
})

test('a key does not take over while a process runs that does not have it', async () => {
  const { app } = await start()
  const next = newKey()
  const both = { POSTWREN_SECRET_KEY: OLD, POSTWREN_SECRET_KEY_NEXT: next }
  const enter = (keys: string[]) =>
    app.db.query(sql.write`
      insert into nodes (id, machine, pid, channel, secret_keys, reads, started_at)
      values (4711, 'elsewhere', 17, 'postwren-4711', ${keys}, '{compact_rows}', now())
      on conflict (id) do update set secret_keys = excluded.secret_keys`)

  await enter([markName(markOf(OLD))])
  await expect(told(rotateSecretKey, [], {}, both)).rejects.toThrow(/not have the next key yet \(pid .*\b17\b/)
  expect(await rotate(app, both)).toMatchObject({ replaced: true })
  await app.db.query(sql.write`delete from nodes where id = 4711`)
})

test('without a next key one is asked for', async () => {
  await start()

  await expect(told(rotateSecretKey, [], {}, { POSTWREN_SECRET_KEY: OLD })).rejects.toThrow(
    'postwren secret-key prepare',
  )
  expect(await told(prepareSecretKey, [], {}, { POSTWREN_SECRET_KEY: OLD })).toContain('POSTWREN_SECRET_KEY_NEXT')
})

test('whatever seals is sealed anew, or is said not to last', () => {
  // With how many columns each of them fills.
  const sealing = {
    'src/features/cells/keys.ts': 1,
    'src/features/domains/keys.ts': 1,
    'src/features/oauth/signing-keys.ts': 1,
    'src/features/personal-data/requests.ts': 1,
    'src/features/tls/certificates/jobs.ts': 2,
    'src/features/webhooks/delivery/secrets.ts': 1,
    'src/kernel/secrets.ts': 1,
  }
  for (const file of Object.keys(sealing)) expect(readFileSync(file, 'utf8')).toContain('sealer.seal(')
  expect(PRODUCT.sealedColumns).toHaveLength(Object.values(sealing).reduce((sum, columns) => sum + columns))
})
