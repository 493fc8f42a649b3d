import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../../platform/settings/config.ts'
import { readInstallation, restoreInstallation } from './installation.ts'

const KEY = 'ab'.repeat(32)

function folder() {
  const made = mkdtempSync(join(tmpdir(), 'postwren-installation-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

test('settings come back as they were, and the passphrase is not among them', () => {
  const [from, to] = [folder(), folder()]
  writeFileSync(join(from, 'secret-key'), `${KEY}\n`)
  writeFileSync(join(from, 'api-key'), 're_first\n')
  writeFileSync(join(from, 'notes.txt'), 'of somebody else')
  const settings = {
    POSTWREN_DATA_DIR: from,
    POSTWREN_RELAY_URL: 'smtp://user:p%40ss@host:587',
    POSTWREN_MAIL_FROM: `O'Hara & "Sons" <no-reply@example.com>`,
    POSTWREN_SPF: 'a mx include:_spf.example.net',
  }
  const environment = {
    ...settings,
    POSTWREN_BACKUP_PASSPHRASE: 'secret',
    POSTWREN_BACKUP_URL: 'https://k:s@h/b',
    PATH: '/bin',
  }
  const config = loadConfig({ POSTWREN_DATA_DIR: from })

  const installation = readInstallation(config, environment, KEY)
  const file = restoreInstallation(loadConfig({ POSTWREN_DATA_DIR: to }), installation)

  expect(parseEnv(readFileSync(file, 'utf8'))).toEqual(settings)
  expect(readdirSync(to).sort()).toEqual(['api-key', 'restored-settings.env', 'secret-key'])
  for (const name of readdirSync(to)) expect(statSync(join(to, name)).mode & 0o777).toBe(0o600)
})
