import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../../test/harness/database.ts'
import { systemClock } from '../platform/clock.ts'
import { loadConfig } from '../platform/settings/config.ts'
import { SettingError } from '../platform/settings/settings.ts'
import { Database } from './db/database.ts'
import { sql } from './db/sql.ts'
import { createSealer, openSealer } from './secrets.ts'

const key = (byte: number) => Buffer.alloc(32, byte)

describe('a sealer', () => {
  test('opens what it sealed, and what another with the same key sealed', () => {
    const sealed = createSealer(key(1)).seal('Grüße, 👋', 'dkim:1')

    expect(createSealer(key(1)).open(sealed, 'dkim:1')).toBe('Grüße, 👋')
    expect(sealed.includes('Grüße')).toBe(false)
  })

  test('never seals the same text in the same way', () => {
    const sealer = createSealer(key(1))

    expect(sealer.seal('text', 'a').equals(sealer.seal('text', 'a'))).toBe(false)
  })

  test('refuses another key, another context and changed bytes', () => {
    const sealer = createSealer(key(1))
    const sealed = sealer.seal('text', 'dkim:1')

    expect(() => createSealer(key(2)).open(sealed, 'dkim:1')).toThrow()
    expect(() => sealer.open(sealed, 'dkim:2')).toThrow()
    for (let place = 0; place < sealed.length; place++) {
      const changed = Buffer.from(sealed)
      changed[place]! ^= 1
      expect(() => sealer.open(changed, 'dkim:1')).toThrow()
    }
    for (let length = 0; length < sealed.length; length++)
      expect(() => sealer.open(sealed.subarray(0, length), 'dkim:1')).toThrow()
  })

  test('derives a key for each purpose, the same in every process', () => {
    const sealer = createSealer(key(1))

    expect(sealer.deriveKey('links')).toHaveLength(32)
    expect(sealer.deriveKey('links')).toEqual(createSealer(key(1)).deriveKey('links'))
    expect(sealer.deriveKey('links')).not.toEqual(sealer.deriveKey('return-path'))
    expect(sealer.deriveKey('links')).not.toEqual(createSealer(key(2)).deriveKey('links'))
  })
})

describe('the secret key of an installation', () => {
  async function start() {
    const db = Database.connect(await freshDatabase(), { clock: systemClock })
    await db.query(sql`delete from secret_key_mark`)
    await db.query(sql`delete from digest_keys`)
    const folder = mkdtempSync(join(tmpdir(), 'postwren-secrets-'))
    onTestFinished(async () => {
      await db.close()
      rmSync(folder, { recursive: true })
    })
    const open = (dataDir: string, settings: Record<string, string> = {}) =>
      openSealer(db, loadConfig({ POSTWREN_DATA_DIR: join(folder, dataDir), ...settings }))
    return { folder, open, file: (dataDir: string) => join(folder, dataDir, 'secret-key') }
  }

  test('is made on the first start, for the owner only, and found by the next', async () => {
    const { open, file, folder } = await start()

    const first = await open('data')
    const second = await open('data')

    expect(second.open(first.seal('text', 'a'), 'a')).toBe('text')
    expect(readFileSync(file('data'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
    expect(statSync(file('data')).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder, 'data'))).toEqual(['secret-key'])
  })

  test('is one, however many processes start at once', async () => {
    const { open, folder } = await start()

    const sealers = await Promise.all(Array.from({ length: 10 }, () => open('data')))

    const sealed = sealers[0]!.seal('text', 'a')
    expect(sealers.map((sealer) => sealer.open(sealed, 'a'))).toEqual(Array(10).fill('text'))
    expect(readdirSync(join(folder, 'data'))).toEqual(['secret-key'])
  })

  test('of the settings counts more than the one in the folder', async () => {
    const { open, file } = await start()

    const sealer = await open('data', { POSTWREN_SECRET_KEY: key(7).toString('hex') })

    expect(sealer.deriveKey('links')).toEqual(createSealer(key(7)).deriveKey('links'))
    expect(existsSync(file('data'))).toBe(false)
  })

  test('cannot be exchanged for another', async () => {
    const { open } = await start()
    await open('data')

    const refused = open('data', { POSTWREN_SECRET_KEY: key(7).toString('hex') })

    await expect(refused).rejects.toThrow(SettingError)
    await expect(refused).rejects.toThrow(/another secret key than the one in POSTWREN_SECRET_KEY/)
  })

  test('is asked for, and not made anew, where the database has one and the folder does not', async () => {
    const { open, file } = await start()
    await open('data')

    const refused = open('elsewhere')

    await expect(refused).rejects.toThrow(SettingError)
    await expect(refused).rejects.toThrow(/Set POSTWREN_SECRET_KEY/)
    expect(existsSync(file('elsewhere'))).toBe(false)
  })

  test('in a file that holds something else is named', async () => {
    const { open, file, folder } = await start()
    mkdirSync(join(folder, 'data'))
    writeFileSync(file('data'), 'nonsense')

    await expect(open('data')).rejects.toThrow(`${file('data')} does not hold a secret key`)
  })

  test('that cannot be kept is one clear line', async () => {
    const { open, folder } = await start()
    writeFileSync(join(folder, 'data'), 'a file where the folder should be')

    await expect(open('data')).rejects.toThrow(SettingError)
  })
})
